"""Cabling of the switch port

At the other end of the cable is the planned port, as LLDP says.

Why it hurts:
    A cable in the wrong port puts a NIC into another rail or subnet: its gateway is elsewhere, and traffic of that
    host crosses rails or goes nowhere.

How to fix:
    Move the cable to the port of the plan.

Example:
    $ show lldp neighbors
    Ethernet1/3   node1   enp67s0np0

Source:
    https://github.com/NVIDIA/nccl/issues/1109
"""

from wirespeed.checks.cost import strayed
from wirespeed.checks.model import Here, NoIntentError, Outcome, failed, passed
from wirespeed.plan import End
from wirespeed.results.findings import Fix
from wirespeed.settings import Place, Port

over = Port
needs = ("port.neighbour.device", "port.neighbour.port")
failures = ("RT-05",)


def check(here: Here) -> Outcome:
    """The plan's cable decides; where it has none nothing is expected."""
    cable = here.cables.get(End(here.place.device, here.place.name))
    if cable is None:
        raise NoIntentError("the plan has no cable here")
    end = cable.other(here.place.device)
    found = End(here.found("port.neighbour.device"), here.found("port.neighbour.port"))
    expected = f"{end.device} {end.port}"
    if found == end:
        return passed(expected, expected)
    planned = here.cables.get(found)
    belongs = (
        f"the cable of {found.device} {found.port} belongs into {planned.other(found.device).port} "
        f"of {planned.other(found.device).device}"
        if planned is not None and found.device != planned.other(found.device).device
        else f"{found.device} {found.port} is no port of the plan"
    )
    fix = Fix(f"move cables: {belongs}; the cable of {expected} belongs here")
    nics = (Place(one.device).thing("nic", one.port) for one in (end, found))
    return failed(
        "another port is at the other end of the cable",
        expected,
        f"{found.device} {found.port}",
        fix,
        cost=strayed(here, *nics) if found.device in here.plan.hosts else None,
    )
