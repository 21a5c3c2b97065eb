"""RDMA library and kernel driver

The user-space library of the NIC supports the ABI version of the kernel driver.

Impact:
    With a mismatch the library ignores the device: RDMA programs find no device, and collectives fall back to TCP.

Fix:
    Install the library of the driver's release, and remove the copy of the distribution that is loaded first.

Example:
    $ ibv_devinfo
    libibverbs: Warning: Driver bnxt_re does not support the kernel ABI of 6 (supports 1 to 1)

Source:
    Broadcom 957608-AN210, 5.1 question 6
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.rdma_libraries",)
failures = ("OS-09",)
check = compare(
    "host.rdma_libraries",
    wrong="the RDMA library does not match the kernel driver",
    fix="install the library that belongs to the driver and remove the distribution's copy",
    by_hand=True,
)
