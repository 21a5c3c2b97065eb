"""Addresses of the switch port

The routed port has exactly the planned addresses.

Impact:
    This address is the gateway in the host's routing table of the rail: without it the rail reaches no other host.

Fix:
    Set the address of the port.

Example:
    ip address 10.1.0.4/31

Source:
    Broadcom 957608-AN210, 2.4
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

subject = Port
needs = ("port.addresses",)
failures = ("RT-10",)
check = compare(
    *needs,
    wrong="the addresses of the port are not as planned",
    fix="set the address of the port",
)
