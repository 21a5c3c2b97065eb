"""Classification of the NIC

The NIC classifies packets by the planned header field, and takes its QoS configuration from the host.

Impact:
    Untagged RDMA packets have no 802.1p priority. A NIC that trusts 802.1p puts them into the default class, which is
    lossy. A NIC that takes its QoS from the switch (DCBX willing) discards the settings of the host.

Fix:
    Set the trust of the NIC to the planned field, and DCBX to the host.

Example:
    $ mlnx_qos -i eth1
    DCBX mode: OS controlled
    Priority trust state: pcp

Source:
    NVIDIA MLNX_OFED, mlnx_qos, trust state; Linux, dcb-app(8) and dcb-dcbx(8)
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.qos.trust", "nic.qos.willing")
failures = ("QOS-02", "NIC-01")
check = compare(
    *needs,
    wrong="the NIC does not classify as planned",
    fix="set the classification of the NIC",
)
