"""Error correction of the switch port

The switch's end uses the planned forward error correction.

Why it hurts:
    Ends that differ do not bring the link up, or lose packets in bursts.

How to fix:
    Set the same error correction at both ends (link.fec).

Example:
    Eth1/1   400GBASE-DR4   FC   FC   up

Source:
    https://github.com/sonic-net/sonic-mgmt/issues/8041
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

over = Port
needs = ("port.link.fec",)
failures = ("CAB-05",)
check = compare(
    *needs,
    wrong="the port uses another error correction",
    fix="set the error correction of the port",
    consequence="link flap",
)
