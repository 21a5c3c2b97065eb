"""Scheduling of the queue

The queue is scheduled as planned: strict priority, or its share of the bandwidth that strict queues leave.

Impact:
    An RDMA queue without its share starves under other traffic. A queue that is strict by mistake starves the others.

Fix:
    Set scheduling and weight of the queue.

Example:
    queue 3
      type dwrr
      weight 10

Source:
    Broadcom 957608-AN210, 2.5
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Queue

subject = Queue
needs = (
    "queue.discipline",
    "queue.weight",
)
failures = ("QOS-06",)
check = compare(
    *needs,
    wrong="the scheduling of the queue is not as planned",
    fix="set scheduling and weight of the queue",
    labels={"dwrr": "DWRR", "strict": "strict priority"},
    all_expected=True,
)
