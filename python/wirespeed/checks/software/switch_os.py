"""Release of the switch's operating system

The switch runs the planned release of its operating system (`os_version` of the cluster file) or one of its builds.
Without `os_version` it runs no earlier release than the oldest one that understands the rendered commands.

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

from wirespeed.checks.model import CheckContext, InapplicableError, NoIntentError, Outcome, failure, success
from wirespeed.plan.combination import parse_version
from wirespeed.plan.switch_release import find_oldest_release
from wirespeed.results.findings import Fix
from wirespeed.settings import Compare, Switch

subject = Switch
needs = ("switch.os_version",)
failures = ("SW-15",)


def check(context: CheckContext) -> Outcome:
    """A build of the planned release is that release."""
    switch: Switch = context.entity
    if switch.os_version is None:
        return _compare_with_oldest(context, switch)
    intended, found = switch.os_version, context.get_found_value("switch.os_version")
    if Compare.OS_RELEASE.holds(intended, found):
        return success(intended, found)
    alternative = f", or write `os_version: {found}` in the cluster file and render again" if found[0].isdigit() else ""
    fix = Fix(f"install {intended} on the switch{alternative}", consequence="reboot")
    return failure("the switch runs another release of its operating system", intended, found, fix)


def _compare_with_oldest(context: CheckContext, switch: Switch) -> Outcome:
    """A release without a number, such as an image of a development branch, is not comparable."""
    oldest = find_oldest_release(context.plan.hardware, switch)
    if oldest is None:
        raise NoIntentError("not planned: switch.os_version")
    found: str = context.get_found_value("switch.os_version")
    if not found[0].isdigit():
        raise InapplicableError("the release of the switch has no number to compare")
    expected = f"{oldest.value} or later"
    if parse_version(found) >= parse_version(oldest.value):
        return success(expected, found)
    return failure(
        "the switch runs an earlier release of its operating system than the rendered commands need",
        expected,
        found,
        Fix(f"install {expected} on the switch", consequence="reboot"),
    )
