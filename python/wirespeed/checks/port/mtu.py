"""MTU of the switch port

The MTU of the port is at least that of the host behind it, and at least the planned one.

Impact:
    A switch drops packets larger than its MTU without a message. Small messages pass and large ones never arrive: jobs
    end with completion error 12.

Fix:
    Set the MTU of the port. Switches include different headers in their MTU; the values here are IP packet sizes.

Example:
    Eth1/1   node1 enp29s0np0   up   -   off   400000   1500

Source:
    Broadcom 957608-AN210, 2.6 item 12 and 5.1 question 2
"""

from wirespeed.checks.impact import dropped_frames
from wirespeed.checks.model import Here, InapplicableError, Outcome, UnreadError, failed, passed, warned
from wirespeed.settings import Port

over = Port
needs = ("port.link.mtu", "nic.link.mtu")
failures = ("SW-01",)


def check(here: Here) -> Outcome:
    """Smaller than the host's MTU is a failure. Smaller than planned only matters once the host's MTU is raised."""
    intended = here.intended("port.link.mtu")
    found = here.found("port.link.mtu")
    host = _host_mtu(here)
    fix = here.change("set the MTU of the port", "port.link.mtu", intended)
    if host is not None and found < host:
        return failed(
            "the MTU of the port is below the MTU of the host",
            f"at least {host} bytes, the host's MTU",
            f"{found} bytes",
            fix,
            cost=dropped_frames(here, found),
        )
    if found < intended:
        return warned(
            "the MTU of the port is below the planned MTU", f"at least {intended} bytes", f"{found} bytes", fix
        )
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
