"""Interrupt coalescing

The port has the planned interrupt coalescing.

Impact:
    One interrupt per packet takes the CPU time that TCP needs. A long fixed delay adds to every round trip. Adaptive
    coalescing adapts to the traffic.

Fix:
    Set coalescing at every boot; a reload of the driver restores its default.

Example:
    $ ethtool -c eth100
    Adaptive RX: off  TX: on

Source:
    ESnet, 400G Testbed Configuration, NIC tuning
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
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
    wrong="interrupt coalescing is not as planned",
    fix="set interrupt coalescing",
)
