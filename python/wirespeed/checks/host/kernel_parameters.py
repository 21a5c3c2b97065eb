"""Kernel command line of the host

The command line of the running kernel contains every planned parameter; further ones are allowed. Parameters of the
IOMMU are not needed where the BIOS switches it off.

Impact:
    A missing parameter changes what the running kernel does. Without iommu=pt, for example, the DMA of NICs and GPUs is
    translated.

Fix:
    Add the parameters in the boot loader's configuration, regenerate it, and reboot.

Example:
    $ cat /proc/cmdline
    BOOT_IMAGE=/vmlinuz-6.8.0-60-generic root=/dev/sda2 ro intel_iommu=on iommu=pt

Source:
    Broadcom 957608-AN210, 2.3
"""

from wirespeed.checks.model import CheckContext, Outcome, UnreadError, failure, success
from wirespeed.checks.wording import format_list
from wirespeed.settings import Host

subject = Host
needs = ("host.kernel.command_line", "host.kernel.iommu")
failures = ("PCI-02",)


_IOMMU = frozenset({"iommu=pt", "intel_iommu=on", "amd_iommu=on"})


def check(context: CheckContext) -> Outcome:
    """Only the missing ones are named: a command line is long."""
    intended = context.get_intended_value("host.kernel.command_line")
    found = context.get_found_value("host.kernel.command_line")
    missing_parameters = [parameter for parameter in intended if parameter not in found]
    if missing_parameters and _IOMMU.issuperset(missing_parameters) and _is_iommu_off(context):
        return success(format_list(intended), "no IOMMU to configure: it is off")
    if not missing_parameters:
        return success(format_list(intended), format_list(parameter for parameter in found if parameter in intended))
    fix = context.build_change(
        "add them to the kernel command line", "host.kernel.command_line", intended, consequence="reboot"
    )
    return failure(
        "parameters are missing on the kernel command line",
        format_list(intended),
        f"without {format_list(missing_parameters)}",
        fix,
    )


def _is_iommu_off(context: CheckContext) -> bool:
    try:
        return bool(context.get_found_value("host.kernel.iommu") == "off")
    except UnreadError:
        return False
