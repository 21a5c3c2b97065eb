"""MTU of the interface

The interface carries at least the planned packet size.

Why it hurts:
    The RDMA path MTU is the largest power of two that fits. With 1500 bytes it is 1024, and headers take four times
    their share; a job that asks for 4096 does not connect.

How to fix:
    Set the MTU on the host, and at least that on every switch port (port.mtu).

Example:
    $ ip link show enp29s0np0
    2: enp29s0np0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500

Source:
    Broadcom 957608-AN210, 2.6 items 11 and 14
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.cost import interface_mtu
from wirespeed.settings import Nic

over = Nic
needs = ("nic.link.mtu",)
failures = ("OS-07",)
check = compare(
    *needs,
    wrong="the MTU of the interface is too small",
    fix="set the MTU of the interface",
    cost=interface_mtu,
)
