"""Link type, virtual functions and outstanding reads in the NIC's NVRAM

The port of the NIC is an Ethernet port, and virtual functions and outstanding reads are as planned.

Impact:
    A port of type InfiniBand has no network interface after the next reboot. Virtual functions that are not planned
    take queues and memory of the card. With too few outstanding PCIe reads the NIC does not send at line rate.

Fix:
    Set the option and reboot.

Example:
    $ mlxconfig -d 0000:1d:00.0 query LINK_TYPE_P1
    LINK_TYPE_P1   IB(1)

Source:
    NVIDIA, mlxconfig, LINK_TYPE_P1, SRIOV_EN and MAX_ACC_OUT_READ; Broadcom 957608-AN210, 2.2.4
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.nvm.link_type", "nic.nvm.sriov", "nic.nvm.outstanding_reads")
failures = ("NIC-03",)
check = compare(
    *needs,
    wrong="options in the NIC's NVRAM are not as planned",
    fix="set the option in the NIC's NVRAM",
    consequence="reboot",
)
