"""PCIe width of the NIC

The NIC's PCIe link runs on at least the planned number of lanes.

Impact:
    Half the lanes halve the rate between NIC and memory, without any log message. Every collective that uses this rail
    is as slow as it.

Fix:
    Reseat card and riser. Check the BIOS for a bifurcation setting. Try the card in another slot to find out whether
    card or slot is faulty.

Example:
    $ lspci -s 1d:00.0 -vvv | grep LnkSta:
    LnkSta: Speed 32GT/s, Width x8 (downgraded)

Source:
    Broadcom 957608-AN210, 2.6 items 13 and 14
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.impact import pcie_width
from wirespeed.checks.nics import pcie_function
from wirespeed.checks.slots import name_slot
from wirespeed.settings import Nic

subject = Nic
needs = ("pcie.link.width", "pcie.link.speed")
failures = ("PCI-03",)
_compare_link = compare(
    "pcie.link.width",
    place=pcie_function,
    wrong="the PCIe link of the NIC is narrower than planned",
    fix="reseat the card and its riser; check the slot's bifurcation in the BIOS",
    by_hand=True,
    impact=pcie_width,
)
check = name_slot(_compare_link, pcie_function)
