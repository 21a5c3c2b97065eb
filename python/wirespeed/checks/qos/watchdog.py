"""PFC watchdog of the switch port

A watchdog looks after the lossless queue, with the planned action and times.

Why it hurts:
    A NIC that pauses without end stops its port, then the ports that send to it, then the fabric. The watchdog
    breaks that chain.

How to fix:
    Set action and times of the watchdog.

Example:
    show priority-flow-control watchdog
    Eth1/1   watchdog: disabled

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, PFC Watchdog
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

over = Port
needs = (
    "port.qos.watchdog.enabled",
    "port.qos.watchdog.action",
    "port.qos.watchdog.detect",
    "port.qos.watchdog.restore",
)
failures = ("SW-08",)
check = compare(
    *needs,
    wrong="the PFC watchdog is not as planned",
    fix="set the PFC watchdog",
)
