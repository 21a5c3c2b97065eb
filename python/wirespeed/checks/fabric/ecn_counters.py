"""Counters of marked packets of the switch

The counters of marked packets (ECN) are enabled on the switch, on a chip that needs this besides the queues' counters,
and the hardware counts.

Impact:
    Traffic is not affected. Without the counters it is not visible whether the switch marks, and at which queue
    congestion is.

Fix:
    Enable the counters of marked packets. If they are enabled, but not up, other counter features may use the counter
    resources of the chip.

Example:
    hardware counter feature ecn out

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA: on 7280R, 7500R and 7800R
"""

from wirespeed.checks.model import CheckContext, Outcome, UnreadError, success, warning
from wirespeed.results.findings import Fix
from wirespeed.settings import Switch

subject = Switch
_PATH, _STATE = "switch.ecn_counters", "switch.ecn_counters_up"
needs = (_PATH, _STATE)
failures = ("QOS-09",)


def check(context: CheckContext) -> Outcome:
    """Missing counters only warn: no packet is treated differently. Older releases do not print the state."""
    intended = context.get_intended_value(_PATH)
    is_enabled = context.get_found_value(_PATH)
    if is_enabled and intended and _is_down(context):
        fix = Fix("free counter resources of the chip: remove another counter feature that it lists")
        return warning(
            "the counters of marked packets are enabled, but not up in the hardware",
            "up",
            "not up",
            fix,
            reason="traffic is not affected",
        )
    if is_enabled or not intended:
        return success("marked packets are counted", "counted")
    return warning(
        "the switch does not count the packets that it marks",
        "counted",
        "not counted",
        context.build_change("enable the counters of marked packets", _PATH, intended),
        reason="traffic is not affected",
    )


def _is_down(context: CheckContext) -> bool:
    try:
        return context.get_found_value(_STATE) is False
    except UnreadError:
        return False
