"""RDMA stack of the NIC's vendor

The planned release of the NIC vendor's RDMA stack is installed.

Impact:
    Libraries and tools of the stack fit its drivers. With another release, or that of the distribution, options of the
    NIC cannot be read or set, and hosts of different releases support different congestion control.

Fix:
    Run software-install.sh; it removes the other release first.

Example:
    $ ofed_info -s
    OFED-internal-25.10-1.7.1:

Source:
    NVIDIA DOCA, DOCA-Host Installation and Upgrade 3.2.1
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Host, is_of_version

subject = Host
needs = ("host.software.rdma_stack",)
failures = ("NIC-04",)


def check(context: CheckContext) -> Outcome:
    """The plan may contain the beginning of a version only: the stack prints the build too."""
    intended, found = (
        context.get_intended_value("host.software.rdma_stack"),
        context.get_found_value("host.software.rdma_stack"),
    )
    if is_of_version(found, intended):
        return success(intended, found)
    fix = Fix("run the rendered software-install.sh; reboot if it requests this", consequence="reboot")
    return failure("another RDMA stack is installed", intended, found, fix)
