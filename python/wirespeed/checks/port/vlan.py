"""VLAN of the switch port

The switched port is in the VLAN of its rail.

Impact:
    In another VLAN the host reaches neither its gateway nor its peers.

Fix:
    Set the access VLAN of the port.

Example:
    switchport access Vlan 12

Source:
    Broadcom 957608-AN210, 2.4.1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

subject = Port
needs = ("port.vlan",)
failures = ("RT-05",)
check = compare(
    *needs,
    wrong="the port is in another VLAN",
    fix="set the access VLAN of the port",
)
