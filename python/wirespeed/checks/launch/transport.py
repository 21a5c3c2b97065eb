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
from wirespeed.checks.launch import ENVIRONMENT_FIX
from wirespeed.checks.model import CheckContext, Outcome, success
from wirespeed.settings import Host

subject = Host
needs = ("host.launch.transport",)
failures = ("MPI-05",)

_compare = compare(
    *needs,
    wrong="jobs use another RDMA transport",
    fix="set the transport of the library",
    override=ENVIRONMENT_FIX,
)


def check(context: CheckContext) -> Outcome:
    """NICs without an accelerated transport use the same one with and without ``-verbs``."""
    intended, found = context.get_intended_value(*needs), context.get_found_value(*needs)
    if not _has_accelerated_transport(context) and intended.removesuffix(_VERBS) == found.removesuffix(_VERBS):
        return success(intended, found)
    return _compare(context)


_VERBS = "-verbs"


def _has_accelerated_transport(context: CheckContext) -> bool:
    """Whether the library has accelerated transports for one of the host's NICs."""
    host: Host = context.entity
    library = context.plan.hardware.libraries.get(host.launch.library or "")
    transports = library.accelerated_transports if library else None
    return transports is not None and any(nic.driver.name in transports.drivers for nic in host.nics.values())
