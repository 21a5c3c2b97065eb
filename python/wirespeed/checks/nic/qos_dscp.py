"""DSCP-to-priority map of the NIC

The NIC maps the DSCPs of RDMA data and congestion notifications to the planned priorities, and DSCP 0, which packets
without a mark have, to none of them.

Impact:
    A packet whose DSCP is not mapped gets the default priority, which is lossy. Ordinary packets with the priority of
    RDMA take part of its share, and are stopped by its pauses.

Fix:
    Set the DSCP-to-priority map.

Example:
    $ niccli --dev 1 qos --listmap --dscp2prio
    priority:3  dscp: 26

Source:
    Broadcom 957608-AN210, 2.5 and 2.6 item 2; RFC 2474, 4.1
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome, failure
from wirespeed.checks.queue_mapping import BEST_EFFORT
from wirespeed.checks.wording import format_numbers
from wirespeed.results.findings import Status
from wirespeed.settings import Nic, Priority

subject = Nic
needs = ("nic.qos.dscp_priority",)
failures = ("QOS-01",)
causes = ("nic.nvm-dcbx", "nic.nvm-lldp")
_compare = compare(
    *needs,
    wrong="the NIC maps DSCPs to the wrong priorities",
    fix="set the DSCP-to-priority map",
    labels=format_numbers,
)


def check(context: CheckContext) -> Outcome:
    """Of other DSCPs only that of unmarked packets counts: drivers map the rest by default, and no host sends it."""
    outcome = _compare(context)
    if outcome.status is not Status.PASS or BEST_EFFORT in context.entity.qos.dscp_priority:
        return outcome
    priority = context.get_found_value(needs[0]).get(BEST_EFFORT)
    classes = context.plan.classes.values()
    class_ = next(
        (class_ for class_ in classes if (class_.lossless or class_.strict) and class_.priority == priority), None
    )
    if class_ is None or BEST_EFFORT in class_.dscp:
        return outcome
    default = next((ordinary.priority for ordinary in classes if BEST_EFFORT in ordinary.dscp), Priority(0))
    return failure(
        f"packets without a mark have the priority of class {class_.name}",
        f"DSCP 0 with priority {int(default)}",
        f"DSCP 0 with priority {int(class_.priority)}",
        context.build_change("set the DSCP-to-priority map", needs[0], {BEST_EFFORT: default}),
    )
