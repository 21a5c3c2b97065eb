"""Naming of RDMA devices

The udev rule that names RDMA devices is the planned one, so that they have the same names on every host.

Why it hurts:
    Jobs list devices by name. Where names come from the PCIe address the list matches on some hosts only, and those
    others use fewer rails or none.

How to fix:
    Put the rendered rule into /etc/udev/rules.d, where it wins over the distribution's, and reboot.

Example:
    $ rdma link show
    link rocep29s0/1 state ACTIVE physical_state LINK_UP netdev enp29s0np0

Source:
    Broadcom 957608-AN210, 5.1 question 1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.rdma_naming",)
failures = ("OS-17",)
check = compare(
    "host.rdma_naming",
    wrong="RDMA devices are named by another rule",
    fix="install the udev rule that keeps the kernel's names",
    consequence="reboot",
)
