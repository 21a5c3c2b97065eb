"""Interrupt coalescing

The port waits for more packets before it interrupts as planned.

Why it hurts:
    An interrupt for every packet takes the core that TCP needs; a long fixed wait adds to every round trip. Adaptive
    coalescing follows the traffic.

How to fix:
    Set coalescing at every boot; the driver's own default comes back when it is loaded again.

Example:
    $ ethtool -c eth100
    Adaptive RX: off  TX: on

Source:
    ESnet, 400G Testbed Configuration, NIC tuning
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

over = Nic
needs = (
    "nic.coalescing.adaptive_rx",
    "nic.coalescing.adaptive_tx",
    "nic.coalescing.rx_usecs",
    "nic.coalescing.rx_frames",
    "nic.coalescing.tx_usecs",
    "nic.coalescing.tx_frames",
)
failures = ("TCP-01",)
check = compare(
    *needs,
    wrong="interrupts are coalesced otherwise than planned",
    fix="set coalescing",
)
