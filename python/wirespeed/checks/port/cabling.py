"""Cabling of the switch port

LLDP reports the planned port at the other end of the cable.

Impact:
    A cable in the wrong port connects a NIC to another rail or subnet: it does not reach its gateway, and its traffic
    is forwarded over another rail or dropped.

Fix:
    Move the cable to the planned port.

Example:
    $ show lldp neighbors
    Ethernet1/3   node1   enp67s0np0

Source:
    https://github.com/NVIDIA/nccl/issues/1109
"""

from wirespeed.checks.impact import impact_of_swapped_cable
from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, failure, success
from wirespeed.plan import End
from wirespeed.results.findings import Fix
from wirespeed.settings import Place, Port

over = Port
needs = ("port.neighbour.device", "port.neighbour.port")
failures = ("RT-05",)


def check(context: CheckContext) -> Outcome:
    """Ports without a planned cable are not checked."""
    cable = context.cables.get(End(context.place.device, context.place.name))
    if cable is None:
        raise NoIntentError("the plan has no cable here")
    end = cable.other_end(context.place.device)
    found = End(context.found_value("port.neighbour.device"), context.found_value("port.neighbour.port"))
    expected = f"{end.device}:{end.port}"
    if found == end:
        return success(expected, expected)
    planned = context.cables.get(found)
    here_port = f"{context.place.device}:{context.place.name}"
    found_port = f"{found.device}:{found.port}"
    peer = planned.other_end(found.device) if planned is not None else None
    correction = (
        f"move the cable of {found_port} to {peer.device}:{peer.port}"
        if peer is not None and found.device != peer.device
        else f"unplug the cable of {found_port}, which is not in the plan"
    )
    fix = Fix(f"{correction}; connect {expected} to {here_port}")
    nics = (Place(one.device).thing("nic", one.port) for one in (end, found))
    return failure(
        "another port is at the other end of the cable",
        expected,
        found_port,
        fix,
        cost=impact_of_swapped_cable(context, *nics) if found.device in context.plan.hosts else None,
    )
