"""Loopback address of a switch

The switch has its planned loopback address.

Impact:
    It is the BGP router ID, and the address that reaches the switch while any of its links is up. Without it some
    systems use the address of a port, and sessions drop with that port.

Fix:
    Configure the loopback interface.

Example:
    $ show ip interface brief
    Loopback0         10.255.0.1/32        up         up

Source:
    RFC 4271, section 4.2; RFC 7938, section 5.2.3
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

subject = Switch
needs = ("switch.loopbacks",)
failures = ("RT-10",)
check = compare(*needs, wrong="the loopback address is not as planned", fix="configure the loopback interface")
