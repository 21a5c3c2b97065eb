"""PFC watchdog of the switch port

The PFC watchdog is on for the lossless queue, with the planned action and times.

Impact:
    A NIC that sends pauses without end stops its switch port, then the ports that send to it, then the fabric. The
    watchdog stops this propagation.

Fix:
    Set action and times of the watchdog.

Example:
    $ show priority-flow-control watchdog
    Eth1/1   watchdog: disabled

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, PFC Watchdog
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

subject = Port
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
