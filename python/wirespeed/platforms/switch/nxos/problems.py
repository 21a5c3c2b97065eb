"""Settings of a switch that NX-OS cannot configure."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.errors import Problem
from wirespeed.platforms.switch.nxos.policies import list_paused_queues
from wirespeed.platforms.switch.nxos.values import ACTIONS, FEC_KEYWORDS, POLLS, RESTORES, SHUTDOWNS, TRUST, complete
from wirespeed.platforms.switch.policies import find_invalid_texts, sort_ports
from wirespeed.platforms.switch.watchdog import check_milliseconds
from wirespeed.settings import Bgp, Discipline, Port, Switch
from wirespeed.units import Duration


def problems(name: str, switch: Switch) -> Iterator[Problem]:
    """Every setting of the switch whose value cannot be configured."""
    ports = sort_ports(switch.ports)
    yield from find_invalid_texts(name, switch)
    yield from _whole_switch(name, switch)
    yield from _check_watchdog(name, switch)
    yield from _check_bgp(name, switch)
    for port_name, port in ports:
        yield from _check_port(f"{name} {port_name}", port)


def _whole_switch(name: str, switch: Switch) -> Iterator[Problem]:
    """One network-qos policy holds for all ports; a port may only switch PFC off."""
    sets = {port.qos.pfc for port in switch.ports.values() if port.qos.pfc}
    if len(sets) > 1:
        yield Problem(
            f"{name}: port.qos.pfc",
            f"{len(sets)} different sets of lossless priorities",
            "one for all ports that have any",
            "NX-OS has one network-qos policy",
        )
    pairs = list_paused_queues(switch)
    if len({queue for _, queue in pairs}) < len(pairs) or len({priority for priority, _ in pairs}) < len(pairs):
        yield Problem(f"{name}: port.qos.pfc_queue", f"{pairs}", "one queue for each lossless priority, on all ports")


def _check_watchdog(name: str, switch: Switch) -> Iterator[Problem]:
    poll = switch.watchdog_poll
    yield from check_milliseconds(f"{name}: switch.watchdog_poll", poll, POLLS)
    watchdogs = [port.qos.watchdog for port in switch.ports.values()]
    for path, values, multiples in (
        ("detect", {watchdog.detect for watchdog in watchdogs} - {None}, SHUTDOWNS),
        ("restore", {watchdog.restore for watchdog in watchdogs} - {None}, RESTORES),
    ):
        if len(values) > 1:
            yield Problem(
                f"{name}: port.qos.watchdog.{path}",
                f"{len(values)} different times on its ports",
                "one value for all ports",
                "NX-OS has one value for the whole switch",
            )
        for value in values:
            yield from _check_multiple(f"{name}: port.qos.watchdog.{path}", value, poll, multiples)


def _check_multiple(
    location: str, value: Duration | None, poll: Duration | None, multiples: range
) -> Iterator[Problem]:
    if value is not None and (not poll or value % poll or value // poll not in multiples):
        times = f"{multiples[0]} to {multiples[-1]} times the poll interval"
        yield Problem(location, str(value), f"{times}, {poll}" if poll else f"{times}, which is not given")


def _check_port(location: str, port: Port) -> Iterator[Problem]:
    action = port.qos.watchdog.action
    for path, word, sayable in (
        ("port.link.fec", port.link.fec, tuple(FEC_KEYWORDS)),
        ("port.qos.trust", port.qos.trust, TRUST),
        ("port.qos.watchdog.action", action and str(action), tuple(map(str, ACTIONS))),
    ):
        if word is not None and word not in sayable:
            yield Problem(f"{location}: {path}", word, f"{', '.join(sayable[:-1])} or {sayable[-1]}")
    if port.qos.trust == "dscp" and port.qos.dscp_tc is None:
        yield Problem(f"{location}: port.qos.trust", "dscp without a map", "a map of DSCP to traffic classes")
    for traffic_class, queue in sorted((port.qos.tc_queue or {}).items()):
        if int(traffic_class) != int(queue):
            yield Problem(
                f"{location}: port.qos.tc_queue",
                f"traffic class {traffic_class} in queue {queue}",
                "the queue of the same number",
                "on NX-OS the qos-group is the queue",
            )
    if sum(queue.discipline == Discipline.STRICT for queue in port.queues.values()) > 3:
        yield Problem(f"{location}: queue.discipline", "more than three strict queues", "at most three priority levels")
    if (total := sum(queue.weight or 0 for queue in port.queues.values())) > 100:
        yield Problem(f"{location}: queue.weight", f"shares of {total}%", "100% at most")
    for number, queue_settings in port.queues.items():
        if queue_settings.ecn.enabled and not complete(queue_settings.ecn):
            at_queue = f"{location} queue {number}"
            yield Problem(
                f"{at_queue}: queue.ecn.enabled", "on without thresholds", "a minimum, a maximum and a probability"
            )


def _check_bgp(name: str, switch: Switch) -> Iterator[Problem]:
    if switch.bgp.asn is None and (switch.peers or switch.bgp != Bgp()):
        yield Problem(f"{name}: switch.bgp.asn", "none", "the autonomous system of the switch, for BGP")
    for peer_name, peer in switch.peers.items():
        if peer.asn is None:
            yield Problem(f"{name} peer {peer_name}: peer.asn", "none", "the neighbour's autonomous system")
        if peer.description and (not peer.description.isprintable() or peer.description != peer.description.strip()):
            yield Problem(f"{name} peer {peer_name}: peer.description", repr(peer.description), "printable text")
