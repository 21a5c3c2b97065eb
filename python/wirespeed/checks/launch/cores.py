"""CPU cores of ranks

Each rank of a host is bound to the planned cores.

Impact:
    Two ranks on one core take turns, and so do a rank and the threads of its library: every message waits for the
    slower one. A rank on another socket than its NIC sends every byte over the link between the sockets.

Fix:
    Set the mapping, or install the rendered files again. With Slurm check the binding of srun too.

Example:
    MV2_CPU_MAPPING=0:0:1:1

Source:
    MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), optimized default CPU mapping policy;
    Broadcom 957608-AN210, 8.7.3.1; MVAPICH2 2.3.7 user guide, MV2_CPU_BINDING_POLICY and MV2_HYBRID_BINDING_POLICY
"""

from collections.abc import Sequence
from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.launch import ENVIRONMENT_FIX
from wirespeed.checks.model import CheckContext, Outcome, UnreadError, failure, success
from wirespeed.checks.wording import format_value
from wirespeed.cluster.launch import BindingPolicy
from wirespeed.plan.core_binding import bind, build_topology
from wirespeed.results.findings import Status
from wirespeed.settings import Cores, Host

subject = Host
needs = ("host.launch.cores", "host.launch.binding")
failures = ("MPI-06",)
_compare = compare(
    needs[0],
    wrong="ranks are bound to other cores than planned (rank -> cores)",
    fix="set the cores of the ranks",
    override=ENVIRONMENT_FIX,
)


def check(context: CheckContext) -> Outcome:
    """Two ranks on one core are named. Without a mapping the library places its ranks by its own policy."""
    try:
        outcome = _compare(context)
    except UnreadError:
        return _compare_policy(context)
    if outcome.status is not Status.FAIL or (shared := _find_shared_core(context.get_found_value(needs[0]))) is None:
        return outcome
    core, first, second = shared
    return replace(outcome, summary=f"ranks {first} and {second} are both bound to core {core} (rank -> cores)")


def _compare_policy(context: CheckContext) -> Outcome:
    """The cores that the library's policy selects, from the first socket on, against the planned ones."""
    planned: Cores = context.get_intended_value(needs[0])
    unread = context.build_unread_error(context.place, needs[0])
    try:
        policy = BindingPolicy(context.get_found_value(needs[1]))
    except UnreadError:
        raise unread from None
    selected = _select_cores(context, policy, len(planned))
    if selected is None:
        raise unread
    if selected == planned:
        text = format_value(planned)
        return success(text, f"{text}, by the library's policy {policy}")
    fix = context.build_change("set the cores of the ranks", needs[0], planned)
    found = f"{format_value(selected)}, by the library's policy {policy}"
    return failure("ranks without a mapping are on other cores", format_value(planned), found, fix)


def _select_cores(context: CheckContext, policy: BindingPolicy, ranks: int) -> Cores | None:
    """None where the library's algorithm is not that of the planned policies: a rank with several threads, sockets or
    cores that do not divide the ranks.

    Source: MVAPICH2 2.3.7 source, hwloc_bind.c, mv2_generate_implicit_cpu_mapping.
    """
    host: Host = context.entity
    server = context.plan.hardware.servers.get(host.model or "")
    if server is None or server.cpus is None or (host.launch.threads or 1) > 1:
        return None
    sockets, cores = server.cpus.sockets.value, server.cpus.cores.value
    if sockets > 2 or ranks % sockets or (policy is BindingPolicy.SPREAD and sockets * cores % ranks):
        return None
    return bind(policy, build_topology(server.cpus, None), ranks, 1)


def _find_shared_core(cores: Sequence[Sequence[int]]) -> tuple[int, int, int] | None:
    """The first core of two ranks, with both ranks."""
    owners: dict[int, int] = {}
    for rank, cores_of_rank in enumerate(cores):
        for core in cores_of_rank:
            if owners.setdefault(core, rank) != rank:
                return core, owners[core], rank
    return None
