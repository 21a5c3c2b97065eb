"""NIC port present

Every planned NIC port exists on the host as a network interface with the planned name.

Impact:
    A rail without its NIC carries no traffic. If this check fails, every other check of the port is skipped.

Fix:
    Check whether the card is visible on PCIe (lspci), then whether its driver is loaded, then the name of the
    interface: it follows from the slot.

Example:
    $ ip -j link show enp29s0np0
    Device "enp29s0np0" does not exist.

Source:
    Broadcom 957608-AN210, 2.6 item 6
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic

subject = Nic
needs = ("host.nics",)
failures = ("NIC-03",)
presence = True


def check(context: CheckContext) -> Outcome:
    """The plan intends that the port exists."""
    if context.is_present():
        return success("present", "present")
    fix = Fix("check the card on PCIe (lspci), its driver, and the name of its interface")
    return failure("the NIC port is missing", "present", "absent", fix)
