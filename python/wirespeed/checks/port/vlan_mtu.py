"""MTU of the VLAN interface

The MTU of the VLAN interface (SVI) is at least the planned one.

Impact:
    On some switches the VLAN interface has a separate MTU: large packets between rails are dropped although every port
    would forward them, and jobs end with completion error 12.

Fix:
    Set the MTU of the VLAN interface.

Example:
    interface Vlan11
     mtu 1500

Source:
    Broadcom 957608-AN210, 5.1 question 2
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Vlan

subject = Vlan
needs = ("vlan.mtu",)
failures = ("SW-01",)
check = compare(
    *needs,
    wrong="the MTU of the VLAN interface is too small",
    fix="set the MTU of the VLAN interface",
)
