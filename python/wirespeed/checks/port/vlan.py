"""VLAN of the switch port

Untagged frames of the switched port are in the VLAN of its rail.

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
    wrong="untagged frames of the port are in another VLAN",
    labels={0: "none: untagged frames are dropped"},
    fix="set the access VLAN of the port",
)
