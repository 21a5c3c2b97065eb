"""Collectives of NCCL or RCCL over growing groups: each host alone, hosts under a leaf, of a pod, all.

Groups of one size share no host and run at the same time. If a small group is good and the next larger one is not, the
cause is in the part that the larger one adds: NICs, spines, cores. A bad group is halved until one host remains.

Hosts without RDMA run broadcast, all-reduce, all-to-all and all-gather with Open MPI, each host alone and then over
each network between them, with 1 GPU on each host up to all.
"""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.benchmarks.steps.groups import groups_by_level
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.socket_collectives import add_collectives
from wirespeed.benchmarks.steps.steps import add_job
from wirespeed.errors import refuse

TITLE = "all-reduce and all-to-all of GPUs over growing groups: host, leaf, pod, all"
NARROWS = ("all_reduce_perf",)
OVER_SOCKETS = True

REDUCE = ("all_reduce_perf", "-b", "8", "-e", "8G", "-f", "2", "-g", "1")
_EXCHANGE = ("alltoall_perf", "-b", "8", "-e", "8G", "-f", "2", "-g", "1")
_SECONDS = 60.0  # both tables of all sizes; our own guess


def make(request: Request) -> Steps:
    """Add all groups of a size, then those of the next size."""
    steps = Steps()
    if all(endpoint.rail is None for endpoint in request.fabric.endpoints):
        for host in request.fabric.hosts:
            gpus(request, host)
        add_collectives(request, steps)
        return steps
    for level, groups in groups_by_level(request.fabric):
        for program in (REDUCE, _EXCHANGE):
            for group in groups:
                add_job(request, steps, group, gpus(request, group[0]), program, _SECONDS, tag=f"{program[0]}.{level}")
            steps.next_stage()
    return steps


def follow_group(request: Request, steps: Steps, group: Sequence[str]) -> None:
    """Add an all-reduce over one more group."""
    add_job(request, steps, group, gpus(request, group[0]), REDUCE, _SECONDS, tag=REDUCE[0])


def gpus(request: Request, host: str) -> int:
    """The number of ranks of a host: one for each GPU.

    Raises:
        Refusal: the host has no GPU.
    """
    count = len(request.plan.hosts[host].gpus)
    if not count:
        raise refuse(request.plan.name, f"{host} without GPUs", "hosts with GPUs", "the suite mpi needs none")
    return count
