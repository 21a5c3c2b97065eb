"""MTU of the switch port

The MTU of the port is at least that of the host behind it, and at least the planned one.

Impact:
    A switch drops packets larger than its MTU without a message. Small messages pass and large ones never arrive: jobs
    end with completion error 12.

Fix:
    Set the MTU of the port. Switches include different headers in their MTU; the values here are IP packet sizes.

Example:
    $ show interface status
    Name     Description        Oper   Reason   AutoNeg   Speed    MTU
    Eth1/1   node1 enp29s0np0   up     -        off       400000   1500

Source:
    Broadcom 957608-AN210, 2.6 item 12 and 5.1 question 2
"""

from wirespeed.checks.impact import dropped_frames
from wirespeed.checks.model import CheckContext, InapplicableError, Outcome, UnreadError, failure, success, warning
from wirespeed.settings import Port

subject = Port
needs = ("port.link.mtu", "nic.link.mtu")
failures = ("SW-01",)


def check(context: CheckContext) -> Outcome:
    """Smaller than the host's MTU is a failure. Smaller than planned only matters once the host's MTU is raised."""
    intended = context.intended_value("port.link.mtu")
    found = context.found_value("port.link.mtu")
    host = _host_mtu(context)
    fix = context.change("set the MTU of the port", "port.link.mtu", intended)
    if host is not None and found < host:
        return failure(
            "the MTU of the port is below the MTU of the host",
            f"at least {host} bytes, the MTU of the host (planned {intended})",
            f"{found} bytes",
            fix,
            cost=dropped_frames(context, found),
        )
    if found < intended:
        return warning(
            "the MTU of the port is below the planned MTU", f"at least {intended} bytes", f"{found} bytes", fix
        )
    return success(f"at least {intended} bytes", f"{found} bytes")


def _host_mtu(context: CheckContext) -> int | None:
    try:
        place, _ = context.across()
    except InapplicableError:
        return None
    if place.kind != "nic":
        return None
    try:
        return int(context.found_value("nic.link.mtu", place))
    except UnreadError:
        return int(context.intended_value("nic.link.mtu", place))
