"""Congestion control of the NIC enabled

The NIC sends congestion notification packets (CNPs), and reduces its rate when it receives them.

Impact:
    With congestion control off, ECN marks of the switches have no effect: only PFC limits the senders, and it also
    stops traffic that does not cause the congestion.

Fix:
    Enable congestion control for the RDMA priority on every NIC.

Example:
    $ cat /sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/ecn_enable
    0x0
    0x0 is disabled, 0x1 is enabled

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, RoCE Congestion Control on Broadcom
    Ethernet NIC Adapters
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.qos.ecn",)
failures = ("NIC-11",)
check = compare(
    *needs,
    wrong="congestion control is off on the NIC",
    fix="enable congestion control",
)
