"""Sizes of the NIC's PCIe packets

The NIC's MaxPayload and MaxReadReq are at least as large as planned.

Why it hurts:
    Each packet has its header, so half the payload doubles what headers take of the slot. A NIC has so many reads
    outstanding at one time and no more: with small ones it sends less than the slot carries, while what it receives
    is as fast as ever.

How to fix:
    MaxPayload is what firmware and kernel found that all parts between NIC and memory take: look for it in the BIOS,
    at pci=pcie_bus_perf and pci=pcie_bus_safe on the kernel command line, and at a card of less on the same bridge.
    Never write it into one device alone: a larger packet than the next part takes is a fatal error of the bus.
    MaxReadReq is a matter of BIOS and driver; a driver's new release or the vendor's tool may raise it.

Example:
    $ lspci -s 1d:00.0 -vvv | grep MaxReadReq
    MaxPayload 256 bytes, MaxReadReq 512 bytes

Source:
    PCI Express Base Specification 5.0, 7.5.3.4; Linux, Documentation/admin-guide/kernel-parameters.txt, pci=;
    https://github.com/NVIDIA/nccl-tests/issues/152
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.cost import pcie_packets
from wirespeed.checks.nics import pcie_function
from wirespeed.settings import Nic

over = Nic
needs = ("pcie.max_payload", "pcie.max_read_request")
failures = ("PCI-05",)
check = compare(
    *needs,
    place=pcie_function,
    wrong="PCIe packets of the NIC are smaller than planned",
    fix="look for MaxPayload and MaxReadReq in the BIOS, the kernel command line and the driver",
    hand=True,
    cost=pcie_packets,
)
