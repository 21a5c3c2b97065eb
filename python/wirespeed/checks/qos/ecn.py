"""ECN marking on the queue

The queue marks packets of ECN-capable traffic between the planned thresholds, with the planned probability.

Why it hurts:
    Marks tell senders to slow down before PFC must stop them. Without them, or with thresholds too high, PFC does
    all the work and stops traffic that is not the cause; with thresholds too low the link is not filled.

How to fix:
    Bind the marking profile to the queue, and set its thresholds.

Example:
    queue 3
      (no wred-policy)

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, Configuration and Verification of ECN
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Queue, group_of

over = Queue
_settings = group_of(Queue, "queue.ecn")
needs = (*_settings, "port.queues")
failures = ("QOS-08", "QOS-09")
presence = True
check = compare(
    *_settings,
    wrong="the queue does not mark as planned",
    fix="set ECN marking of the queue",
)
