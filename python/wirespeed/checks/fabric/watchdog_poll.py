"""Interval of the PFC watchdog

The switch looks for stuck queues as often as planned.

Why it hurts:
    A queue is seen to be stuck only when the watchdog looks: an interval longer than the detection time makes that
    time meaningless.

How to fix:
    Set the polling interval, at most half of the shorter of detection and restoration time.

Example:
    $ show priority-flow-control watchdog
    Polling Interval:   : 1000

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, PFC Watchdog
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

over = Switch
needs = ("switch.watchdog_poll",)
failures = ("SW-08",)
check = compare(*needs, wrong="the watchdog looks at another interval", fix="set the polling interval")
