"""Progress thread of a job

No job has a progress thread that is not planned.

Impact:
    The thread polls: beside a rank on the same core it takes half of the rank's time. Where every core has a rank, the
    latency of every message rises.

Fix:
    Remove the variable from the library's configuration file and from job scripts; or plan `async_progress: true` with
    at most half as many ranks as the host has cores.

Example:
    MV2_OPTIMIZED_ASYNC_PROGRESS=1, or MPICH_ASYNC_PROGRESS=1 in the environment of a job

Source:
    MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), asynchronous progress thread; MVAPICH2 2.3.7 source,
    src/mpi/init/init.c, MPIR_CVAR_ASYNC_PROGRESS
"""

from wirespeed.checks.launch import ENVIRONMENT_FIX
from wirespeed.checks.model import CheckContext, ElsewhereError, Outcome, UnreadError, failure, success, warning
from wirespeed.facts import State
from wirespeed.results.findings import Fix
from wirespeed.settings import Host

subject = Host
needs = ("host.launch.async_progress",)
failures = ("MPI-06",)
_WRONG = "jobs have a progress thread that is not planned"


def check(context: CheckContext) -> Outcome:
    """A planned thread is compared by launch.settings; without a value the library has its default, none."""
    launch = context.entity.launch
    if launch.async_progress or not launch.ranks_per_host:
        raise ElsewhereError
    try:
        is_enabled: bool = context.get_found_value(*needs)
    except UnreadError:
        raise ElsewhereError from None
    expected = "no progress thread"
    if not is_enabled:
        return success(expected, expected)
    reading = context.facts.reading(context.place, needs[0])
    is_running = reading is not None and reading.state is State.RUNNING
    sentence = ENVIRONMENT_FIX if is_running else "remove the variable from the library's configuration file"
    ranks, threads = launch.ranks_per_host, launch.threads or 1
    cores = _count_cores(context)
    if cores is None or ranks * (threads + 1) <= cores:
        reason = "a core is free for each thread" if cores is not None else "the number of cores is not known"
        return warning(_WRONG, expected, "a progress thread for each rank", Fix(sentence), reason=reason)
    found = f"a progress thread for each rank: {ranks * (threads + 1)} threads on {cores} cores"
    return failure(_WRONG, expected, found, Fix(sentence))


def _count_cores(context: CheckContext) -> int | None:
    host: Host = context.entity
    server = context.plan.hardware.servers.get(host.model or "")
    cpus = None if server is None else server.cpus
    return None if cpus is None else cpus.sockets.value * cpus.cores.value
