"""RDMA port state

The NIC has an RDMA device, and its port is active.

Impact:
    No job can use a port that is not active; libraries skip the rail or end.

Fix:
    Check whether the link is up (link.up) and the RDMA driver is loaded (software.kernel-modules). Where two outputs
    show different states, collect the host again: the port changed its state, or the driver or its library is wrong.

Example:
    $ rdma link show
    link bnxt_re0/1 state DOWN physical_state DISABLED netdev enp29s0np0

Source:
    Broadcom 957608-AN210, 2.6 items 6 and 8
"""

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.rdma_state",)
failures = ("CAB-01",)
causes = ("link.up", "nic.nvm-rdma")
_compare = compare(
    *needs,
    wrong="the RDMA port is not active",
    fix="bring the link up and load the RDMA driver",
    by_hand=True,
)


def check(context: CheckContext) -> Outcome:
    """Two outputs that contradict each other prove neither state: a warning."""
    outcome = _compare(context)
    if outcome.status is not Status.FAIL or " by ibv_devinfo" not in outcome.found:
        return outcome
    return replace(
        outcome,
        status=Status.WARN,
        summary="two outputs show different states of the RDMA port",
        fix=(Fix("collect the host again; if they still differ, load the RDMA driver and its library of one release"),),
    )
