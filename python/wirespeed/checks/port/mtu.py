"""MTU of the switch port

The MTU of the port is at least that of the host or the switch port behind it, and at least the planned one.

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

from wirespeed.checks.impact import estimate_dropped_frames
from wirespeed.checks.model import (
    CheckContext,
    InapplicableError,
    NoIntentError,
    Outcome,
    UnreadError,
    failure,
    success,
    warning,
)
from wirespeed.settings import Place, Port

subject = Port
needs = ("port.link.mtu", "nic.link.mtu")
failures = ("SW-01",)


def check(context: CheckContext) -> Outcome:
    """Smaller than the MTU of the other end is a failure. Smaller than planned only matters once that is raised."""
    intended = context.get_intended_value("port.link.mtu")
    found = context.get_found_value("port.link.mtu")
    far_end, far_mtu = _far_mtu(context)
    fix = context.build_change("set the MTU of the port", "port.link.mtu", intended)
    # The plan may give the ends of a cable between switches different MTUs; that of a host always counts.
    if far_mtu is not None and found < (far_mtu if far_end == "host" else min(far_mtu, intended)):
        return failure(
            f"the MTU of the port is below the MTU of the {far_end}",
            _describe_expected(intended, far_mtu, far_end),
            f"{found} bytes",
            fix,
            impact=estimate_dropped_frames(context, found) if far_end == "host" else None,
        )
    if found < intended:
        return warning(
            "the MTU of the port is below the planned MTU",
            f"at least {intended} bytes",
            f"{found} bytes",
            fix,
            reason=f"the {far_end} has no larger MTU: it sends no packet that this port drops" if far_end else None,
        )
    return success(f"at least {intended} bytes", f"{found} bytes")


def _describe_expected(intended: int, far_mtu: int, far_end: str | None) -> str:
    """The planned MTU, and what the other end needs at least."""
    if intended > far_mtu:
        return f"{intended} bytes (at least {far_mtu}, the MTU of the {far_end})"
    planned = f" (planned {intended})" if intended < far_mtu else ""
    return f"{'at least ' if planned else ''}{far_mtu} bytes, the MTU of the {far_end}{planned}"


def _far_mtu(context: CheckContext) -> tuple[str | None, int | None]:
    """What is at the other end of the cable, and its MTU; None without a cable."""
    try:
        place, _ = context.find_other_end()
    except InapplicableError:
        return None, None
    far_end, path = ("host", "nic.link.mtu") if place.kind == "nic" else ("port at the other end", "port.link.mtu")
    try:
        return far_end, int(context.get_found_value(path, place))
    except UnreadError:
        return far_end, _find_planned_mtu(context, path, place)


def _find_planned_mtu(context: CheckContext, path: str, place: Place) -> int | None:
    try:
        return int(context.get_intended_value(path, place))
    except NoIntentError:
        return None
