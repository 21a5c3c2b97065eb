"""FEC of the switch port

The switch port uses the planned forward error correction (FEC).

Impact:
    If the two ends differ, the link stays down or loses packets in bursts.

Fix:
    Set the same FEC at both ends (link.fec).

Example:
    Eth1/1   400GBASE-DR4   FC   FC   up

Source:
    https://github.com/sonic-net/sonic-mgmt/issues/8041
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

subject = Port
needs = ("port.link.fec",)
failures = ("CAB-05",)
check = compare(
    *needs,
    wrong="the port uses another FEC",
    fix="set the FEC of the port",
    consequence="link flap",
)
