"""Prefetchable memory window of the PCIe bridge

The bridge reserves at least the planned prefetchable memory, so that the BARs of borrowed devices fit.

Impact:
    A BAR that does not fit is not mapped: the first device can be borrowed, the second cannot, and only the kernel log
    reports it.

Fix:
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

subject = Ntb
needs = ("ntb.prefetch", "host.ntbs")
failures = ("PCI-06",)
presence = True
check = compare(
    "ntb.prefetch",
    wrong="the bridge has too little prefetchable memory",
    fix="run ntb-prefetch.sh",
    consequence="reboot",
    by_hand=True,
)
