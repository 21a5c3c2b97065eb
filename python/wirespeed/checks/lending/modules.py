"""Kernel modules of the PCIe bridge

The kernel modules of the bridge are loaded. Services of eXpressWare load them; they are compiled for one kernel.

Impact:
    Without them the bridge is a PCIe device that nothing uses: no device can be lent, and the IP interface over PCIe
    is missing. After an update of the kernel the old modules do not load.

Fix:
    Start the service, which has the module's name. If that fails after an update of the kernel, run the installer of
    eXpressWare again, which compiles the modules for the running kernel; or hold the kernel version.

Example:
    $ grep ^dis_ /proc/modules
    dis_sisci 507904 0 - Live 0x0000000000000000 (OE)
    dis_irm 1167360 1 dis_sisci, Live 0x0000000000000000 (OE)

Source:
    Dolphin eXpressWare 5 installation and reference guide for Linux, chapter 6, section 3.1; Johansen, Fast Multi-GPU
    communication over PCI Express, section 3.2.4
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.modules import has_service
from wirespeed.settings import Module

subject = Module
needs = ("module.loaded", "host.modules")
failures = ("OS-12",)
presence = True
check = compare(
    "module.loaded",
    wrong="a kernel module of the PCIe bridge is not loaded",
    fix="start the service that has the module's name; after a kernel update, run the installer of eXpressWare again",
    labels={True: "loaded", False: "not loaded"},
    by_hand=True,
    applies=has_service,
)
