"""MTU of the VLAN's routed interface

The routed interface of the VLAN forwards at least the planned packet size.

Why it hurts:
    On some switches the VLAN has an MTU of its own: full frames between rails are dropped though every port would
    carry them, and jobs end with completion error 12.

How to fix:
    Set the MTU of the VLAN interface.

Example:
    interface Vlan11
     mtu 1500

Source:
    Broadcom 957608-AN210, 5.1 question 2
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Vlan

over = Vlan
needs = ("vlan.mtu",)
failures = ("SW-01",)
check = compare(
    *needs,
    wrong="the MTU of the VLAN is too small",
    fix="set the MTU of the VLAN interface",
)
