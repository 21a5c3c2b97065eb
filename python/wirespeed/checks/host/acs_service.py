"""Boot service that disables ACS

A service disables PCIe Access Control Services (ACS) at every boot. It is not needed if no bridge has ACS, or if ACS
and IOMMU are both off: the kernel enables ACS only with the IOMMU. It is planned only for a host with PCIe switches,
or with bridges between NICs and GPUs. If the IOMMU is off and ACS was not read, the result is unknown. Functions
outside the plan with enabled ACS, such as the bridges above drives, are listed as a note: no planned traffic crosses
them.

Impact:
    Firmware and kernel enable ACS again at each boot. Without the service the cluster is fast until the first reboot;
    after it GPU traffic is slow, without any log message.

Fix:
    Install the rendered unit with apply.sh, which also enables it; or disable ACS in the BIOS if it has the option.

Example:
    $ systemctl is-enabled wirespeed-acs.service
    disabled

Source:
    Broadcom 957608-AN210, 2.3 and appendix D; Linux drivers/pci/pci.c, pci_enable_acs and pci_request_acs, which the
    drivers of the IOMMU call
"""

from contextlib import suppress
from dataclasses import replace

from wirespeed.checks.model import CheckContext, Outcome, UnreadError, failure, success, warning
from wirespeed.errors import format_first
from wirespeed.settings import Host, PcieFunction

subject = Host
needs = ("host.acs_service", "host.kernel.iommu", "pcie.acs")
failures = ("PCI-01",)

_ENABLED = "boot service that disables ACS: enabled"
_ENABLED_OR_BIOS = f"{_ENABLED}, or ACS off in the BIOS"
_NOT_ENABLED = "boot service: not enabled"
_MAXIMUM = 6  # functions in one finding


def check(context: CheckContext) -> Outcome:
    """Only a warning while ACS is off everywhere: another program may keep it off."""
    outcome = _check_service(context)
    unplanned = _list_unplanned_functions(context)
    if not unplanned:
        return outcome
    for address in unplanned[:_MAXIMUM]:
        context.get_found_value("pcie.acs", context.place.child("pcie", address))  # the evidence
    note = f"note: no planned traffic crosses {format_first(unplanned, _MAXIMUM)}, where ACS is on"
    return replace(outcome, found=f"{outcome.found}; {note}")


def _list_unplanned_functions(context: CheckContext) -> list[str]:
    """Addresses of the functions outside the plan that have ACS on."""
    host, planned = context.facts.devices.get(context.place.device), context.plan.hosts[context.place.device].pcie
    functions = host.pcie if isinstance(host, Host) else {}
    return [address for address, function in functions.items() if function.acs and address not in planned]


def _check_service(context: CheckContext) -> Outcome:
    context.get_intended_value("host.acs_service")
    if context.get_found_value("host.acs_service"):
        return success(_ENABLED, _ENABLED)
    fix = context.build_change("enable the boot service that disables ACS", "host.acs_service", True)
    functions = _list_functions(context)
    registers = [function.acs for function in functions if function.acs is not None]
    if not registers and _is_iommu_off(context):
        raise context.build_unread_error(context.place, "pcie.acs")
    if not registers or any(registers):
        return failure("ACS is on again after the next boot", _ENABLED, _NOT_ENABLED, fix)
    if not any(function.acs_capable is not False for function in functions if function.acs is not None):
        return success(_ENABLED_OR_BIOS, f"{_NOT_ENABLED}; no PCIe function has the ACS capability")
    if _is_iommu_off(context):
        return success(_ENABLED_OR_BIOS, f"{_NOT_ENABLED}; ACS is off, and the IOMMU is off")
    reason = "the kernel turns ACS on at every boot while the IOMMU is on, unless another program turns it off"
    return warning("ACS is off, but no boot service keeps it off", _ENABLED, _NOT_ENABLED, fix, reason=reason)


def _is_iommu_off(context: CheckContext) -> bool:
    with suppress(UnreadError):
        return bool(context.get_found_value("host.kernel.iommu") == "off")
    return False


def _list_functions(context: CheckContext) -> list[PcieFunction]:
    host = context.facts.devices.get(context.place.device)
    return list(host.pcie.values()) if isinstance(host, Host) else []
