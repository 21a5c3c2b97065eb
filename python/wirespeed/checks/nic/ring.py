"""Descriptor rings

Receive and transmit rings have the planned number of descriptors.

Impact:
    A short ring overflows while its core is busy: the NIC drops arriving packets (rx_out_of_buffer), and TCP over a
    long path halves its window.

Fix:
    Set the rings at every boot; a reload of the driver restores its default.

Example:
    $ ethtool -g eth100
    Current hardware settings:
    RX: 1024

Source:
    ESnet, 400G Testbed Configuration, NIC tuning
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = (
    "nic.ring.rx",
    "nic.ring.tx",
)
failures = ("TCP-01",)
check = compare(
    *needs,
    wrong="descriptor rings are not as planned",
    fix="set the descriptor rings",
    consequence="link flap",
)
