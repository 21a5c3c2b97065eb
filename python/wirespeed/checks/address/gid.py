"""GID of the NIC

The GID table of the NIC contains its address as RoCE v2.

Impact:
    RoCE v1 frames carry no IP header. Routers do not forward them, and they have no DSCP and no ECN, so they are not
    lossless.

Fix:
    Check that the interface is up and has its address (address.nic). Reload the RDMA driver if the table is stale.

Example:
    GID[  2]:  ::ffff:10.1.0.1, RoCE v1

Source:
    Broadcom 957608-AN210, 2.6 item 10
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.checks.nics import find_planned_gid, gid_table
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.gids", "gid.address", "gid.type")
failures = ("NIC-05",)

causes = ("address.nic",)


def check(context: CheckContext) -> Outcome:
    """At any index; the index that a job uses is checked by launch.gid-index."""
    context.get_intended_value("nic.rdma_device")  # an interface without RDMA has no GID table
    planned_gid = find_planned_gid(context)
    rows = gid_table(context, context.place)
    if planned_gid in rows.values():
        return success(planned_gid, planned_gid)
    table = "; ".join(f"index {index}: {text}" for index, text in rows.items()) or "an empty table"
    fix = Fix("set the address of the interface; reload the RDMA driver if the GID table does not change")
    return failure("the address of the NIC is not in its GID table as RoCE v2", planned_gid, table, fix)
