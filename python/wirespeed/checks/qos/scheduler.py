"""Scheduling of the queue

The queue is served as planned: strictly, or with its share of what strict queues leave.

Why it hurts:
    A RDMA queue without its share starves under other traffic; a queue that is strict by mistake starves the
    others.

How to fix:
    Set discipline and weight of the queue.

Example:
    queue 3
      type dwrr
      weight 10

Source:
    Broadcom 957608-AN210, 2.5
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Queue

over = Queue
needs = (
    "queue.discipline",
    "queue.weight",
)
failures = ("QOS-06",)
check = compare(
    *needs,
    wrong="the queue is served otherwise",
    fix="set discipline and weight of the queue",
)
