"""Addresses of the VLAN interface

The VLAN interface (SVI) has exactly the planned addresses.

Impact:
    The address is the gateway of its rail: without it other rails are unreachable.

Fix:
    Set the address of the VLAN interface.

Example:
    interface Vlan11
     ip address 192.168.1.254/24

Source:
    Broadcom 957608-AN210, 2.4.1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Vlan

subject = Vlan
needs = ("vlan.addresses", "switch.vlans")
failures = ("RT-10",)
presence = True
check = compare(
    "vlan.addresses",
    wrong="the addresses of the VLAN interface are not as planned",
    fix="set the address of the VLAN interface",
)
