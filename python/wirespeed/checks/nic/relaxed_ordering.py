"""PCIe relaxed ordering in the NIC's device control register

The kernel allows the NIC to use relaxed ordering for its writes.

Impact:
    Strictly ordered writes wait for each other in the CPU's I/O die: a fast NIC is well below line rate with host
    memory.

Fix:
    Enable relaxed ordering in the BIOS, remove kernel command line options that disable it (pci=), and check the NVRAM
    option of the NIC (nic.nvm-relaxed-ordering).

Example:
    $ lspci -s 1d:00.0 -vvv | grep RlxdOrd
    RlxdOrd- ExtTag+ PhantFunc- AuxPwr- NoSnoop+

Source:
    Broadcom 957608-AN210, 2.2.4.3; PCI Express Base Specification 5.0, 7.5.3.4
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.nics import pcie_function
from wirespeed.settings import Nic

subject = Nic
needs = ("pcie.relaxed_ordering",)
failures = ("PCI-04",)
check = compare(
    "pcie.relaxed_ordering",
    place=pcie_function,
    wrong="the NIC may not use relaxed ordering",
    fix="enable relaxed ordering in the device control register of the NIC",
)
