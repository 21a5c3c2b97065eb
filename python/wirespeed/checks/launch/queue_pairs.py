"""Queue pairs of a job

The NICs of the host have as many queue pairs as a job with the planned transport needs if every rank sends to every
other.

Impact:
    RC has a queue pair for each pair of ranks on different hosts. A rank that gets none ends the job, or its library
    changes to a slower transport where it can.

Fix:
    Use the hybrid transport or UD, or fewer ranks on each host.

Example:
    $ ibv_devinfo -v -d bnxt_re0 | grep max_qp:
    max_qp: 65537

Source:
    MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), UD/RC Hybrid Transport Protocol Analysis;
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, appendix A; ibv_query_device(3)
"""

from wirespeed.checks.model import CheckContext, InapplicableError, NoIntentError, Outcome, success, warning
from wirespeed.results.findings import Fix
from wirespeed.settings import Host

subject = Host
needs = ("nic.queue_pairs",)
failures = ("MPI-09",)


def check(context: CheckContext) -> Outcome:
    """Ranks that never exchange a message need none; the check cannot know which do."""
    needed: int = context.get_intended_value("host.launch.needed_queue_pairs")
    devices = context.get_intended_value("host.launch.rdma_devices")
    host: Host = context.entity
    nics = [interface for interface, nic in host.nics.items() if nic.rdma_device in devices]
    if not nics:
        raise NoIntentError("no NIC that jobs use")
    places = [context.place.child("nic", name) for name in nics]
    if not all(map(context.is_present, places)):
        raise InapplicableError("a NIC is missing")
    found = sum(context.get_found_value("nic.queue_pairs", place) for place in places)
    texts = (f"at least {needed:,}", f"{found:,} of {len(nics)} RDMA device{'s' if len(nics) > 1 else ''}")
    if found >= needed:
        return success(*texts)
    return warning(
        "the NICs have fewer queue pairs than a job may need",
        *texts,
        Fix("use the hybrid transport or ud, or fewer ranks on each host"),
        reason="only if every rank sends to every other",
    )
