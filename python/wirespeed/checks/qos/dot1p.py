"""802.1p map of the switch port

Tagged frames without DSCP reach the planned traffic class by their 802.1p priority (PCP).

Impact:
    A frame without an IP header, such as one of Fibre Channel over Ethernet, reaches another class: a lossy one, or
    one whose queue pauses of its priority do not stop.

Fix:
    Set the map of 802.1p priorities to traffic classes.

Example:
    qos map dot1p-tc ROCE
     dot1p 3 traffic-class 3

Source:
    Broadcom 957608-AN210, 2.5.2; sonic-net/SONiC, RoCEv2 support in the management framework, 2.4.1
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.wording import format_numbers
from wirespeed.settings import Port

subject = Port
needs = ("port.qos.dot1p_tc",)
failures = ("QOS-03",)
check = compare(
    *needs,
    wrong="802.1p priorities map to other traffic classes than planned",
    fix="set the map of 802.1p priorities to traffic classes",
    labels=format_numbers,
)
