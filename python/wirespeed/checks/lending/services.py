"""Services of the PCIe bridge

The services of eXpressWare are active: the driver of the bridge, its node manager and the SISCI interface.

Impact:
    Without the driver the bridge does nothing. Without the node manager it does not get its configuration, so the other
    host cannot be reached. Without SISCI its programs and benchmarks fail.

Fix:
    Start the services with dis_services restart, then look at dis_services status -l. If errors remain, reboot; after
    an update of the kernel, run the installer of eXpressWare again. borrow.sh and return.sh stop dis_sisci while they
    run.

Example:
    $ systemctl is-active dis_irm.service dis_nodemgr.service dis_sisci.service
    active
    failed
    active

Source:
    Dolphin eXpressWare 5 installation and reference guide for Linux, chapter 6, section 3.1; Johansen, Fast Multi-GPU
    communication over PCI Express, appendix A.3.10
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.checks.wording import format_list
from wirespeed.results.findings import Fix
from wirespeed.settings import Host

subject = Host
needs = ("host.inactive_services",)
failures = ("OS-12",)


def check(context: CheckContext) -> Outcome:
    """The plan has a bridge."""
    context.get_intended_value("host.inactive_services")
    inactive = context.get_found_value("host.inactive_services")
    if not inactive:
        return success("all active", "all active")
    fix = Fix("run /opt/DIS/sbin/dis_services restart; if that fails after a kernel update, run the installer again")
    return failure(
        "services of the PCIe bridge are not active", "all active", f"not active: {format_list(inactive)}", fix
    )
