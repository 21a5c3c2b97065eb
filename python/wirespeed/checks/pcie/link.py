"""PCIe link of a bridge or GPU

The link above a PCIe switch, and that of each GPU, runs at least at the planned rate and width. NICs have checks of
their own (nic.pcie-width, nic.pcie-speed).

Why it hurts:
    The link above a PCIe switch is shared by all behind it; the link of a GPU is the way to its NIC.

How to fix:
    Reseat card, riser or cable; look for a bifurcation or speed setting in the BIOS. An idle GPU may lower its
    speed by itself: read again under load.

Example:
    $ lspci -s 18:00.0 -vvv | grep LnkSta:
    LnkSta: Speed 32GT/s, Width x8 (downgraded)

Source:
    Broadcom 957608-AN210, 2.6 item 13
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import Here
from wirespeed.settings import PcieFunction

over = PcieFunction
needs = ("pcie.link.width", "pcie.link.speed")
failures = ("PCI-03",)


def _has_no_other_check(here: Here) -> bool:
    """A link has two ends: the lower one speaks for both."""
    nics = {nic.pcie for nic in here.plan.hosts[here.place.device].nics.values()}
    return here.thing.role in ("switch-upstream", "endpoint") and here.place.name not in nics


check = compare(
    *needs,
    wrong="a PCIe link is slower than planned",
    fix="reseat the card, riser or cable; check the slot in the BIOS",
    hand=True,
    only=_has_no_other_check,
)
