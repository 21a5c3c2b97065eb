"""OSU micro-benchmarks: latency, bandwidth and message rate of pairs of hosts, then start-up, bandwidth of many pairs,
all-reduce and all-to-all over growing groups. With `launch: {gpu_memory: true}`, pairs, all-reduce and all-to-all
follow once more from GPU memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.benchmarks.steps.groups import groups_by_level
from wirespeed.benchmarks.steps.pairing import pair_rounds
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import add_job

TITLE = "OSU micro-benchmarks: pairs of hosts, then collectives over growing groups"
NARROWS = ("osu_allreduce",)
KERNEL_ONLY = True

_SECONDS = 30.0


_PAIRS = (("osu_latency",), ("osu_bw",), ("osu_bibw",), ("osu_mbw_mr", "-i", "1000"))
"""With a rank on each host. Iterations of the message rate: MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop)."""
_GROUPS = ("osu_init", "osu_mbw_mr", "osu_allreduce", "osu_alltoall")
"""With the planned ranks on each host, as in Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA."""
_GPU_PAIRS = ("osu_latency", "osu_bw", "osu_bibw")
_GPU_GROUPS = ("osu_allreduce", "osu_alltoall")
"""Also run from GPU memory. Options: OSU micro-benchmarks, README, -d and the buffers D D of pairs."""


def make(request: Request) -> Steps:
    """Add pairs, then groups of several hosts, smallest first."""
    steps = Steps()
    rounds, notes_on_unpaired = pair_rounds(request.fabric)
    steps.notes += [*request.fabric.excluded_nics, *notes_on_unpaired]
    hosts = dict.fromkeys((pair.a.host, pair.b.host) for round_pairs in rounds for pair in round_pairs)
    for command in _PAIRS:
        for pair in hosts:
            add_job(request, steps, pair, 1, command, _SECONDS, tag=command[0])
        steps.next_stage()
    with_gpus = [pair for pair in hosts if all(_find_gpu_memory(request, host) for host in pair)]
    for program in _GPU_PAIRS:
        for pair in with_gpus:
            _add_gpu_job(request, steps, pair, 1, program, tag=f"{program}-gpu")
        steps.next_stage()
    for level, groups in groups_by_level(request.fabric):
        for program in _GROUPS:
            for group in groups if level != "host" else ():
                ranks = _count_ranks(request, group[0])
                # Half of its ranks send to the other half.
                is_odd = program == "osu_mbw_mr" and len(group) * ranks % 2 == 1
                members = group[:-1] if is_odd else group
                add_job(request, steps, members, ranks, (program,), _SECONDS, tag=f"{program}.{level}")
            steps.next_stage()
        for program in _GPU_GROUPS:
            for group in groups if level != "host" else ():
                if all(_find_gpu_memory(request, host) for host in group):
                    ranks = min(_count_ranks(request, group[0]), len(request.plan.hosts[group[0]].gpus))
                    _add_gpu_job(request, steps, group, ranks, program, tag=f"{program}-gpu.{level}")
            steps.next_stage()
    return steps


def follow_group(request: Request, steps: Steps, group: Sequence[str]) -> None:
    """Add an all-reduce over one more group."""
    add_job(request, steps, group, _count_ranks(request, group[0]), ("osu_allreduce",), _SECONDS, tag="osu_allreduce")


def _add_gpu_job(request: Request, steps: Steps, hosts: Sequence[str], ranks: int, program: str, *, tag: str) -> None:
    memory = _find_gpu_memory(request, hosts[0])
    assert memory is not None
    buffers = ("D", "D") if program in _GPU_PAIRS else ()
    add_job(request, steps, hosts, ranks, (program, "-d", memory, *buffers), _SECONDS, tag=tag, data=" from GPU memory")


def _find_gpu_memory(request: Request, host: str) -> str | None:
    """``cuda`` or ``rocm``, if the MPI library of the host takes messages from GPU memory."""
    kind = request.plan.hosts[host].launch.gpu_memory
    return None if kind in (None, "none") else kind


def _count_ranks(request: Request, host: str) -> int:
    return request.plan.hosts[host].launch.ranks_per_host or 1
