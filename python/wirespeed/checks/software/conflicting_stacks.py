"""Conflicting RDMA stacks

No RDMA stack of another vendor is installed together with that of the NIC's vendor.

Impact:
    The other stack replaces the RDMA core of the kernel, and the driver of the NIC fails to load with unknown symbols.

Fix:
    Uninstall the other stack, reboot, and install the NIC's software again.

Example:
    $ ls /usr/sbin/ofed_uninstall.sh
    /usr/sbin/ofed_uninstall.sh

Source:
    Broadcom 957608-AN210, 5.1 question 7
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.checks.wording import format_list
from wirespeed.results.findings import Fix
from wirespeed.settings import Host, Nic

subject = Host
needs = ("host.conflicting_stacks",)
failures = ("OS-08",)


def check(context: CheckContext) -> Outcome:
    """A conflict needs no intent. A stack made for one of the host's NICs is not a conflict."""
    needed_stacks = {stack for nic in context.entity.nics.values() for stack in _list_stacks(context, nic)}
    found = tuple(stack for stack in context.get_found_value("host.conflicting_stacks") if stack not in needed_stacks)
    if not found:
        return success("none", "none")
    fix = Fix(f"uninstall {format_list(found)} and install the NIC's software again", consequence="reboot")
    return failure("an RDMA stack of another vendor is installed", "none", format_list(found), fix)


def _list_stacks(context: CheckContext, nic: Nic) -> list[str]:
    model = context.plan.hardware.nics.get(nic.model or "")
    return model.stacks if model else []
