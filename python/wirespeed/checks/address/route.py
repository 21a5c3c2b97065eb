"""Route of a rail

Every planned route is in its routing table, with the planned device and gateway and no other source address.

Impact:
    If the table of a source rule lacks the route, the lookup continues with the next rule and the traffic leaves
    through another NIC. Without the connected route, traffic to hosts on the same rail uses the gateway. Without the
    routes of the main table, a packet without a source address, such as that of a ping without -I, leaves through the
    management interface, and traceroute -i finds no gateway. If the link of the first rail is down, the route of the
    next rail is used.

Fix:
    Apply the rendered network configuration, or add the route for an immediate effect.

Example:
    $ ip route show table 101
    (nothing)

Source:
    Broadcom 957608-AN210, 2.4.1 and 2.4.2
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from ipaddress import IPv4Network, IPv6Network, ip_network

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome, success
from wirespeed.checks.routing_policy import find_destination, includes
from wirespeed.results.findings import Status
from wirespeed.settings import Place, Route, Rule, split_route_name

subject = Route
needs = (
    "route.device",
    "route.gateway",
    "route.source",
    "route.metric",
    "host.routes",
    "host.ipv6_routes",
    "host.rules",
)
failures = ("OS-05", "RT-10")
causes = ("nic.presence",)
presence = True
_MAIN = "254"  # table of packets without a source address
_compare_route = compare(
    "route.device", "route.gateway", "route.metric", wrong="the route is not as planned", fix="set the route"
)
_compare_source = compare("route.source", wrong="the route selects another source address", fix="set the route")


def check(context: CheckContext) -> Outcome:
    """The kernel removes the routes of an interface with it."""
    device = context.get_intended_value("route.device")
    interface = Place(context.place.device).child("nic", device) if device else None
    return replace(_check_route(context), cause_place=interface)


def _check_route(context: CheckContext) -> Outcome:
    """IPv4 and IPv6 routes are read by separate commands: IPv4 routes prove nothing about a missing IPv6 route."""
    if ":" in context.place.name and not context.is_present():
        context.get_found_value("host.ipv6_routes", Place(context.place.device))
    table, destination = split_route_name(context.place.name)
    if table != _MAIN and not context.is_present() and not context.get_intended_value("route.gateway"):
        return _judge_missing_subnet(context, table)
    if table != _MAIN or destination in ("default", "::/0") or _is_as_planned(context):
        return _judge_route(context)
    wider = _find_wider(context, destination)
    if wider is not None:
        return success(f"a route or rule for {destination}", wider)
    return replace(
        _compare_route(context),
        status=Status.WARN,
        warning_reasons=(
            "only packets without a source address use this route; RDMA libraries always set a source address",
        ),
    )


def _judge_route(context: CheckContext) -> Outcome:
    """Without a source address in the route the kernel selects that of the device (ip-route(8), src)."""
    outcome = _compare_route(context)
    source = context.facts.reading(context.place, "route.source")
    if outcome.status is not Status.PASS or not context.entity.source or source is None:
        return outcome
    differing = _compare_source(context)
    return outcome if differing.status is Status.PASS else differing


def _is_as_planned(context: CheckContext) -> bool:
    """Whether the route is present and not that of another rail, which comes first while this one's link is down."""
    if not context.is_present():
        return False
    found = context.get_found_value("route.device")
    return found == context.get_intended_value("route.device") or found not in _list_nics(context)


def _list_nics(context: CheckContext) -> Collection[str]:
    return context.plan.hosts[context.place.device].nics.keys()


def _judge_missing_subnet(context: CheckContext, table: str) -> Outcome:
    """Without the route of its subnet a table with a default route sends to hosts of the rail through the gateway."""
    outcome = _compare_route(context)
    routes = context.list_members("host.routes", Place(context.place.device))
    default = routes.get(f"{table} default") or routes.get(f"{table} ::/0")
    if default is None or default.device != context.get_intended_value("route.device"):
        return outcome
    reason = f"packets to other hosts of the rail take one hop more, through the gateway {default.gateway}"
    return replace(outcome, status=Status.WARN, warning_reasons=(reason,))


def _find_wider(context: CheckContext, destination: str) -> str | None:
    """A rule for packets of any source, or a route of the main table, to the rail for a wider destination."""
    host = Place(context.place.device)
    needed = ip_network(destination)
    routes = context.list_members("host.routes", host)
    for name, rule in context.list_members("host.rules", host).items():
        target = find_destination(name)
        if target is not None and includes(target, needed) and _leads_to_rail(context, rule, routes, needed):
            return f"the rule {name}"
    for name, route in routes.items():
        table, network = split_route_name(name)
        if table != _MAIN or network in ("default", "::/0") or not _is_of_rail(context, route):
            continue
        if includes(ip_network(network), needed):
            return f"the route {network} over {route.device}"
    return None


def _is_of_rail(context: CheckContext, route: Route) -> bool:
    """Whether a route leads to this one's next hop: that of another rail fails with its link."""
    return route.device == context.get_intended_value("route.device") and (route.gateway or "") == (
        context.get_intended_value("route.gateway") or ""
    )


def _leads_to_rail(
    context: CheckContext, rule: Rule, routes: Mapping[str, Route], needed: IPv4Network | IPv6Network
) -> bool:
    """Whether the table of a rule has a route to the next hop of this route."""
    for name, route in routes.items():
        table, network = split_route_name(name)
        if (
            table == str(rule.table)
            and _is_of_rail(context, route)
            and (network in ("default", "::/0") or includes(ip_network(network), needed))
        ):
            return True
    return False
