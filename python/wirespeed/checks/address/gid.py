"""GID of the NIC

The NIC's address stands in its GID table, as RoCE v2.

Why it hurts:
    RoCE v1 frames carry no IP header: no router forwards them, and DSCP, ECN and so lossless service do not exist
    for them.

How to fix:
    See that the interface is up and has its address (address.assigned); load the RDMA driver again if the table is
    stale.

Example:
    GID[  2]:  ::ffff:10.1.0.1, RoCE v1

Source:
    Broadcom 957608-AN210, 2.6 item 10
"""

from wirespeed.checks.model import Here, Outcome, failed, passed
from wirespeed.checks.nics import gid_table, wanted_gid
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic

over = Nic
needs = ("nic.gids", "gid.address", "gid.type")
failures = ("NIC-05",)


def check(here: Here) -> Outcome:
    """At any row; which row a job uses is another check's business."""
    here.intended("nic.rdma_device")  # an interface without RDMA has no GID table
    wanted = wanted_gid(here)
    rows = gid_table(here, here.place)
    if wanted in rows.values():
        return passed(wanted, wanted)
    table = "; ".join(f"row {index}: {text}" for index, text in rows.items()) or "an empty table"
    fix = Fix("set the address of the interface; load the RDMA driver again if the table does not follow")
    return failed("the address of the NIC is no RoCE v2 GID", wanted, table, fix)
