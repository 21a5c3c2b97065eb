"""Source rule

Every planned routing rule is there, with its table and priority.

Why it hurts:
    On a host with several rails the kernel chooses the interface by destination. Without the rule for a NIC's own
    address its replies leave through another NIC: the rail works in one direction, or only with itself.

How to fix:
    Apply the rendered network configuration; to act at once, add the rule.

Example:
    $ ip rule
    0:      from all lookup local
    1002:   from 10.1.0.3 lookup 102

Source:
    Broadcom 957608-AN210, 2.4.1 and 2.4.2; https://github.com/NVIDIA/nccl/issues/1348
"""

from typing import Any

from wirespeed.checks.compare import compare
from wirespeed.checks.cost import no_route
from wirespeed.checks.model import Here, Outcome
from wirespeed.results.findings import Cost
from wirespeed.settings import Place, Rule

over = Rule
needs = ("rule.table", "rule.priority", "host.rules", "host.ipv6_rules")
failures = ("OS-05",)
presence = True


def _cost(here: Here, intended: Any, found: Any) -> Cost | None:
    """Without its rule a source address finds no table; a rule at another priority may do as well."""
    if found is not None:
        return None
    return no_route(here, here.place.name.removeprefix("from ").partition("/")[0])


_compared = compare(
    "rule.table",
    "rule.priority",
    wrong="the source rule is not as planned",
    fix="set the source rule",
    cost=_cost,
)


def check(here: Here) -> Outcome:
    """IPv4 and IPv6 are asked for apart: of an IPv6 rule that is not seen, the IPv4 rules say nothing."""
    if ":" in here.place.name and not here.exists():
        here.found("host.ipv6_rules", Place(here.place.device))
    return _compared(here)
