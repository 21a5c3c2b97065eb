"""Bandwidth shares of the NIC

Each traffic class of the NIC is served as planned: strictly, or with its share of the bandwidth.

Why it hurts:
    When other traffic uses the port, RDMA gets its share and no more; a congestion notification that is not served
    first comes too late.

How to fix:
    Set discipline and share of each class.

Example:
    $ niccli --dev 1 qos --ets --show
    TC Bandwidth: 90% 10% 0%

Source:
    Broadcom 957608-AN210, 2.2.1.3 and 2.6 item 2
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

over = Nic
needs = (
    "nic.qos.tc_discipline",
    "nic.qos.tc_share",
)
failures = ("QOS-06",)
check = compare(
    *needs,
    wrong="traffic classes of the NIC are served otherwise",
    fix="set discipline and share of the traffic classes",
)
