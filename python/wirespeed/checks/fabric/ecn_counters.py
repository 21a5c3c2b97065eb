"""Counters of marked packets of the switch

The counters of marked packets (ECN) are enabled on the switch, on a chip that needs this besides the queues' counters.

Impact:
    Traffic is not affected. Without the counters it is not visible whether the switch marks, and at which queue
    congestion is.

Fix:
    Enable the counters of marked packets.

Example:
    hardware counter feature ecn out

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA: on 7280R, 7500R and 7800R
"""

from wirespeed.checks.model import CheckContext, Outcome, success, warning
from wirespeed.settings import Switch

subject = Switch
_PATH = "switch.ecn_counters"
needs = (_PATH,)
failures = ("QOS-09",)


def check(context: CheckContext) -> Outcome:
    """Missing counters only warn: no packet is treated differently."""
    intended = context.get_intended_value(_PATH)
    if context.get_found_value(_PATH) or not intended:
        return success("marked packets are counted", "counted")
    return warning(
        "the switch does not count the packets that it marks",
        "counted",
        "not counted",
        context.build_change("enable the counters of marked packets", _PATH, intended),
        reason="traffic is not affected",
    )
