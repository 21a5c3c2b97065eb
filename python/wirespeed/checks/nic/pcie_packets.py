"""PCIe packet sizes of the NIC

The NIC's MaxPayload and MaxReadReq are at least as large as planned.

Impact:
    Each PCIe packet has a header: half the payload doubles the share of the headers. A NIC has a limited number of
    outstanding reads: with small read requests it sends less than the slot allows, while it receives at full rate.

Fix:
    Firmware and kernel set MaxPayload to what every device between NIC and memory supports. Check the BIOS, check for
    pci=pcie_bus_perf and pci=pcie_bus_safe on the kernel command line, and check for a card with a smaller MaxPayload
    on the same bridge. Never set it on one device only: a packet larger than the next device supports is a fatal bus
    error. MaxReadReq is set by BIOS and driver; a newer driver or the vendor's tool may raise it.

Example:
    $ lspci -s 1d:00.0 -vvv | grep MaxReadReq
    MaxPayload 256 bytes, MaxReadReq 512 bytes

Source:
    PCI Express Base Specification 5.0, 7.5.3.4; Linux, Documentation/admin-guide/kernel-parameters.txt, pci=;
    https://github.com/NVIDIA/nccl-tests/issues/152
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.impact import pcie_packets
from wirespeed.checks.nics import pcie_function
from wirespeed.settings import Nic

subject = Nic
needs = ("pcie.max_payload", "pcie.max_read_request")
failures = ("PCI-05",)
check = compare(
    *needs,
    place=pcie_function,
    wrong="PCIe packet sizes of the NIC are smaller than planned",
    fix="check MaxPayload and MaxReadReq in the BIOS, on the kernel command line and in the driver",
    by_hand=True,
    impact=pcie_packets,
)
