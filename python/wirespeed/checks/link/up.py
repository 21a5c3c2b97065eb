"""Link of the NIC

The NIC's link is up.

Why it hurts:
    A rail whose link is down carries nothing; jobs end, or run without it.

How to fix:
    See the other end (port.up); reseat or replace the cable.

Example:
    $ ethtool enp29s0np0 | grep Link
    Link detected: no

Source:
    Broadcom 957608-AN210, 2.6 item 8
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.cost import whole_rail
from wirespeed.settings import Nic

over = Nic
needs = ("nic.link.up",)
failures = ("CAB-01",)
check = compare(
    *needs,
    wrong="the link is down",
    fix="look at both ends of the cable",
    hand=True,
    says={True: "up", False: "down"},
    cost=whole_rail,
)
