"""Link of the switch port

The port's link is up.

Impact:
    The rail behind a port that is down carries no traffic.

Fix:
    Enable the port; reseat or replace the cable.

Example:
    Eth1/1   node1 enp29s0np0   down   admin-down   off   400000   9100

Source:
    Broadcom 957608-AN210, 2.6 item 8
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

subject = Port
needs = ("port.link.up",)
failures = ("CAB-01",)
causes = ("link.up", "port.up")  # at the other end of the cable
check = compare(
    *needs,
    wrong="the port is down",
    fix="enable the port, and check both ends of the cable",
    by_hand=True,
    labels={True: "up", False: "down"},
)
