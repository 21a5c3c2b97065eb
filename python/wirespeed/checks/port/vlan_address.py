"""Addresses of the VLAN's routed interface

The routed interface of the VLAN has exactly the planned addresses.

Why it hurts:
    It is the gateway of its rail; without it other rails are out of reach.

How to fix:
    Set the address of the VLAN interface.

Example:
    interface Vlan11
     ip address 192.168.1.254/24

Source:
    Broadcom 957608-AN210, 2.4.1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Vlan

over = Vlan
needs = ("vlan.addresses", "switch.vlans")
failures = ("RT-10",)
presence = True
check = compare(
    "vlan.addresses",
    wrong="the VLAN interface has other addresses",
    fix="set the address of the VLAN interface",
)
