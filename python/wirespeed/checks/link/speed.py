"""Speed of the NIC's link

The link runs at the planned speed.

Impact:
    A link at half the speed halves the bandwidth of its rail, and a ring over all rails is as fast as the slowest one.

Fix:
    Replace the cable if a lane is dead. Set the speed at both ends if they negotiated another one.

Example:
    $ ethtool enp29s0np0 | grep Speed
    Speed: 200000Mb/s

Source:
    Broadcom 957608-AN210, 2.6 items 8 and 9
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.impact import link_speed
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.link.speed",)
failures = (
    "NIC-06",
    "CAB-04",
)
causes = ("link.up",)
check = compare(
    *needs,
    wrong="the link runs at another speed than planned",
    fix="set the speed at both ends; replace the cable if a lane is dead",
    impact=link_speed,
)
