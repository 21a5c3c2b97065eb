"""FEC of the NIC's link

The NIC uses the planned forward error correction (FEC).

Impact:
    If the two ends differ, the link stays down or loses packets in bursts.

Fix:
    Set the same FEC at both ends (port.fec).

Example:
    $ ethtool --show-fec enp29s0np0
    Active FEC encoding: None

Source:
    Broadcom 957608-AN210, 2.6 item 9; https://github.com/sonic-net/sonic-mgmt/issues/8041
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.link.fec",)
failures = ("CAB-05",)
check = compare(
    *needs,
    wrong="the link uses another FEC",
    fix="set the FEC",
    consequence="link flap",
)
