"""OSU micro-benchmarks: latency, bandwidth and message rate of pairs of hosts, then start-up, bandwidth of many pairs,
all-reduce and all-to-all over growing groups.
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
    for level, groups in groups_by_level(request.fabric):
        for program in _GROUPS:
            for group in groups if level != "host" else ():
                ranks = _count_ranks(request, group[0])
                # Half of its ranks send to the other half.
                is_odd = program == "osu_mbw_mr" and len(group) * ranks % 2 == 1
                members = group[:-1] if is_odd else group
                add_job(request, steps, members, ranks, (program,), _SECONDS, tag=f"{program}.{level}")
            steps.next_stage()
    return steps


def follow_group(request: Request, steps: Steps, group: Sequence[str]) -> None:
    """Add an all-reduce over one more group."""
    add_job(request, steps, group, _count_ranks(request, group[0]), ("osu_allreduce",), _SECONDS, tag="osu_allreduce")


def _count_ranks(request: Request, host: str) -> int:
    return request.plan.hosts[host].launch.ranks_per_host or 1
