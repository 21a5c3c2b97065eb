"""ECN marking on the queue

The queue marks packets of ECN-capable traffic between the planned thresholds, with the planned probability.

Impact:
    ECN marks slow senders down before PFC stops them. Without marks, or with thresholds too high, only PFC acts, and it
    also stops traffic that does not cause the congestion. With thresholds too low the link is not fully used.

Fix:
    Bind the ECN profile to the queue, and set its thresholds.

Example:
    queue 3
      (no wred-policy)

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, Configuration and Verification of ECN
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Queue, list_group_settings

subject = Queue
_settings = list_group_settings(Queue, "queue.ecn")
needs = (*_settings, "port.queues")
failures = ("QOS-08", "QOS-09")
presence = True
check = compare(
    *_settings,
    wrong="ECN marking of the queue is not as planned",
    fix="set ECN marking of the queue",
)
