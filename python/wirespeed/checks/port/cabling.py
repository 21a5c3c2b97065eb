"""Cabling of the switch port

LLDP reports the planned port at the other end of the cable. A NIC can have an LLDP agent in its firmware beside that of
the host: further neighbours that are not in the plan are named, and further planned ones are a warning.

Impact:
    A cable in the wrong port connects a NIC to another rail or subnet: it does not reach its gateway, and its traffic
    is forwarded over another rail or dropped.

Fix:
    Move the cable to the planned port.

Example:
    $ show lldp neighbors
    Ethernet1/3   node1   enp67s0np0

Source:
    https://github.com/NVIDIA/nccl/issues/1109; several neighbours of a port: IEEE 802.1AB-2016, 9.2.7
"""

import re

from wirespeed.checks.impact import impact_of_swapped_cable
from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, UnreadError, failure, success, warning
from wirespeed.plan import End
from wirespeed.results.findings import Fix
from wirespeed.settings import Place, Port, Switch

subject = Port
needs = ("port.neighbour.device", "port.neighbour.port", "port.alias", "nic.mac")
failures = ("RT-05",)


def check(context: CheckContext) -> Outcome:
    """Ports without a planned cable are not checked."""
    cable = context.cables.get(End(context.place.device, context.place.name))
    if cable is None:
        raise NoIntentError("the plan has no cable here")
    end = cable.other_end(context.place.device)
    ends = _list_neighbours(context, context.place, end)
    expected = f"{end.device}:{end.port}"
    found_ports = "; ".join(f"{neighbour.device}:{neighbour.port}" for neighbour in ends)
    planned = [neighbour for neighbour in ends if neighbour in context.cables]
    if end in ends:
        if planned == [end]:
            return success(expected, found_ports)
        return warning(
            "the port has more than one planned neighbour",
            f"{expected} alone",
            found_ports,
            Fix(f"look for a device between {context.place.device}:{context.place.name} and {expected}"),
            reason="the neighbour of a cable that was moved is listed until its time to live has passed",
        )
    found = next(iter(planned), ends[0])
    fix = Fix(_describe_correction(context, found, end))
    nics = (Place(cable_end.device).child("nic", cable_end.port) for cable_end in (end, found))
    return failure(
        "the cable leads to another port than planned",
        expected,
        found_ports,
        fix,
        impact=impact_of_swapped_cable(context, *nics) if found.device in context.plan.hosts else None,
    )


def _describe_correction(context: CheckContext, found: End, end: End) -> str:
    """The cables to move; the same sentence at both ports of a swap, so that it is one step."""
    here_port = f"{context.place.device}:{context.place.name}"
    planned_cable = context.cables.get(found)
    peer = planned_cable.other_end(found.device) if planned_cable is not None else None
    if peer is None or found.device == peer.device:
        correction = f"unplug the cable of {found.device}:{found.port}, which is not in the plan"
    else:
        peer_port = f"{peer.device}:{peer.port}"
        if _has_neighbour(context, peer, end):
            return f"swap the cables of {' and '.join(sorted((here_port, peer_port)))}"
        correction = f"move the cable of {found.device}:{found.port} to {peer_port}"
    return f"{correction}; connect {end.device}:{end.port} to {here_port}"


def _has_neighbour(context: CheckContext, port: End, end: End) -> bool:
    """Whether this port has been read, and has ``end`` as its neighbour."""
    try:
        return end in _list_neighbours(context, Place(port.device).child("port", port.port), end)
    except UnreadError:
        return False


def _list_neighbours(context: CheckContext, place: Place, end: End) -> list[End]:
    """The neighbours of the port, each once.

    Raises:
        UnreadError: one was not read or cannot be identified, and no other is ``end``.
    """
    names, ports = (_list_values(context, place, path) for path in ("port.neighbour.device", "port.neighbour.port"))
    if len(names) != len(ports):
        raise UnreadError("port.neighbour.port", "a neighbour gives no port", place=place)
    ends: dict[End, None] = {}
    problem: UnreadError | None = None
    for name, port in zip(names, ports, strict=True):
        try:
            ends[_identify_neighbour(context, name, port)] = None
        except UnreadError as error:
            problem = error
    if problem is not None and end not in ends:
        raise problem
    return list(ends)


def _list_values(context: CheckContext, place: Place, path: str) -> list[str]:
    """All values that were read, one for each neighbour, in the order of the output."""
    context.get_found_value(path, place)
    readings = context.facts.readings[place, path]
    context.used += [(place, path, reading) for reading in readings[1:]]
    return [reading.value for reading in readings]


def _identify_neighbour(context: CheckContext, name: str, port: str) -> End:
    """The neighbour by its planned name, which LLDP may report with a domain, ``node1.example.com``.

    A system name is to be the fully qualified domain name (IEEE 802.1AB, system name TLV). A port may be identified by
    its MAC address, as lldpd does by default (lldpcli(8), configure lldp portidsubtype), or by an alias.
    """
    labels = name.split(".")
    names = (".".join(labels[:count]) for count in range(len(labels), 0, -1))
    planned = next((short for short in names if short in context.plan.hosts or short in context.plan.switches), name)
    return End(planned, _find_nic(context, planned, port) or _find_port(context, planned, port) or port)


def _find_nic(context: CheckContext, host: str, port: str) -> str | None:
    """The NIC of a planned host whose MAC address identifies the port. None if the text is no such address.

    Raises:
        UnreadError: no NIC that was read has the address, and the address of one was not read.
    """
    digits = re.sub("[.:-]", "", port).lower()
    if host not in context.plan.hosts or re.fullmatch("[0-9a-f]{12}", digits) is None:
        return None
    problem: UnreadError | None = None
    for name in context.plan.hosts[host].nics:
        try:
            if context.get_found_value("nic.mac", Place(host).child("nic", name)).replace(":", "").lower() == digits:
                return name
        except UnreadError as error:
            problem = error
    if problem is not None:
        raise problem
    return None


def _find_port(context: CheckContext, switch: str, alias: str) -> str | None:
    """The port of a planned switch that announces itself by this alias. None if no port does.

    Raises:
        UnreadError: no port that was read has the alias, and the alias of one was not read.
    """
    planned = context.plan.switches.get(switch)
    system = None if planned is None else context.plan.hardware.switch_systems.get(planned.os or "")
    if planned is None or alias in planned.ports or system is None or system.lldp_aliases is None:
        return None
    device = context.facts.devices.get(switch)
    names = {**planned.ports, **(device.ports if isinstance(device, Switch) else {})}
    problem: UnreadError | None = None
    for name in names:
        try:
            if context.get_found_value("port.alias", Place(switch).child("port", name)) == alias:
                return name
        except UnreadError as error:
            problem = error
    if problem is not None:
        raise problem
    return None
