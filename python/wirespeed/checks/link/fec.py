"""Error correction of the NIC's link

The host's end uses the planned forward error correction.

Why it hurts:
    Ends that differ do not bring the link up, or lose packets in bursts.

How to fix:
    Set the same error correction at both ends (port.fec).

Example:
    $ ethtool --show-fec enp29s0np0
    Active FEC encoding: None

Source:
    Broadcom 957608-AN210, 2.6 item 9; https://github.com/sonic-net/sonic-mgmt/issues/8041
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

over = Nic
needs = ("nic.link.fec",)
failures = ("CAB-05",)
check = compare(
    *needs,
    wrong="the link uses another error correction",
    fix="set the error correction",
    consequence="link flap",
)
