"""Link of the NIC

The NIC's link is up.

Impact:
    A rail whose link is down carries no traffic; jobs end, or run without it.

Fix:
    Check the other end (port.up); reseat or replace the cable.

Example:
    $ ethtool enp29s0np0 | grep Link
    Link detected: no

Source:
    Broadcom 957608-AN210, 2.6 item 8
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.impact import whole_rail
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.link.up",)
failures = ("CAB-01",)
check = compare(
    *needs,
    wrong="the link is down",
    fix="check both ends of the cable",
    by_hand=True,
    labels={True: "up", False: "down"},
    impact=whole_rail,
)
