"""Running kernel

The host runs the kernel release that its drivers were selected and built for.

Impact:
    Another kernel may have no peer-memory client, and drivers that were built for the planned one do not load.

Fix:
    Boot the planned kernel and exclude it from updates (apt-mark hold, dnf versionlock), or change the cluster file and
    install the software again.

Example:
    $ uname -r
    6.8.0-111-generic

Source:
    Broadcom 957608-AN210, 2.2.2.1
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Host

subject = Host
needs = ("host.kernel.version",)
failures = ("OS-12",)


def check(context: CheckContext) -> Outcome:
    """The whole release string: its last part is the flavour."""
    intended, found = context.get_intended_value("host.kernel.version"), context.get_found_value("host.kernel.version")
    if intended == found:
        return success(intended, found)
    fix = Fix(
        f"boot {intended} and exclude it from updates, or plan for {found} and install the software again",
        consequence="reboot",
    )
    return failure("another kernel is running", intended, found, fix)
