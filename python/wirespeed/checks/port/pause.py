"""Global pause of the switch port

Global pause (802.3x) is neither obeyed nor sent.

Why it hurts:
    It stops all classes at once, and it does not go together with PFC on one port.

How to fix:
    Switch both directions of global pause off.

Example:
    flowcontrol receive on

Source:
    IEEE 802.1Q-2022, 36.1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

over = Port
needs = (
    "port.link.pause_receive",
    "port.link.pause_send",
)
failures = ("QOS-04",)
check = compare(
    *needs,
    wrong="global pause is on beside PFC",
    fix="switch global pause off",
)
