"""PCIe speed of the NIC

The NIC's PCIe link runs at least at the planned signalling rate.

Why it hurts:
    One generation lower is half the rate between NIC and memory, with nothing logged.

How to fix:
    Reseat card and riser; look for a speed limit of the slot in the BIOS; update firmware of riser and card.

Example:
    $ lspci -s 1d:00.0 -vvv | grep LnkSta:
    LnkSta: Speed 16GT/s (downgraded), Width x16

Source:
    Broadcom 957608-AN210, 2.6 items 13 and 14
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.cost import pcie_speed
from wirespeed.checks.nics import pcie_function
from wirespeed.settings import Nic

over = Nic
needs = ("pcie.link.speed", "pcie.link.width")
failures = ("PCI-03",)
check = compare(
    "pcie.link.speed",
    place=pcie_function,
    wrong="PCIe link of the NIC is slower than planned",
    fix="reseat the card and its riser; check the slot's speed in the BIOS",
    hand=True,
    cost=pcie_speed,
)
