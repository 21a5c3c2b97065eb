"""Path MTU of the RDMA port

The active path MTU of the RDMA port is at least the planned one.

Impact:
    Each packet has the same headers: with 1024 bytes their share is four times that with 4096 bytes, and the NIC and
    every switch handle four times as many packets.

Fix:
    Raise the MTU of the interface (link.mtu): the path MTU follows, as the largest power of two that fits.

Example:
    $ ibv_devinfo -d bnxt_re0 | grep active_mtu
    active_mtu: 1024 (3)

Source:
    Broadcom 957608-AN210, 2.6 item 11
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.impact import path_mtu
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.rdma_mtu",)
failures = ("OS-07",)
check = compare(
    *needs,
    wrong="the path MTU of the RDMA port is too small",
    fix="raise the MTU of the interface; the path MTU follows",
    by_hand=True,
    impact=path_mtu,
)
