"""Access Control Services of a PCIe bridge

On every bridge between GPU and NIC all Access Control Services are off.

Why it hurts:
    With request redirection on, a packet from GPU to NIC may not turn round in the PCIe switch that both hang on:
    it goes up to the root complex and back. GPU-to-GPU traffic between hosts is slow or hangs, while host memory is
    fine.

How to fix:
    Clear the ACS control register of the bridge now, and at every boot by a service; or switch ACS off in the BIOS.
    In a virtual machine leave it on, for isolation.

Example:
    $ lspci -s 14:00.0 -vvv
    ACSCtl: SrcValid- TransBlk- ReqRedir+ CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-

Source:
    Broadcom 957608-AN210, 2.3, 2.6 item 4 and appendix D; PCI Express Base Specification 5.0, 6.12
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import PcieFunction

over = PcieFunction
needs = ("pcie.acs",)
failures = ("PCI-01",)
check = compare(
    "pcie.acs",
    wrong="ACS redirects traffic between GPU and NIC",
    fix="switch ACS off on this bridge",
    consequence="acts at once; the next boot switches it on again unless the boot service is enabled",
)
