"""Boot service that disables ACS

A service disables PCIe Access Control Services (ACS) at every boot.

Impact:
    Firmware and kernel enable ACS again at each boot. Without the service the cluster is fast until the first reboot;
    after it GPU traffic is slow, without any log message.

Fix:
    Install and enable the rendered unit, or disable ACS in the BIOS if it has the option.

Example:
    $ systemctl is-enabled wirespeed-acs.service
    disabled

Source:
    Broadcom 957608-AN210, 2.3 and appendix D
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success, warning
from wirespeed.settings import Host

subject = Host
needs = ("host.acs_service",)
failures = ("PCI-01",)


def check(context: CheckContext) -> Outcome:
    """Only a warning while ACS is off everywhere: an option of the BIOS may keep it off."""
    context.get_intended_value("host.acs_service")
    if context.get_found_value("host.acs_service"):
        return success("enabled", "enabled")
    fix = context.build_change("enable the service that disables ACS at boot", "host.acs_service", True)
    if _is_acs_off(context):
        reason = "if no option of the BIOS keeps ACS off, the next boot enables it again"
        return warning("ACS is off, but no service keeps it off", "enabled", "not enabled", fix, reason=reason)
    return failure("ACS is enabled again at the next boot", "enabled", "not enabled", fix)


def _is_acs_off(context: CheckContext) -> bool:
    """Whether every PCIe function with a readable ACS register has it off."""
    host = context.facts.devices.get(context.place.device)
    registers = [function.acs for function in host.pcie.values()] if isinstance(host, Host) else []
    return any(register is not None for register in registers) and not any(registers)
