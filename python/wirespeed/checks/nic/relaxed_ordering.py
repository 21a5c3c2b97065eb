"""PCIe relaxed ordering in the NIC's device control register

The kernel lets the NIC mark its writes as relaxed.

Why it hurts:
    Strictly ordered writes wait for each other in the CPU's I/O die; on such hosts a fast NIC stays well below line
    rate with host memory.

How to fix:
    Enable relaxed ordering in the BIOS and on the kernel command line (no pci option may forbid it), and look at
    the NIC's own option (nic.nvm-relaxed-ordering).

Example:
    $ lspci -s 1d:00.0 -vvv | grep RlxdOrd
    RlxdOrd- ExtTag+ PhantFunc- AuxPwr- NoSnoop+

Source:
    Broadcom 957608-AN210, 2.2.4.3; PCI Express Base Specification 5.0, 7.5.3.4
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.nics import pcie_function
from wirespeed.settings import Nic

over = Nic
needs = ("pcie.relaxed_ordering",)
failures = ("PCI-04",)
check = compare(
    "pcie.relaxed_ordering",
    place=pcie_function,
    wrong="the NIC may not use relaxed ordering",
    fix="enable relaxed ordering in the device control register of the NIC",
)
