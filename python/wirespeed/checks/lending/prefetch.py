"""Prefetchable memory of the PCIe bridge

The bridge takes at least the planned prefetchable memory, so that what the host borrows has room.

Why it hurts:
    A BAR that finds no room is left out: the first device is borrowed, and the second is not, with a line in the
    kernel log only.

How to fix:
    Set the size on the host and reboot; above 256 MiB the BIOS must decode above 4G.

Example:
    $ dis_config -gpms
    Card 1 - Prefetch memory space size: 512

Source:
    Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.6; docs.dolphinics.com, adapter prefetchable
    memory size
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Ntb

over = Ntb
needs = ("ntb.prefetch", "host.ntbs")
failures = ("PCI-06",)
presence = True
check = compare(
    "ntb.prefetch",
    wrong="bridge has too little prefetchable memory",
    fix="run ntb-prefetch.sh",
    consequence="reboot",
    hand=True,
)
