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
    Broadcom 957608-AN210, 2.3; Linux, Documentation/admin-guide/kernel-parameters.txt, iommu= and intel_iommu=
"""

from collections.abc import Sequence

from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, UnreadError, failure, success
from wirespeed.checks.wording import format_list
from wirespeed.results.findings import Fix
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
    off_parameter = _find_off_parameter(intended, found)
    if not missing_parameters and off_parameter is None:
        return success(format_list(intended), format_list(parameter for parameter in found if parameter in intended))
    if _IOMMU.issuperset(missing_parameters) and _is_off_as_good(context, off_parameter):
        return success(format_list(intended), "no IOMMU to configure: it is off")
    removal = () if off_parameter is None else (_build_removal(off_parameter),)
    if not missing_parameters:
        return failure(
            "a parameter of the kernel command line switches off the IOMMU, which is planned",
            f"{format_list(intended)} without {off_parameter}",
            off_parameter or "",
            *removal,
        )
    addition = context.build_change(
        "add them to the kernel command line", "host.kernel.command_line", intended, consequence="reboot"
    )
    return failure(
        "parameters are missing on the kernel command line",
        format_list(intended),
        f"without {format_list(missing_parameters)}" + (f", and with {off_parameter}" if off_parameter else ""),
        *removal,
        addition,
    )


def _build_removal(parameter: str) -> Fix:
    return Fix(f"remove {parameter} from the kernel command line: it switches off the IOMMU", consequence="reboot")


def _find_off_parameter(intended: Sequence[str], found: Sequence[str]) -> str | None:
    """The parameter that switches off the IOMMU, whatever others are on the command line.

    iommu=off sets no_iommu, which nothing on the command line resets, and with which intel_iommu_init and
    amd_iommu_detect return; of intel_iommu= the last on or off counts. Values are lists, compared by their beginning:
    Linux, arch/x86/kernel/pci-dma.c, iommu_setup; drivers/iommu/intel/iommu.c, intel_iommu_setup;
    drivers/iommu/amd/init.c, parse_amd_iommu_options.
    """
    last_of_intel, is_intel = None, "intel_iommu=on" in intended
    if not _IOMMU.intersection(intended):
        return None
    for parameter in found:
        name, _, values = parameter.partition("=")
        for value in values.split(","):
            if (name == "iommu" or (name == "amd_iommu" and not is_intel)) and value.startswith("off"):
                return parameter
            if name == "intel_iommu" and is_intel and value.startswith(("on", "off")):
                last_of_intel = parameter if value.startswith("off") else None
    return last_of_intel


def _is_off_as_good(context: CheckContext, off_parameter: str | None) -> bool:
    """Whether the IOMMU is off, and the plan needs none: it plans one that does not translate (`host.iommu`).

    Hosts that lend devices need one: without it data are copied to memory (Johansen, appendix A.1.2).
    """
    try:
        context.get_intended_value("host.kernel.iommu")
        return bool(context.get_found_value("host.kernel.iommu") == "off")
    except NoIntentError:
        return False
    except UnreadError:
        return off_parameter is not None
