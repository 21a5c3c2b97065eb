"""Trust of the switch port

The port classifies packets by their DSCP.

Why it hurts:
    Untagged frames have no 802.1p priority. A port that trusts that field puts RDMA into the default class, which
    is lossy.

How to fix:
    Let the port trust DSCP.

Example:
    show qos interfaces trust
    Ethernet1/1   COS   UNTRUSTED

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, Configuration and Verification of PFC
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

over = Port
needs = ("port.qos.trust",)
failures = ("QOS-02",)
check = compare(
    *needs,
    wrong="the port does not classify by DSCP",
    fix="let the port trust DSCP",
)
