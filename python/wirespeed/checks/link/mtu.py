"""MTU of the interface

The MTU of the interface is at least the planned one.

Impact:
    The RDMA path MTU is the largest power of two that fits. With an MTU of 1500 bytes it is 1024: headers take four
    times their share of the link. A job that requests 4096 does not connect.

Fix:
    Set the MTU on the host, and the same or a larger one on every switch port (port.mtu).

Example:
    $ ip link show enp29s0np0
    2: enp29s0np0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500

Source:
    Broadcom 957608-AN210, 2.6 items 11 and 14
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.impact import interface_mtu
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.link.mtu",)
failures = ("OS-07",)
check = compare(
    *needs,
    wrong="the MTU of the interface is too small",
    fix="set the MTU of the interface",
    impact=interface_mtu,
)
