"""Conflicting RDMA software

No other vendor's RDMA stack is installed beside the NIC's own.

Why it hurts:
    It replaces the kernel's RDMA core, and the NIC's driver then fails to load with unknown symbols.

How to fix:
    Uninstall the other stack, reboot, and install the NIC's software again.

Example:
    $ ls /usr/sbin/ofed_uninstall.sh
    /usr/sbin/ofed_uninstall.sh

Source:
    Broadcom 957608-AN210, 5.1 question 7
"""

from wirespeed.checks.model import Here, Outcome, failed, passed
from wirespeed.checks.words import listed
from wirespeed.results.findings import Fix
from wirespeed.settings import Host, Nic

over = Host
needs = ("host.conflicting_stacks",)
failures = ("OS-08",)


def check(here: Here) -> Outcome:
    """Nobody plans a conflict, so this needs no intent. A stack made for one of the host's NICs is none."""
    own = {stack for nic in here.thing.nics.values() for stack in _stacks_of(here, nic)}
    found = tuple(stack for stack in here.found("host.conflicting_stacks") if stack not in own)
    if not found:
        return passed("none", "none")
    fix = Fix(f"uninstall {listed(found)} and install the NIC's software again", consequence="reboot")
    return failed("another RDMA stack displaces the NIC's own", "none", listed(found), fix)


def _stacks_of(here: Here, nic: Nic) -> list[str]:
    model = here.plan.hardware.nics.get(nic.model or "")
    return model.stacks if model else []
