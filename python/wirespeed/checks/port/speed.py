"""Speed of the switch port

The port runs at the planned speed.

Impact:
    A rail is as fast as its slower end.

Fix:
    Set the speed at both ends.

Example:
    Eth1/1   node1 enp29s0np0   up   -   off   200000   9100

Source:
    Broadcom 957608-AN210, 2.6 item 8
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.impact import port_speed
from wirespeed.settings import Port

subject = Port
needs = ("port.link.speed",)
failures = (
    "NIC-06",
    "CAB-04",
)
check = compare(
    *needs,
    wrong="the port runs at another speed than planned",
    fix="set the speed of the port",
    consequence="link flap",
    impact=port_speed,
)
