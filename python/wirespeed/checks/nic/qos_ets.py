"""Scheduling (ETS) of the NIC

Each traffic class of the NIC is scheduled as planned: strict priority, or its share of the bandwidth.

Impact:
    When other traffic uses the port, RDMA gets no more than its share. A congestion notification without strict
    priority arrives too late.

Fix:
    Set the scheduling and the share of each class.

Example:
    $ niccli --dev 1 qos --ets --show
    TC Bandwidth: 90% 10% 0%

Source:
    Broadcom 957608-AN210, 2.2.1.3 and 2.6 item 2
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = (
    "nic.qos.tc_discipline",
    "nic.qos.tc_share",
)
failures = ("QOS-06",)
causes = ("nic.nvm-dcbx", "nic.nvm-lldp")
check = compare(
    *needs,
    wrong="the scheduling of the NIC's traffic classes is not as planned",
    fix="set scheduling and share of the traffic classes",
)
