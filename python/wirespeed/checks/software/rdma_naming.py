"""Naming of RDMA devices

The udev rule that names RDMA devices is the planned one, so that they have the same names on every host.

Impact:
    Jobs list devices by name. If names are derived from the PCIe address, the list matches on some hosts only, and the
    other hosts use fewer rails or none.

Fix:
    Install the rendered rule in /etc/udev/rules.d, where it overrides that of the distribution, and reboot.

Example:
    $ rdma link show
    link rocep29s0/1 state ACTIVE physical_state LINK_UP netdev enp29s0np0

Source:
    Broadcom 957608-AN210, 5.1 question 1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.rdma_naming",)
failures = ("OS-17",)
check = compare(
    "host.rdma_naming",
    wrong="RDMA devices are named by another udev rule",
    fix="install the udev rule that keeps the kernel's names",
    consequence="reboot",
)
