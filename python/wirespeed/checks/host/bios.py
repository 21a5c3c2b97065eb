"""Firmware attribute

An attribute of the host's firmware (BIOS, UEFI) has the planned value.

Why it hurts:
    Firmware decides before the kernel starts how many NUMA nodes a socket is, whether two threads share a core, whether
    DMA can be translated, and whether clocks are held. A board that was exchanged comes with its maker's defaults, and
    its node is slow among its sisters with nothing in any file of the system.

How to fix:
    Set it in the firmware's menu, or through the BMC, and reboot. bios-checklist.txt among the host's rendered files
    has each with its menu. Then save the BMC's answer anew, as told there. If the site wants another value, say so
    under `bios` in the cluster file.

Example:
    $ grep LogicalProc /var/lib/wirespeed/redfish-bios.json
            "LogicalProc": "Enabled",

Source:
    Broadcom 957608-AN210, section 3.1, table 2; ESnet, 400G Testbed Configuration, BIOS
"""

from wirespeed.checks.model import Here, Outcome, failed, passed, warned
from wirespeed.facts import State
from wirespeed.results.findings import Fix
from wirespeed.settings import BiosAttribute

over = BiosAttribute
needs = ("bios.value", "bios.verified")
failures = ("PCI-11", "PCI-12")


def check(here: Here) -> Outcome:
    """What the running kernel proves goes before what was saved; a name that is not certain warns at worst."""
    expected = here.intended("bios.value")
    found = here.found("bios.value")
    if found == expected:
        return passed(expected, found)
    running = here.facts.reading(here.place, "bios.value")
    doubtful = here.facts.value(here.place, "bios.verified") is False
    where = here.thing.menu or f"{here.place.name} in the firmware's menus"
    fix = Fix(f"set {where} to {here.thing.says or expected}", consequence="reboot")
    if doubtful and running is not None and running.state is not State.RUNNING:
        return warned(
            "the firmware may have another value: the attribute's name there is not certain", expected, found, fix
        )
    return failed("the firmware has another value", expected, found, fix)
