"""RDMA enabled in the NIC's NVRAM

The non-volatile option of the NIC for RDMA is on.

Impact:
    With the option off the port has no RDMA device, and libraries fall back to TCP.

Fix:
    Enable the option for the port and reboot.

Example:
    $ niccli -i 1 nvm --getoption support_rdma --scope 0
    support_rdma = 0 (Disabled)

Source:
    Broadcom 957608-AN210, 2.2.4.1 and 2.6 item 7
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.nvm.rdma",)
failures = ("NIC-03",)
check = compare(
    *needs,
    wrong="RDMA is off in the NIC's NVRAM",
    fix="enable RDMA in the NIC's NVRAM",
    consequence="reboot",
)
