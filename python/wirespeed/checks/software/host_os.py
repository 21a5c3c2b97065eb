"""Operating system of the host

The host runs the planned distribution and release (`os` of the cluster file). A distribution that is derived from the
planned one (ID_LIKE in os-release), of the same release number, is a warning: Rocky Linux 8.8
for Red Hat Enterprise Linux 8.8.

Impact:
    The rendered files are those of the planned distribution: on another one no service reads them, and the host keeps
    its present addresses, routes and queues. Drivers, packages and kernels are selected for the planned release:
    packages of another release do not install, and CUDA 11.4 does not compile with the header files of Ubuntu 22.04.

Fix:
    Install the planned operating system, or write the one that the host runs as `os`, then validate and render again.

Example:
    $ cat /etc/os-release
    ID="rhel"
    VERSION_ID="8.8"

Source:
    os-release(5), ID, VERSION_ID and ID_LIKE; Alma Linux OS Foundation, 13 July 2023 (binary compatibility);
    Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.1
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success, warning
from wirespeed.results.findings import Fix
from wirespeed.settings import Compare, Host

subject = Host
needs = ("host.os", "host.os_like")
failures = ("OS-23",)


def check(context: CheckContext) -> Outcome:
    """A distribution that is derived from the planned one has the same release number."""
    intended, found = context.get_intended_value("host.os"), context.get_found_value("host.os")
    if Compare.OS_RELEASE.holds(intended, found):
        return success(intended, found)
    planned_name, running_name = (value.partition("-")[0] for value in (intended, found))
    fix = Fix(
        f"install {intended} on the host, or write `os: {found}` in the cluster file, validate and render again",
        consequence="reboot",
    )
    if running_name == planned_name:
        return failure("the host runs another release of its operating system", intended, found, fix)
    release = found.removeprefix(f"{running_name}-")
    is_derived = planned_name in context.get_found_value("host.os_like")
    if is_derived and Compare.OS_RELEASE.holds(intended, f"{planned_name}-{release}"):
        reason = f"drivers and packages for {intended} are not tested with {found}"
        return warning("the host runs a distribution derived from the planned one", intended, found, fix, reason=reason)
    return failure("the host runs another distribution", intended, found, fix)
