"""Slot of the NIC

The NIC port has the PCIe address that the cluster file gives.

Impact:
    A card in another slot can be below another PCIe switch, on another NUMA node, or on a slower link than planned.

Fix:
    Move the card to the planned slot, or write its address in the cluster file, as pcie of the NIC.

Example:
    $ ethtool -i enp28s0np0 | grep bus-info
    bus-info: 0000:1c:00.0

Source:
    Broadcom 957608-AN210, section 8.7.2: interfaces and PCIe addresses of hosts
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.pcie",)
failures = ("PCI-13", "PCI-14")


def check(context: CheckContext) -> Outcome:
    """The cluster file gives the port an address."""
    planned = context.get_intended_value("nic.slot_address")
    address = context.get_found_value("nic.pcie")
    if address == planned:
        return success(planned, address)
    fix = Fix("move the card to the planned slot, or write its address in the cluster file")
    return failure("the NIC is in another slot than planned", planned, address, fix)
