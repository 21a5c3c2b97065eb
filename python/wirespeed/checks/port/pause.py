"""Global pause of the switch port

Global pause (IEEE 802.3x) is neither received nor sent.

Impact:
    Global pause stops all traffic classes at once, and cannot be combined with PFC on one port.

Fix:
    Disable both directions of global pause.

Example:
    flowcontrol receive on

Source:
    IEEE 802.1Q-2022, 36.1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

subject = Port
needs = (
    "port.link.pause_receive",
    "port.link.pause_send",
)
failures = ("QOS-04",)
check = compare(
    *needs,
    wrong="global pause is on",
    fix="disable global pause",
)
