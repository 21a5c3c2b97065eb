"""RDMA transport of a job

Jobs use the planned transport: RC, UD, or both.

Impact:
    RC needs one queue pair for every pair of ranks: with thousands of ranks the queue-pair cache of the NIC overflows.
    UD needs one queue pair per rank, but the library must provide reliability and messages end at the path MTU: it is
    slower between few ranks.

Fix:
    Set the transport in the configuration file of the library, and remove it from job scripts.

Example:
    MV2_USE_ONLY_UD=1 left from an experiment, on one host

Source:
    MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), UD/RC Hybrid Transport Protocol Analysis
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome, success
from wirespeed.settings import Host

subject = Host
needs = ("host.launch.transport",)
failures = ("MPI-05",)

_compare = compare(
    *needs,
    wrong="jobs use another RDMA transport",
    fix="set the transport of the library",
)


def check(context: CheckContext) -> Outcome:
    """NICs without an accelerated transport use the same one with and without ``-verbs``."""
    intended, found = context.get_intended_value(*needs), context.get_found_value(*needs)
    drivers = {nic.driver.name for nic in context.entity.nics.values()}
    if _ACCELERATED.isdisjoint(drivers) and intended.removesuffix(_VERBS) == found.removesuffix(_VERBS):
        return success(intended, found)
    return _compare(context)


_ACCELERATED = {"mlx5_core"}
"""Drivers of the NICs for which UCX has accelerated transports; source: UCX, src/ucp/core/ucp_context.c, rc_mlx5."""
_VERBS = "-verbs"
