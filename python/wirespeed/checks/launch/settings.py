"""Settings of the communication library

The settings of a job that the plan contains and no other check compares: limits of the transports, coalescing, eager
messages, the progress thread, GPU memory and its links, channels, the interface for out-of-band traffic, and the
variables of `environment`. No job has a progress thread that is not planned.

Impact:
    A setting that is left over from an experiment slows every job on the host, and the slowest host slows the whole
    job. A progress thread polls: beside a rank on the same core it takes half of the rank's time.

Fix:
    Set the variable in the configuration file of the library, or install the rendered files again. Remove it from job
    scripts and profiles.

Example:
    MV2_USE_COALESCE=0 in /etc/mvapich2.conf; MPICH_ASYNC_PROGRESS=1 in the environment of a job

Source:
    MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), Latency and Message Rate Optimization;
    Broadcom 957608-AN210, 8.7.2.1; MVAPICH2 2.3.7 source, src/mpi/init/init.c, MPIR_CVAR_ASYNC_PROGRESS
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.launch import ENVIRONMENT_FIX
from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, UnreadError, failure, warning
from wirespeed.facts import State
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import Host

subject = Host
needs = tuple(
    f"host.launch.{name}"
    for name in (
        *("hybrid_from", "rc_connections", "rc_from_messages", "queue_pairs", "priority"),
        *("coalescing", "coalescing_from", "eager_sgl", "eager_sgl_limit", "async_progress"),
        *("gpu_memory", "gpu_direct", "gpu_direct_reads", "gpu_peers", "dma_buf", "virtual_memory"),
        *("fine_grained_memory", "relaxed_ordering", "shared_memory", "network_within_host", "channels"),
        *("control_interface", "environment"),
    )
)
failures = ("NCCL-04", "MPI-06")
_THREAD = "host.launch.async_progress"
_compare = compare(
    *needs,
    wrong="jobs use other settings of the communication library",
    fix="set the variable in the configuration file of the library",
    override=ENVIRONMENT_FIX,
)


def check(context: CheckContext) -> Outcome | tuple[Outcome, ...]:
    """A progress thread is reported without a planned value too: none is the default of every library."""
    thread = _find_unplanned_thread(context)
    try:
        outcome = _compare(context)
    except (NoIntentError, UnreadError):
        if thread is None:
            raise
        return thread
    if thread is None:
        return outcome
    return thread if outcome.status is Status.PASS else (outcome, thread)


def _find_unplanned_thread(context: CheckContext) -> Outcome | None:
    launch = context.entity.launch
    reading = context.facts.reading(context.place, _THREAD)
    if launch.async_progress is not None or not launch.ranks_per_host or reading is None:
        return None
    if not context.get_found_value(_THREAD):
        return None
    is_running = reading.state is State.RUNNING
    fix = Fix(ENVIRONMENT_FIX if is_running else "remove the variable from the library's configuration file")
    wrong, expected = "jobs have a progress thread that is not planned", "no progress thread"
    threads, cores = launch.ranks_per_host * ((launch.threads or 1) + 1), _count_cores(context)
    if cores is None or threads <= cores:
        reason = "the number of cores is not known" if cores is None else "a core is free for each thread"
        return warning(wrong, expected, "a progress thread for each rank", fix, reason=reason)
    return failure(wrong, expected, f"a progress thread for each rank: {threads} threads on {cores} cores", fix)


def _count_cores(context: CheckContext) -> int | None:
    host: Host = context.entity
    server = context.plan.hardware.servers.get(host.model or "")
    cpus = None if server is None else server.cpus
    return None if cpus is None else cpus.sockets.value * cpus.cores.value
