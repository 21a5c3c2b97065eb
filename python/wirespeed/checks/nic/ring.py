"""Descriptor rings

Receive and send rings have the planned number of descriptors.

Why it hurts:
    A ring that is too short runs out while its core is busy elsewhere: the NIC drops what arrives (rx_out_of_buffer),
    and TCP over a long path halves its window.

How to fix:
    Set the rings at every boot; the driver's own default comes back when it is loaded again.

Example:
    $ ethtool -g eth100
    Current hardware settings:
    RX: 1024

Source:
    ESnet, 400G Testbed Configuration, NIC tuning
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

over = Nic
needs = (
    "nic.ring.rx",
    "nic.ring.tx",
)
failures = ("TCP-01",)
check = compare(
    *needs,
    wrong="descriptor rings are not as planned",
    fix="set the rings",
    consequence="link flap",
)
