"""Priority-to-traffic-class map of the NIC

The NIC maps each 802.1p priority to the planned traffic class.

Impact:
    RDMA that shares a class with other traffic is not lossless, or its pauses stop the other traffic too.

Fix:
    Set the map, and check that the configuration package applies it when the driver loads (nic.qos-file).

Example:
    $ niccli --dev 1 qos --ets --show
    PRIO_MAP: 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0

Source:
    Broadcom 957608-AN210, 2.6 item 2 and 5.1 question 5
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.qos.priority_tc",)
failures = ("NIC-01",)
causes = ("nic.nvm-dcbx", "nic.nvm-lldp")
check = compare(
    *needs,
    wrong="the NIC maps priorities to the wrong traffic classes",
    fix="set the priority-to-traffic-class map",
)
