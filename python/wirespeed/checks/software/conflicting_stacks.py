"""Conflicting RDMA stacks

No RDMA stack of another vendor, and no second package with the same modules, is installed beside the software of the
NIC's vendor.

Impact:
    The other stack replaces the RDMA core of the kernel, and the driver of the NIC fails to load with unknown symbols.
    Of two packages with the same modules, the modules of one are installed, whatever the version of the other is.

Fix:
    Uninstall the other stack or remove the second package, install the NIC's software again, and reboot.

Example:
    $ ls /usr/sbin/ofed_uninstall.sh
    /usr/sbin/ofed_uninstall.sh

Source:
    Broadcom 957608-AN210, 2.2.2.1 and 5.1 question 7
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
    stacks = [stack for stack in found if not stack.startswith(_PACKAGE)]
    fixes = [_format_uninstallation(stack) for stack in stacks]
    commands = tuple(f"dkms remove {package} --all" for package in _list_packages(context, found))
    fixes += ["remove the DKMS packages"] if commands else []
    summary = "an RDMA stack of another vendor is installed" if stacks else "two packages contain the same driver"
    conjunction = ", and" if len(fixes) > 1 else " and"
    fix = Fix(f"{', '.join(fixes)}{conjunction} install the NIC's software again", None, commands, "reboot")
    return failure(summary, "none", format_list(found), fix)


_UNINSTALLERS = {"MLNX_OFED": "/usr/sbin/ofed_uninstall.sh"}  # Broadcom 957608-AN210, 5.1 question 7


def _format_uninstallation(stack: str) -> str:
    program = _UNINSTALLERS.get(stack)
    return f"uninstall {stack}" if program is None else f"uninstall {stack} with its own program {program}"


_PACKAGE = "DKMS package "


def _list_packages(context: CheckContext, conflicts: tuple[str, ...]) -> list[str]:
    """Of each two packages the one to remove, with its version: the first, unless the plan contains it."""
    packages: dict[str, None] = {}
    for conflict in conflicts:
        if conflict.startswith(_PACKAGE):
            redundant, _, neighbour = conflict.removeprefix(_PACKAGE).partition(" beside ")
            name = redundant.partition("/")[0].replace("-", "_")
            packages[neighbour if name in context.entity.packages else redundant] = None
    return list(packages)


def _list_stacks(context: CheckContext, nic: Nic) -> list[str]:
    model = context.plan.hardware.nics.get(nic.model or "")
    return model.stacks if model else []
