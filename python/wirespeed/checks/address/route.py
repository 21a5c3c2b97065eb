"""Route of a rail

Every planned route is in its routing table, with the planned device and gateway.

Impact:
    If the table of a source rule lacks the route, the lookup continues with the next rule and the traffic leaves
    through another NIC. Without the connected route, traffic to hosts on the same rail uses the gateway.

Fix:
    Apply the rendered network configuration, or add the route for an immediate effect.

Example:
    $ ip route show table 101
    (nothing)

Source:
    Broadcom 957608-AN210, 2.4.1 and 2.4.2
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.settings import Place, Route

subject = Route
needs = ("route.device", "route.gateway", "host.routes", "host.ipv6_routes")
failures = ("OS-05", "RT-10")
presence = True
_compare_route = compare("route.device", "route.gateway", wrong="the route is not as planned", fix="set the route")


def check(context: CheckContext) -> Outcome:
    """IPv4 and IPv6 routes are read by separate commands: IPv4 routes prove nothing about a missing IPv6 route."""
    if ":" in context.place.name and not context.is_present():
        context.get_found_value("host.ipv6_routes", Place(context.place.device))
    return _compare_route(context)
