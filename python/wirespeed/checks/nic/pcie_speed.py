"""PCIe speed of the NIC

The NIC's PCIe link runs at least at the planned signalling rate.

Impact:
    One PCIe generation lower halves the rate between NIC and memory, without any log message.

Fix:
    Reseat card and riser. Check the BIOS for a speed limit of the slot. Update the firmware of riser and card.

Example:
    $ lspci -s 1d:00.0 -vvv | grep LnkSta:
    LnkSta: Speed 16GT/s (downgraded), Width x16

Source:
    Broadcom 957608-AN210, 2.6 items 13 and 14
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.impact import pcie_speed
from wirespeed.checks.nics import pcie_function
from wirespeed.checks.slots import name_slot
from wirespeed.settings import Nic

subject = Nic
needs = ("pcie.link.speed", "pcie.link.width")
failures = ("PCI-03",)
_compare_link = compare(
    "pcie.link.speed",
    place=pcie_function,
    wrong="the PCIe link of the NIC is slower than planned",
    fix="reseat the card and its riser; check the slot's speed in the BIOS",
    by_hand=True,
    impact=pcie_speed,
)
check = name_slot(_compare_link, pcie_function)
