"""Defaults of RDMA connections

New connections of rdma_cm use RoCE v2 by default, with the planned DSCP or the one that the NIC's driver selects.

Impact:
    Storage protocols and other programs that connect with rdma_cm take these defaults. RoCE v1 frames carry no IP
    header: routers do not forward them, and they have no DSCP and no ECN. With another DSCP a connection uses another
    queue in every switch.

Fix:
    Write both defaults. The folder of a device exists only between mkdir and rmdir; the values stay until the driver
    is loaded again.

Example:
    # cd /sys/kernel/config/rdma_cm && mkdir bnxt_re0 && cat bnxt_re0/ports/1/default_roce_mode; rmdir bnxt_re0
    IB/RoCE v1

Source:
    Linux Documentation/ABI/testing/configfs-rdma_cm; drivers/infiniband/core/cma.c; Broadcom, bnxt_setupcc.sh
    236.1.155.0, and out-of-box driver bnxt_re 233.2.77.9, bnxt_re_update_ah_dscp_sl
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, warning
from wirespeed.results.findings import Status
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.roce_version", "nic.qos.connection_dscp")
failures = ("NIC-20", "QOS-01")
_compare_version = compare(
    "nic.roce_version",
    wrong="connections of rdma_cm use another RoCE version by default",
    fix="set the default RoCE version of connections",
)
_DSCP = "nic.qos.connection_dscp"


def check(context: CheckContext) -> Outcome:
    """ToS 0 is no finding: Broadcom's driver gives such connections the DSCP of its RoCE class (nic.qos-marks).

    A ToS that was not read leaves the version to be judged: older kernels have none.
    """
    outcome = _compare_version(context)
    if outcome.status is not Status.PASS or context.facts.reading(context.place, _DSCP) is None:
        return outcome
    try:
        intended = context.get_intended_value(_DSCP)
    except NoIntentError:
        return outcome
    found = context.get_found_value(_DSCP)
    if found in (0, intended):
        return outcome
    return warning(
        "connections of rdma_cm have another DSCP by default",
        f"DSCP {intended} or 0",
        f"DSCP {found}",
        context.build_change("set the default DSCP of connections", _DSCP, intended),
        reason="only programs that connect with rdma_cm and set no type of service; newer NICs replace a DSCP "
        "without a lossless queue",
    )
