"""QoS trust of the switch port

The port classifies packets by their DSCP.

Impact:
    Untagged frames have no 802.1p priority. A port that trusts 802.1p maps RDMA to the default class, which is lossy.

Fix:
    Set the port to trust DSCP.

Example:
    show qos interfaces trust
    Ethernet1/1   COS   UNTRUSTED

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, Configuration and Verification of PFC
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

subject = Port
needs = ("port.qos.trust",)
failures = ("QOS-02",)
check = compare(
    *needs,
    wrong="the port does not classify by DSCP",
    fix="set the port to trust DSCP",
)
