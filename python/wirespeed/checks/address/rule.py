"""Source rule

A packet from the address of each NIC uses the planned routing table: the first rule for that source names it.

Impact:
    On a host with several rails the kernel chooses the interface by destination. Without the rule for the source
    address of a NIC its replies leave through another NIC: the rail works in one direction only.

Fix:
    Apply the rendered network configuration, or add the rule for an immediate effect.

Example:
    $ ip rule
    0:      from all lookup local
    1002:   from 10.1.0.3 lookup 102

Source:
    Broadcom 957608-AN210, 2.4.1 and 2.4.2; https://github.com/NVIDIA/nccl/issues/1348
"""

import re
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from wirespeed.checks.compare import compare
from wirespeed.checks.impact import impact_of_missing_route
from wirespeed.checks.model import CheckContext, Outcome, success
from wirespeed.results.findings import Impact, Status
from wirespeed.settings import Place, Rule

subject = Rule
needs = ("rule.table", "rule.priority", "host.rules", "host.ipv6_rules")
failures = ("OS-05",)
presence = True


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
    """IPv4 and IPv6 rules are read by separate commands: IPv4 rules prove nothing about a missing IPv6 rule."""
    if ":" in context.place.name and not context.is_present():
        context.get_found_value("host.ipv6_rules", Place(context.place.device))
    outcome = _compare_rule(context)
    if outcome.status is not Status.FAIL:
        return outcome
    name, rule = _find_first_rule(context)
    if rule is None or rule.table != context.get_intended_value("rule.table"):
        return outcome
    return success(f"table {rule.table} for packets from this address", f"{name}: table {rule.table}")


def _find_first_rule(context: CheckContext) -> tuple[str, Rule | None]:
    """The rule with the lowest priority that selects by source alone and includes the planned source (ip-rule(8)).

    The local table has no route to other hosts, so that the kernel tries the next rule.
    """
    source = ip_network(context.place.name.removeprefix("from "))
    names: dict[str, Rule] = {
        name: rule
        for name, rule in context.list_members("host.rules", Place(context.place.device)).items()
        if rule.priority is not None and rule.table not in (None, _LOCAL) and _selects(name, source)
    }
    name = min(names, key=lambda name: names[name].priority or 0, default="")
    return name, names.get(name)


_LOCAL = 255  # the kernel's RT_TABLE_LOCAL


def _selects(name: str, source: IPv4Network | IPv6Network) -> bool:
    match = re.fullmatch(r"from (\S+)(?: lookup \S+)?", name)
    if match is None:
        return False
    network = ip_network({"all": "0.0.0.0/0"}.get(match[1], match[1]))
    return network.version == source.version and network.prefixlen <= source.prefixlen and source[0] in network
