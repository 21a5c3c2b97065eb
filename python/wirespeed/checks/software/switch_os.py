"""Release of the switch's operating system

The switch runs the planned release of its operating system (`os_version` of the cluster file) or one of its builds.

Impact:
    The rendered commands are those of the planned release. Another release can refuse some of them, ignore them or
    have other defaults: Community SONiC 202111 has no software watchdog, Cumulus Linux 5.5 no PFC watchdog.

Fix:
    Install the planned release on the switch, or write the release that it runs as `os_version`, then validate and
    render again.

Example:
    $ show version
    SONiC Software Version: SONiC.202205.847216-a2dedc96c

Source:
    sonic-buildimage, src/sonic-yang-models of 202111 and 202205; package nvueschema 0.1.0, models of Cumulus Linux 5.3
    to 5.18
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Compare, Switch

subject = Switch
needs = ("switch.os_version",)
failures = ("SW-15",)


def check(context: CheckContext) -> Outcome:
    """A build of the planned release is that release."""
    intended, found = context.get_intended_value("switch.os_version"), context.get_found_value("switch.os_version")
    if Compare.OS_RELEASE.holds(intended, found):
        return success(intended, found)
    alternative = f", or write `os_version: {found}` in the cluster file and render again" if found[0].isdigit() else ""
    fix = Fix(f"install {intended} on the switch{alternative}", consequence="reboot")
    return failure("the switch runs another release of its operating system", intended, found, fix)
