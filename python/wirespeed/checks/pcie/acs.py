"""PCIe Access Control Services (ACS)

ACS is off on every PCIe bridge between GPU and NIC.

Impact:
    If request redirection is on, packets between GPU and NIC do not take the direct path through the PCIe switch: they
    go up to the root complex and back. GPU traffic between hosts is slow or hangs, while traffic from host memory is
    normal.

Fix:
    Clear the ACS control register of the bridge now, and at every boot by a service; or disable ACS in the BIOS. Keep
    ACS on where devices are passed through to virtual machines: they need the isolation.

Example:
    $ lspci -s 14:00.0 -vvv
    ACSCtl: SrcValid- TransBlk- ReqRedir+ CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-

Source:
    Broadcom 957608-AN210, 2.3, 2.6 item 4 and appendix D; PCI Express Base Specification 5.0, 6.12
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import PcieFunction

subject = PcieFunction
needs = ("pcie.acs",)
failures = ("PCI-01",)
check = compare(
    "pcie.acs",
    wrong="ACS redirects traffic between GPU and NIC",
    fix="disable ACS on this bridge",
    consequence="takes effect immediately; the next boot enables ACS again unless the boot service is enabled",
)
