"""Next hop to other hosts

No route that the plan lacks takes packets to other hosts away from their rail: packets from the address of a NIC leave
by this NIC, through the planned gateway, and none is dropped by a blackhole, unreachable, prohibit or throw route.

Impact:
    The kernel prefers the longest prefix, and of equal prefixes the lowest metric: one forgotten route in the table of
    a rail takes precedence over the planned one. Connections to the hosts in it leave by another NIC, or fail at once
    with "Invalid argument" (blackhole), "No route to host" (unreachable) or "Permission denied" (prohibit). A route
    throw ends the search in the table: the next rule decides, often for the management interface. Such a route in the
    main table affects only packets without a source address: RDMA libraries always set a source address.

Fix:
    Remove the route, also from the file or the daemon that configures it.

Example:
    $ ip route get 10.1.0.17 from 10.1.0.1
    RTNETLINK answers: Invalid argument
    $ ip route show table 101
    default via 10.1.0.0 dev enp29s0np0 src 10.1.0.1
    blackhole 10.1.0.16/31

Source:
    ip-route(8), ip-rule(8); Linux, net/ipv4/fib_trie.c, fib_table_lookup, and net/ipv4/fib_semantics.c, fib_props
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_interface

from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, failure, success
from wirespeed.checks.routing_policy import (
    LOCAL,
    Address,
    Decision,
    Packet,
    RouteEntry,
    RoutingTables,
    find_decision,
)
from wirespeed.errors import format_first
from wirespeed.results.findings import Status
from wirespeed.settings import Host, Nic, Place, Route, Rule

subject = Nic
needs = (
    *("host.rules", "host.routes", "host.ipv6_rules", "host.ipv6_routes"),
    *("route.device", "route.gateway", "route.type"),
)
failures = ("OS-05",)
_MAIN = 254  # table of packets without a source address
_UNSPECIFIED = {4: ip_address("0.0.0.0"), 6: ip_address("::")}
_WITHOUT_SOURCE = "only packets without a source address use it, and RDMA libraries always set a source address"
_ONE_HOP_MORE = "packets to other hosts of the rail take one hop more, through the gateway"


@dataclass(frozen=True, slots=True)
class _Traffic:
    """Packets of one kind: their source, the table of their planned route, and the rail of their destinations."""

    source: Address
    interface: str
    table: int
    rail: int | None  # None: any

    @property
    def has_source(self) -> bool:
        """Whether a program chose the source address."""
        return not self.source.is_unspecified


@dataclass(frozen=True, slots=True)
class _Diversion:
    """Destinations that one route takes away from their planned one; the next hop of the first of them."""

    entry: RouteEntry
    decision: Decision
    expected: Route
    destinations: list[tuple[str, Address]]
    takes_one_hop_more: bool


def check(context: CheckContext) -> Outcome:
    """Packets from the address of the NIC; then packets without a source address to the same rail of other hosts."""
    rail = context.get_intended_value("nic.rail")
    host = context.plan.hosts[context.place.device]
    traffic = list(_list_traffic(context, host, rail))
    if not traffic:
        raise NoIntentError("no routing table is planned for the address of the NIC")
    for packets in traffic:
        if diversions := _find_diversions(context, host, packets):
            return _describe(context, packets, diversions, len(_list_destinations(context, packets)))
    table = RoutingTables(host.routes).list_entries(traffic[0].table, traffic[0].source.version)
    next_hops = "; ".join(f"{_format_next_hop(entry.route)} to {entry.network}" for entry in table)
    return success(next_hops, "no other route takes precedence")


def _list_traffic(context: CheckContext, host: Host, rail: int) -> Iterator[_Traffic]:
    for entry in host.nics[context.place.name].addresses or ():
        source = ip_interface(entry).ip
        rule = host.rules.get(f"from {source}/{source.max_prefixlen}")
        if rule is None or rule.table is None:
            continue
        yield _Traffic(source, context.place.name, rule.table, None)
        yield _Traffic(_UNSPECIFIED[source.version], "", _MAIN, rail)


def _list_destinations(context: CheckContext, traffic: _Traffic) -> list[tuple[str, Address]]:
    """Host and address of the NICs of other hosts to which such packets go."""
    return [
        (name, address)
        for name, host in context.plan.hosts.items()
        if name != context.place.device
        for nic in host.nics.values()
        if nic.rail is not None and traffic.rail in (None, nic.rail)
        for address in (ip_interface(entry).ip for entry in nic.addresses or ())
        if address.version == traffic.source.version
    ]


def _find_diversions(context: CheckContext, host: Host, traffic: _Traffic) -> list[_Diversion]:
    rules, found_tables = _read_routing(context, traffic.source.version)
    planned_routes = {**host.routes, **_list_connected_routes(host)}
    unplanned = [
        entry
        for table in (LOCAL, traffic.table)
        for entry in _list_unplanned(found_tables.list_entries(table, traffic.source.version), planned_routes)
    ]
    planned_tables = RoutingTables(planned_routes)
    diversions: dict[str, _Diversion] = {}
    for destination in _list_destinations(context, traffic) if unplanned else ():
        address = destination[1]
        expected = planned_tables.find(traffic.table, address)
        if expected is None or not any(address in entry.network for entry in unplanned):
            continue
        decision = find_decision(rules, found_tables, Packet(traffic.source, address, traffic.interface))
        entry = next((entry for entry in (*decision.throws, decision.entry) if entry in unplanned), None)
        if entry is None or _leads_to(decision, expected.route):
            continue
        if not traffic.has_source and expected.network not in {
            found.network for found in found_tables.list_entries(_MAIN, address.version) if found not in unplanned
        }:
            continue  # address.route has the missing one
        if entry.name not in diversions:
            takes_one_hop_more = _takes_one_hop_more(decision, expected.route, planned_tables, traffic)
            diversions[entry.name] = _Diversion(entry, decision, expected.route, [], takes_one_hop_more)
        diversions[entry.name].destinations.append(destination)
    for diversion in diversions.values():
        place = Place(context.place.device).child("route", diversion.entry.name)
        context.get_found_value("route.device" if diversion.entry.route.type is None else "route.type", place)
    return list(diversions.values())


def _read_routing(context: CheckContext, version: int) -> tuple[Mapping[str, Rule], RoutingTables]:
    """IPv4 and IPv6 rules and routes are read by separate commands: those of one prove nothing about the other."""
    host = Place(context.place.device)
    if version == 6:
        context.get_found_value("host.ipv6_rules", host)
        context.get_found_value("host.ipv6_routes", host)
    return context.list_members("host.rules", host), RoutingTables(context.list_members("host.routes", host))


def _list_connected_routes(host: Host) -> dict[str, Route]:
    """Routes of the main table that the kernel adds for the addresses of the NICs."""
    return {
        f"{_MAIN} {ip_interface(address).network}": Route(interface, "")
        for interface, nic in host.nics.items()
        for address in nic.addresses or ()
    }


def _list_unplanned(entries: Sequence[RouteEntry], planned: Mapping[str, Route]) -> Iterator[RouteEntry]:
    """Routes that the plan lacks, but for those behind a planned one of the same destination."""
    planned_networks = set()
    for entry in entries:
        if entry.name in planned:
            planned_networks.add(entry.network)
        elif entry.network not in planned_networks:
            yield entry


def _leads_to(decision: Decision, expected: Route) -> bool:
    route = None if decision.entry is None else decision.entry.route
    return (
        route is not None
        and route.type is None
        and route.device == expected.device
        and (route.gateway or "") == (expected.gateway or "")
    )


def _takes_one_hop_more(decision: Decision, expected: Route, planned: RoutingTables, traffic: _Traffic) -> bool:
    """Whether packets of the same subnet go through the planned gateway of the rail."""
    if expected.gateway:
        return False
    entries = planned.list_entries(traffic.table, traffic.source.version)
    return any(entry.route.gateway and _leads_to(decision, entry.route) for entry in entries)


def _describe(context: CheckContext, traffic: _Traffic, diversions: Sequence[_Diversion], total: int) -> Outcome:
    first = diversions[0]
    source = f"from {traffic.source}" if traffic.has_source else "without a source address"
    lines = [
        f"{_format_decision(diversion)}: {len(diversion.destinations)} of {total} planned addresses, "
        + format_first([f"{address} ({host})" for host, address in diversion.destinations], 3)
        for diversion in diversions
    ]
    is_dropped = any(_drops(diversion) for diversion in diversions)
    outcome = failure(
        "a route drops packets to other hosts" if is_dropped else "an unplanned route takes precedence",
        f"{_format_next_hop(first.expected)} to {first.destinations[0][1]} {source}",
        "; ".join(lines),
        *(
            context.build_removal(
                f"remove the {_format_route(diversion.entry)}, also from the file that configures it",
                Place(context.place.device).child("route", diversion.entry.name),
                "route.metric",
                diversion.entry.route.metric or 0,
            )
            for diversion in diversions
        ),
    )
    if not traffic.has_source:
        return replace(outcome, status=Status.WARN, warning_reasons=(_WITHOUT_SOURCE,))
    if all(diversion.takes_one_hop_more for diversion in diversions):
        return replace(outcome, status=Status.WARN, warning_reasons=(_ONE_HOP_MORE,))
    return outcome


def _drops(diversion: _Diversion) -> bool:
    entry = diversion.decision.entry
    return entry is None or entry.route.type is not None


def _format_decision(diversion: _Diversion) -> str:
    entry = diversion.entry
    if entry.route.type != "throw":
        return f"{entry.route.type or _format_next_hop(entry.route)} by {_format_route(entry)}"
    decided = diversion.decision.entry
    result = "no route" if decided is None else decided.route.type or _format_next_hop(decided.route)
    origin = "" if decided is None else f" by {_format_route(decided)}"
    return f"throw by {_format_route(entry)}, then {result}{origin}"


def _format_next_hop(route: Route) -> str:
    return f"{route.device} via {route.gateway}" if route.gateway else f"{route.device} directly"


def _format_route(entry: RouteEntry) -> str:
    return f"route {entry.network} of table {entry.table}"
