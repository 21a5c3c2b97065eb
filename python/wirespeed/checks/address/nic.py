"""Address of the NIC

The interface has the planned addresses; it may have more.

Impact:
    RoCEv2 sends from IP addresses. A NIC without an address has no usable GID, and its rail carries no RDMA.

Fix:
    Apply the rendered network configuration.

Example:
    $ ip -br addr show enp29s0np0
    enp29s0np0       UP

Source:
    Broadcom 957608-AN210, 2.6 item 10
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.addresses",)
failures = ("RT-10",)
causes = ("nic.presence",)
check = compare(*needs, wrong="the interface lacks its address", fix="set the addresses of the interface")
