"""LLDP of the switch

The switch sends and receives LLDP.

Impact:
    Without LLDP the present neighbour of each port is unknown: a cable in the wrong port stays unnoticed.

Fix:
    Enable LLDP on the switch.

Example:
    no feature lldp

Source:
    IEEE 802.1AB-2016; Broadcom 957608-AN210, 2.6
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

subject = Switch
needs = ("switch.lldp",)
failures = ("RT-05",)
check = compare(
    *needs, wrong="LLDP of the switch is off", fix="enable LLDP of the switch", labels={True: "on", False: "off"}
)
