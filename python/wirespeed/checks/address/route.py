"""Route of a rail

Every planned route is in its table, by its device and gateway.

Why it hurts:
    A rule that leads to a table without the route finds nothing, and the next rule sends the traffic out of another
    NIC. A table without the connected route sends neighbours on the same rail through the gateway.

How to fix:
    Apply the rendered network configuration; to act at once, add the route.

Example:
    $ ip route show table 101
    (nothing)

Source:
    Broadcom 957608-AN210, 2.4.1 and 2.4.2
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import Here, Outcome, UnreadError
from wirespeed.settings import Route

over = Route
needs = ("route.device", "route.gateway", "host.routes")
failures = ("OS-05", "RT-10")
presence = True
_compared = compare("route.device", "route.gateway", wrong="the route is not as planned", fix="set the route")


def check(here: Here) -> Outcome:
    """An IPv6 route that is not seen is not known to be absent: hosts are asked for their IPv4 routes alone."""
    if ":" in f"{here.place.name} {here.intended('route.gateway')}" and not here.exists():
        raise UnreadError("host.routes: IPv6 routes are not collected")
    return _compared(here)
