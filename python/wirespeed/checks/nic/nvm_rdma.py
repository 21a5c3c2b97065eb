"""RDMA in the NIC's memory

The NIC's non-volatile option for RDMA is on.

Why it hurts:
    With the option off the port has no RDMA device at all, and libraries fall back to TCP.

How to fix:
    Switch the option on for the port and reboot.

Example:
    $ niccli -i 1 nvm --getoption support_rdma --scope 0
    support_rdma = 0 (Disabled)

Source:
    Broadcom 957608-AN210, 2.2.4.1 and 2.6 item 7
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

over = Nic
needs = ("nic.nvm.rdma",)
failures = ("NIC-03",)
check = compare(
    *needs,
    wrong="RDMA is off in the NIC's memory",
    fix="switch RDMA on in the NIC's memory",
    consequence="reboot",
)
