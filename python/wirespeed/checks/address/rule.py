"""Source rule

A packet from the address of each NIC to other hosts uses the planned routing table. No rule with a lower priority
number matches such a packet (from all, from a wider network, to the address of another host) and sends it to another
table or drops it.

Impact:
    On a host with several rails the kernel chooses the interface by destination. Without the rule for the source
    address of a NIC its replies leave through another NIC: the rail works in one direction only.
    If another rule comes first, such as one from an earlier configuration, all rails leave through its NIC.

Fix:
    Apply the rendered network configuration, or add the rule for an immediate effect. Remove a rule that comes
    before it, also from the file that configures it.

Example:
    $ ip rule
    0:      from all lookup local
    1002:   from 10.1.0.3 lookup 102

Source:
    Broadcom 957608-AN210, 2.4.1 and 2.4.2; https://github.com/NVIDIA/nccl/issues/1348
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from ipaddress import ip_network
from typing import Any

from wirespeed.checks.compare import compare
from wirespeed.checks.impact import impact_of_missing_route
from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.checks.peers import find_nic_of_rule
from wirespeed.checks.routing_policy import (
    Address,
    Packet,
    RoutingTables,
    find_deciding_rule,
    find_jump_over,
    find_removed_rule,
    list_selecting_rules,
)
from wirespeed.results.findings import Fix, Impact, Status
from wirespeed.settings import Place, Rule, split_route_name

subject = Rule
needs = ("rule.table", "rule.priority", "host.rules", "host.ipv6_rules", "host.routes", "host.ipv6_routes")
failures = ("OS-05",)
causes = ("nic.presence",)
presence = True

_EXPECTED_ORDER = "the planned rule for the source address comes first"
"""Without address and table: reports list the NICs that one wrong rule affects as one finding."""


def _estimate_impact(context: CheckContext, intended: Any, found: Any) -> Impact | None:
    """Without its rule a source address has no routing table; a rule with another priority may still work.

    The main table sends it by its route of the lowest metric, which is right for one of the NICs.
    """
    address = context.place.name.removeprefix("from ").partition("/")[0]
    if found is not None or address == _find_source_of_main_table(context):
        return None
    return impact_of_missing_route(context, address)


def _find_source_of_main_table(context: CheckContext) -> str | None:
    """The source address of the planned route to the other rails in the main table, of several that with the lowest
    metric."""
    routes = [
        route
        for name, route in context.plan.hosts[context.place.device].routes.items()
        if split_route_name(name)[0] == _MAIN_TABLE and route.gateway is not None
    ]
    first = min(routes, key=lambda route: route.metric or 0, default=None)
    return first.source if first is not None else None


_MAIN_TABLE = "254"  # ip-rule(8)


_compare_rule = compare(
    "rule.table",
    "rule.priority",
    wrong="the source routing rule is not as planned",
    fix="set the source routing rule",
    impact=_estimate_impact,
)


def check(context: CheckContext) -> Outcome:
    """systemd-networkd adds the rules of an interface with it."""
    place = context.place
    name = find_nic_of_rule(context.plan, place.device, place.name)
    return replace(_check_rule(context), cause_place=Place(place.device).child("nic", name) if name else None)


def _check_rule(context: CheckContext) -> Outcome:
    """IPv4 and IPv6 rules are read by separate commands: IPv4 rules prove nothing about a missing IPv6 rule."""
    if ":" in context.place.name and not context.is_present():
        context.get_found_value("host.ipv6_rules", Place(context.place.device))
    outcome = _compare_rule(context)
    table = context.get_intended_value("rule.table")
    rules = context.list_members("host.rules", Place(context.place.device))
    packet, name, rule = _find_first_rule(context, rules, table)
    if rule is not None and rule.table == table:
        found = f"{name}: table {rule.table}"
        is_planned = outcome.status is Status.PASS
        return outcome if is_planned else success(f"table {table} for packets from this address", found)
    if not context.is_present():
        return _add_removals(context, rules, outcome)
    if rule is None or packet is None or name == context.place.name:
        return outcome
    earlier = list(_list_earlier_rules(context, rules))
    if not earlier:
        return outcome
    return failure(
        "another routing rule comes before the planned one",
        _EXPECTED_ORDER,
        _describe_order(*earlier[0]),
        *_list_removals(rules, context, earlier),
    )


def _add_removals(context: CheckContext, rules: Mapping[str, Rule], outcome: Outcome) -> Outcome:
    """The outcome of an absent rule. A rule that comes first would still decide after the planned one was added."""
    planned = Rule(table=context.get_intended_value("rule.table"), priority=context.get_intended_value("rule.priority"))
    earlier = list(_list_earlier_rules(context, {**rules, context.place.name: planned}))
    if not earlier:
        return outcome
    removals = _list_removals(rules, context, earlier)
    return replace(outcome, found=f"absent; {_describe_order(*earlier[0])}", fix=(*removals, *outcome.fix))


def _list_earlier_rules(context: CheckContext, rules: Mapping[str, Rule]) -> Iterator[tuple[str, Rule]]:
    """Rules to remove, first to last, until the planned rule decides."""
    remaining = dict(rules)
    table = context.get_intended_value("rule.table")
    while (blocker := _find_earlier_rule(context, remaining, table)) is not None:
        yield blocker
        del remaining[blocker[0]]


def _find_earlier_rule(context: CheckContext, rules: Mapping[str, Rule], table: int) -> tuple[str, Rule] | None:
    """The rule that decides before the planned one, or by which the kernel passes over it with ``goto``."""
    packet, name, rule = _find_first_rule(context, rules, table)
    if packet is None or rule is None or rule.table == table or name == context.place.name:
        return None
    jump = _find_jump(context, rules, packet)
    if jump is not None and (jump[0] == name or not _is_earlier(context, rule)):
        return jump
    return (name, rule) if _is_earlier(context, rule) else None


def _find_jump(context: CheckContext, rules: Mapping[str, Rule], packet: Packet) -> tuple[str, Rule] | None:
    """The rule with ``goto`` by which the kernel passes over the planned rule."""
    return find_jump_over(rules, packet, int(context.get_intended_value("rule.priority")))


def _describe_order(name: str, rule: Rule) -> str:
    if " goto " in f" {name} ":
        return f"rule {rule.priority} ({name}) comes first and passes over the planned rule"
    table = "" if rule.table is None else f" and sends packets to table {rule.table}"
    return f"rule {rule.priority} ({name}) comes first{table}"


def _list_removals(
    rules: Mapping[str, Rule], context: CheckContext, earlier: Iterable[tuple[str, Rule]]
) -> Iterator[Fix]:
    """The removal of each rule, with a command if the kernel removes this rule and no other."""
    host = Place(context.place.device)
    remaining = dict(rules)
    for name, rule in earlier:
        sentence = (
            f"remove the routing rule of priority {rule.priority} ({name}), also from the file that configures it"
        )
        if rule.priority is not None and find_removed_rule(remaining, name) == name:
            yield context.build_removal(sentence, host.child("rule", name), "rule.priority", rule.priority)
        else:
            yield Fix(sentence)
        del remaining[name]


def _is_earlier(context: CheckContext, rule: Rule) -> bool:
    return (rule.priority or 0) <= int(context.get_intended_value("rule.priority"))


def _find_first_rule(
    context: CheckContext, rules: Mapping[str, Rule], table: int
) -> tuple[Packet | None, str, Rule | None]:
    """The first rule that leads packets to another planned host elsewhere, else the first one with the table."""
    host = Place(context.place.device)
    source = ip_network(context.place.name.removeprefix("from "))[0]
    interface = find_nic_of_rule(context.plan, host.device, context.place.name) or ""
    first_names = list(list_selecting_rules(rules, source, interface))
    planned = next((member for member in first_names if member[1].table == table and " to " not in member[0]), None)
    if planned is not None and planned != first_names[0]:
        if source.version == 6:
            context.get_found_value("host.ipv6_routes", host)
        tables = RoutingTables(context.list_members("host.routes", host))
        for destination in _list_destinations(context, table, source):
            packet = Packet(source, destination, interface)
            deciding = find_deciding_rule(rules, tables, packet, table)
            if deciding is None:  # a jump behind the last route
                deciding = _find_jump(context, rules, packet)
            if deciding is not None and deciding[1].table != table:
                return packet, *deciding
    return (None, "", None) if planned is None else (None, *planned)


def _list_destinations(context: CheckContext, table: int, source: Address) -> Iterator[Address]:
    """Addresses of other hosts with source rules to which the planned table has a route."""
    names = (split_route_name(name) for name in context.plan.hosts[context.place.device].routes)
    networks = [network for number, network in names if number == str(table)]
    for device, host in context.plan.hosts.items():
        for name in host.rules if device != context.place.device else ():
            address = ip_network(name.removeprefix("from "))[0]
            if address.version == source.version and any(
                network in ("default", "::/0") or address in ip_network(network) for network in networks
            ):
                yield address
