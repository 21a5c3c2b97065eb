"""GPUs that can be used

The driver of a borrower shows the host's own GPUs and the borrowed ones.

Why it hurts:
    A loan can look right and not work: a BAR found no room, or the driver was not loaded again after borrowing.

How to fix:
    Look for "no space" in the kernel log; run return.sh and borrow.sh again, slowly.

Example:
    $ nvidia-smi --query-gpu=pci.bus_id --format=csv,noheader
    00000000:03:04.0
    00000000:05:00.0
    00000000:85:00.0

Source:
    Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.6
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.usable_gpus",)
failures = ("PCI-06",)
check = compare(
    "host.usable_gpus", wrong="programs can use another number of GPUs", fix="borrow the devices again", hand=True
)
