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
from wirespeed.checks.model import Here, Outcome
from wirespeed.settings import Place, Route

over = Route
needs = ("route.device", "route.gateway", "host.routes", "host.ipv6_routes")
failures = ("OS-05", "RT-10")
presence = True
_compared = compare("route.device", "route.gateway", wrong="the route is not as planned", fix="set the route")


def check(here: Here) -> Outcome:
    """IPv4 and IPv6 are asked for apart: of an IPv6 route that is not seen, the IPv4 routes say nothing."""
    if ":" in here.place.name and not here.exists():
        here.found("host.ipv6_routes", Place(here.place.device))
    return _compared(here)
