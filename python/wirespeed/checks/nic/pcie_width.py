"""PCIe width of the NIC

The NIC's PCIe link runs on at least the planned number of lanes.

Why it hurts:
    Half the lanes are half the rate between NIC and memory. Nothing is logged, and every collective that uses this
    rail runs at its speed.

How to fix:
    Reseat card and riser; look for a bifurcation setting in the BIOS; try the card in another slot to tell card
    from slot.

Example:
    $ lspci -s 1d:00.0 -vvv | grep LnkSta:
    LnkSta: Speed 32GT/s, Width x8 (downgraded)

Source:
    Broadcom 957608-AN210, 2.6 items 13 and 14
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.cost import pcie_width
from wirespeed.checks.nics import pcie_function
from wirespeed.settings import Nic

over = Nic
needs = ("pcie.link.width", "pcie.link.speed")
failures = ("PCI-03",)
check = compare(
    "pcie.link.width",
    place=pcie_function,
    wrong="PCIe link of the NIC is narrower than planned",
    fix="reseat the card and its riser; check the slot's bifurcation in the BIOS",
    hand=True,
    cost=pcie_width,
)
