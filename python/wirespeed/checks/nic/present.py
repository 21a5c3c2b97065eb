"""NIC port

Every planned NIC port is in the host, as a network interface of the planned name.

Why it hurts:
    A rail without its NIC carries nothing. Every other check of the port is skipped when this one fails.

How to fix:
    See whether the card is seen on PCIe at all (lspci), then whether its driver is loaded, then how the interface
    is named: the interface's name follows from the slot.

Example:
    $ ip -j link show enp29s0np0
    Device "enp29s0np0" does not exist.

Source:
    Broadcom 957608-AN210, 2.6 item 6
"""

from wirespeed.checks.model import Here, Outcome, failed, passed
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic

over = Nic
needs = ("host.nics",)
failures = ("NIC-03",)
presence = True


def check(here: Here) -> Outcome:
    """The plan's intent is that the port is there."""
    if here.exists():
        return passed("present", "present")
    fix = Fix("look for the card on PCIe, its driver, and the name of its interface")
    return failed("the NIC port is not in the host", "present", "absent", fix)
