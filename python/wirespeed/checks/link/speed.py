"""Speed of the NIC's link

The link runs at the planned speed.

Why it hurts:
    A link at half the speed is a rail at half the rate, and a ring over all rails follows the slowest.

How to fix:
    Replace the cable if a lane is dead; fix the speed at both ends if they negotiated another.

Example:
    $ ethtool enp29s0np0 | grep Speed
    Speed: 200000Mb/s

Source:
    Broadcom 957608-AN210, 2.6 items 8 and 9
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.cost import link_speed
from wirespeed.settings import Nic

over = Nic
needs = ("nic.link.speed",)
failures = (
    "NIC-06",
    "CAB-04",
)
check = compare(
    *needs,
    wrong="the link runs at another speed than planned",
    fix="set the speed at both ends; replace the cable if a lane is dead",
    cost=link_speed,
)
