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

from collections.abc import Iterator
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
    """Without its rule a source address has no routing table; a rule with another priority may still work."""
    if found is not None:
        return None
    return impact_of_missing_route(context, context.place.name.removeprefix("from ").partition("/")[0])


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
    packet, name, rule = _find_first_rule(context, table)
    if rule is None:
        return outcome
    if rule.table == table:
        found = f"{name}: table {rule.table}"
        is_planned = outcome.status is Status.PASS
        return outcome if is_planned else success(f"table {table} for packets from this address", found)
    if packet is None or name == context.place.name or not context.is_present():
        return outcome
    jump = _find_jump(context, packet)
    if jump is not None and (jump[0] == name or not _is_earlier(context, rule)):
        return _report_jump(context, *jump)
    if not _is_earlier(context, rule):
        return outcome
    return failure(
        "another routing rule comes before the planned one",
        _EXPECTED_ORDER,
        f"rule {rule.priority} ({name}) comes first"
        + ("" if rule.table is None else f" and sends packets to table {rule.table}"),
        _build_removal(context, name, rule),
    )


def _find_jump(context: CheckContext, packet: Packet) -> tuple[str, Rule] | None:
    """The rule with ``goto`` by which the kernel passes over the planned rule."""
    rules = context.list_members("host.rules", Place(context.place.device))
    return find_jump_over(rules, packet, int(context.get_intended_value("rule.priority")))


def _report_jump(context: CheckContext, name: str, rule: Rule) -> Outcome:
    return failure(
        "another routing rule comes before the planned one",
        _EXPECTED_ORDER,
        f"rule {rule.priority} ({name}) comes first and passes over the planned rule",
        _build_removal(context, name, rule),
    )


def _build_removal(context: CheckContext, name: str, rule: Rule) -> Fix:
    """The removal of a rule, with a command if no other rule of the IP version has its priority."""
    host = Place(context.place.device)
    sentence = f"remove the routing rule of priority {rule.priority} ({name}), also from the file that configures it"
    rules = context.list_members("host.rules", host)
    names = [key for key in rules if rules[key].priority == rule.priority and (":" in key) == (":" in name)]
    if rule.priority is None or len(names) > 1:
        return Fix(sentence)
    return context.build_removal(sentence, host.child("rule", name), "rule.priority", rule.priority)


def _is_earlier(context: CheckContext, rule: Rule) -> bool:
    return (rule.priority or 0) <= int(context.get_intended_value("rule.priority"))


def _find_first_rule(context: CheckContext, table: int) -> tuple[Packet | None, str, Rule | None]:
    """The first rule that leads packets to another planned host elsewhere, else the first one with the table."""
    host = Place(context.place.device)
    source = ip_network(context.place.name.removeprefix("from "))[0]
    interface = find_nic_of_rule(context.plan, host.device, context.place.name) or ""
    rules = context.list_members("host.rules", host)
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
                deciding = _find_jump(context, packet)
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
