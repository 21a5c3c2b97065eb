"""Addresses of the switch port

The routed port has exactly the planned addresses.

Why it hurts:
    The host's default route in the rail's table points at this address; without it the rail reaches nobody.

How to fix:
    Set the address of the port.

Example:
    ip address 10.1.0.4/31

Source:
    Broadcom 957608-AN210, 2.4
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

over = Port
needs = ("port.addresses",)
failures = ("RT-10",)
check = compare(
    *needs,
    wrong="the port has other addresses",
    fix="set the address of the port",
)
