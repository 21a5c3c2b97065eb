"""Congestion control of the NIC, switched on

The NIC sends congestion notifications, and slows down when it receives them.

Why it hurts:
    With it off the switch marks packets and nobody answers: PFC does all the work and stops traffic that is not the
    cause.

How to fix:
    Switch congestion control on for the priority of RDMA, on every NIC.

Example:
    $ cat /sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/ecn_enable
    0x0

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, RoCE Congestion Control on Broadcom
    Ethernet NIC Adapters
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

over = Nic
needs = ("nic.qos.ecn",)
failures = ("NIC-11",)
check = compare(
    *needs,
    wrong="congestion control is off on the NIC",
    fix="switch congestion control on",
)
