"""MTU of the switch port

The port forwards at least the packets that the host behind it sends, and as large ones as planned.

Why it hurts:
    A switch drops what is larger than its MTU without a word. Small messages pass and large ones never arrive: jobs
    end with completion error 12.

How to fix:
    Set the MTU of the port. Switches count different headers as part of it; the values here are of the IP packet.

Example:
    Eth1/1   node1 enp29s0np0   up   -   off   400000   1500

Source:
    Broadcom 957608-AN210, 2.6 item 12 and 5.1 question 2
"""

from wirespeed.checks.cost import dropped_frames
from wirespeed.checks.model import Here, InapplicableError, Outcome, UnreadError, failed, passed, warned
from wirespeed.settings import Port

over = Port
needs = ("port.link.mtu", "nic.link.mtu")
failures = ("SW-01",)


def check(here: Here) -> Outcome:
    """Smaller than the host's is a failure; smaller than planned only hurts when the host is raised."""
    intended = here.intended("port.link.mtu")
    found = here.found("port.link.mtu")
    host = _host_mtu(here)
    fix = here.change("set the MTU of the port", "port.link.mtu", intended)
    if host is not None and found < host:
        return failed(
            "the MTU of the port is below the host's",
            f"at least {host} bytes, the host's MTU",
            f"{found} bytes",
            fix,
            cost=dropped_frames(here, found),
        )
    if found < intended:
        return warned("the MTU of the port is below the plan's", f"at least {intended} bytes", f"{found} bytes", fix)
    return passed(f"at least {intended} bytes", f"{found} bytes")


def _host_mtu(here: Here) -> int | None:
    try:
        place, _ = here.across()
    except InapplicableError:
        return None
    if place.kind != "nic":
        return None
    try:
        return int(here.found("nic.link.mtu", place))
    except UnreadError:
        return int(here.intended("nic.link.mtu", place))
