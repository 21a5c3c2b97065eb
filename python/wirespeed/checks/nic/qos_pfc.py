"""Priority-based flow control (PFC) of the NIC

The NIC has PFC enabled on exactly the planned priorities.

Impact:
    Without PFC the NIC neither sends nor obeys pauses of the RDMA class: packets are lost under load, and each loss
    causes a retransmission of everything sent after it. PFC on further priorities lets a slow receiver stop other
    traffic.

Fix:
    Set the PFC priorities. If the driver refuses, the firmware controls QoS: see nic.nvm-dcbx.

Example:
    $ niccli --dev 1 qos --ets --show
    PFC enabled: none

Source:
    Broadcom 957608-AN210, 2.6 item 2 and 5.1 question 5
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.wording import format_pfc
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.qos.pfc",)
failures = (
    "NIC-01",
    "QOS-03",
)
causes = ("nic.nvm-dcbx", "nic.nvm-lldp")
check = compare(
    *needs,
    wrong="PFC of the NIC is not enabled for exactly the planned priorities",
    fix="set the PFC priorities",
    labels=format_pfc,
)
