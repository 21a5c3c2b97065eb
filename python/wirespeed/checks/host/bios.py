"""BIOS attribute

An attribute of the host's firmware (BIOS or UEFI) has the planned value.

Impact:
    Before the kernel starts, firmware decides how many NUMA nodes a socket has, whether two threads share a core,
    whether DMA can be translated, and whether clocks are held. A replaced board has the vendor's defaults: its host is
    slower than its peers, and no file of the operating system shows why.

Fix:
    Set it in the BIOS menu or through the BMC, and reboot. The rendered bios-checklist.txt of the host lists each
    attribute with its menu. Then save the new BMC output as described there. If the site needs another value, set it
    under `bios` in the cluster file.

Example:
    $ grep LogicalProc /var/lib/wirespeed/redfish-bios.json
            "LogicalProc": "Enabled",

Source:
    Broadcom 957608-AN210, section 3.1, table 2, and section 5.1, question 8; ESnet, 400G Testbed Configuration, BIOS
"""

from wirespeed.checks.model import CheckContext, Outcome, UnreadError, failure, success, warning
from wirespeed.facts import State
from wirespeed.results.findings import Fix
from wirespeed.settings import BiosAttribute

subject = BiosAttribute
needs = ("bios.value", "bios.verified")
failures = ("PCI-11", "PCI-12", "PCI-17")


def check(context: CheckContext) -> Outcome:
    """A value proved by the running kernel overrides saved BMC output; an unchecked attribute name only warns."""
    expected = context.get_intended_value("bios.value")
    menu = context.entity.menu or f"{context.place.name} in the BIOS menus"
    planned = context.entity.menu_value or expected
    try:
        found = context.get_found_value("bios.value")
    except UnreadError as error:
        if error.gaps or error.advice:
            raise
        advice = f"compare {menu} with the planned {planned}: no collected output contains this attribute"
        raise UnreadError(error.setting, error.reason, advice=advice, place=error.place) from None
    if found == expected:
        return success(expected, found)
    running_value = context.facts.reading(context.place, "bios.value")
    doubtful = context.facts.value(context.place, "bios.verified") is False
    fix = Fix(f"set {menu} to {planned}", consequence="reboot")
    if doubtful and running_value is not None and running_value.state is not State.RUNNING:
        return warning(
            "the BIOS may have another value (the attribute name was not checked in any document)", expected, found, fix
        )
    return failure("the BIOS attribute has another value", expected, found, fix)
