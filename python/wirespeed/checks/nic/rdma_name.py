"""Name of the RDMA device

The RDMA device of the NIC has the planned name.

Why it hurts:
    Jobs list RDMA devices by name and in rail order. Under another name a rail is left out, or takes another's
    place.

How to fix:
    Install the udev rule that names RDMA devices (software.rdma-naming) and reboot.

Example:
    $ rdma link show
    link rocep29s0/1 state ACTIVE physical_state LINK_UP netdev enp29s0np0

Source:
    Broadcom 957608-AN210, 5.1 question 1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

over = Nic
needs = ("nic.rdma_device",)
failures = ("OS-17",)
check = compare(
    *needs,
    wrong="the RDMA device has another name",
    fix="install the udev rule that keeps the kernel's names",
    hand=True,
    consequence="reboot",
)
