"""OSU micro-benchmarks: latency and bandwidth of pairs of hosts, then all-reduce and all-to-all over growing groups."""

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


def make(request: Request) -> Steps:
    """Add pairs, then groups of several hosts, smallest first."""
    steps = Steps()
    rounds, notes_on_unpaired = pair_rounds(request.fabric)
    steps.notes += [*request.fabric.excluded_nics, *notes_on_unpaired]
    hosts = dict.fromkeys((pair.a.host, pair.b.host) for round_pairs in rounds for pair in round_pairs)
    for program in ("osu_latency", "osu_bw"):
        for pair in hosts:
            add_job(request, steps, pair, 1, (program,), _SECONDS, tag=program)
        steps.next_stage()
    for level, groups in groups_by_level(request.fabric):
        for program in ("osu_allreduce", "osu_alltoall"):
            for group in groups if level != "host" else ():
                add_job(
                    request,
                    steps,
                    group,
                    _count_ranks(request, group[0]),
                    (program,),
                    _SECONDS,
                    tag=f"{program}.{level}",
                )
            steps.next_stage()
    return steps


def follow_group(request: Request, steps: Steps, group: Sequence[str]) -> None:
    """Add an all-reduce over one more group."""
    add_job(request, steps, group, _count_ranks(request, group[0]), ("osu_allreduce",), _SECONDS, tag="osu_allreduce")


def _count_ranks(request: Request, host: str) -> int:
    return request.plan.hosts[host].launch.ranks_per_host or 1
