"""Counter of marked packets of the queue

The queue counts the packets that it marks (ECN), on a system where this is configured.

Impact:
    Traffic is not affected. Without the counter it is not visible whether the queue marks.

Fix:
    Enable the counter of the queue.

Example:
    uc-tx-queue 3
       random-detect ecn count

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA; aristanetworks/avd, eos_cli_config_gen
"""

from wirespeed.checks.model import CheckContext, Outcome, success, warning
from wirespeed.settings import Queue

subject = Queue
_PATH = "queue.ecn_counter"
needs = (_PATH,)
failures = ("QOS-09",)


def check(context: CheckContext) -> Outcome:
    """A missing counter only warns: no packet is treated differently."""
    intended = context.get_intended_value(_PATH)
    if context.get_found_value(_PATH) or not intended:
        return success("marked packets are counted", "counted")
    return warning(
        "the queue does not count the packets that it marks",
        "counted",
        "not counted",
        context.build_change("enable the counter of the queue", _PATH, intended),
        reason="traffic is not affected",
    )
