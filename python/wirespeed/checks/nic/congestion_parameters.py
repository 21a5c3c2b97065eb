"""Parameters of the NIC's congestion control

The parameters of congestion control that the cluster file sets have these values in the NIC.

Impact:
    Senders reduce their rate more or less than planned, or recover at another pace, and NICs with other values share a
    bottleneck unequally.

Fix:
    Write the planned value. The driver forgets it at its next load; the service of the rendered files writes it again.
    The kernel's own driver has only some of the parameters: for the others, install the NIC vendor's driver.

Example:
    $ grep "" /sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/g
    0x1

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, RoCE Congestion Control on Broadcom
    Ethernet NIC Adapters
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.qos.congestion_parameters",)
failures = ("NIC-11",)
check = compare(
    *needs,
    wrong="a parameter of congestion control is not as planned",
    fix="set the parameters of congestion control",
)
