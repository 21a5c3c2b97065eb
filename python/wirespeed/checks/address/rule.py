"""Source rule

Every planned source routing rule exists, with its table and priority.

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

from typing import Any

from wirespeed.checks.compare import compare
from wirespeed.checks.impact import impact_of_missing_route
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.results.findings import Impact
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
    return _compare_rule(context)
