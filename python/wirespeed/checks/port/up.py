"""Link of the switch port

The port's link is up.

Why it hurts:
    The rail behind a port that is down carries nothing.

How to fix:
    Enable the port; reseat or replace the cable.

Example:
    Eth1/1   node1 enp29s0np0   down   admin-down   off   400000   9100

Source:
    Broadcom 957608-AN210, 2.6 item 8
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

over = Port
needs = ("port.link.up",)
failures = ("CAB-01",)
check = compare(
    *needs,
    wrong="the port is down",
    fix="enable the port and look at both ends of the cable",
    hand=True,
    says={True: "up", False: "down"},
)
