"""Polling interval of the PFC watchdog

The switch polls for stuck queues at the planned interval.

Impact:
    The watchdog detects a stuck queue only when it polls: with an interval longer than the detection time, the
    detection time has no meaning.

Fix:
    Set the polling interval, at most half of the detection time or the restoration time, whichever is shorter.

Example:
    $ show priority-flow-control watchdog
    Polling Interval:   : 1000

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, PFC Watchdog
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

subject = Switch
needs = ("switch.watchdog_poll",)
failures = ("SW-08",)
check = compare(
    *needs,
    wrong="the polling interval of the watchdog is not as planned",
    fix="set the polling interval",
    configured=True,
)
