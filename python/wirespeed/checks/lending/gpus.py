"""Usable GPUs of a borrower

The GPU driver of a borrower lists the local and the borrowed GPUs.

Impact:
    A loan can be listed and not work: a BAR did not fit, or the driver was not reloaded after borrowing.

Fix:
    Search for "no space" in the kernel log; run return.sh, wait for it, then borrow.sh.

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

subject = Host
needs = ("host.usable_gpus",)
failures = ("PCI-06",)
check = compare(
    "host.usable_gpus",
    wrong="the number of usable GPUs is not as planned",
    fix="borrow the devices again",
    by_hand=True,
)
