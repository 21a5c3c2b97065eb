"""Collectives of NCCL or RCCL over growing groups: each host alone, hosts under a leaf, of a pod, all.

Groups of one size share no host and run at the same time. If a small group is good and the next larger one is not, the
cause is in the part that the larger one adds: NICs, spines, cores. A bad group is halved until one host remains.

Sizes end at 16 GiB (Broadcom 957608-AN210, 8.5 and 8.7); the programs end earlier where GPUs have too little memory
(nccl-tests src/common.cu, "Reducing maxBytes").

Without `ranks` under `launch`, one process is started for each GPU. With `ranks`, this number of processes is started
on each host (at most one for each GPU), and they divide the GPUs of the host evenly (option `-g`).

Hosts without RDMA run broadcast, all-reduce, all-to-all and all-gather with Open MPI, each host alone and then over
each network between them, with 1 GPU on each host up to all.
"""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.benchmarks.steps.groups import groups_by_level
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.socket_collectives import add_collectives
from wirespeed.benchmarks.steps.steps import add_gpu_job, require_gpus

TITLE = "all-reduce and all-to-all of GPUs over growing groups: host, leaf, pod, all"
NARROWS = ("all_reduce_perf",)
OVER_SOCKETS = True

_REDUCE = ("all_reduce_perf", "-b", "8", "-e", "16G", "-f", "2")
_EXCHANGE = ("alltoall_perf", "-b", "8", "-e", "16G", "-f", "2")
_SECONDS = 120.0  # both tables of all sizes; our own guess


def make(request: Request) -> Steps:
    """Add all groups of a size, then those of the next size."""
    steps = Steps()
    if all(endpoint.rail is None for endpoint in request.fabric.endpoints):
        for host in request.fabric.hosts:
            require_gpus(request, host)
        add_collectives(request, steps)
        return steps
    for level, groups in groups_by_level(request.fabric):
        for program in (_REDUCE, _EXCHANGE):
            for group in groups:
                add_gpu_job(request, steps, group, program, _SECONDS, tag=f"{program[0]}.{level}")
            steps.next_stage()
    return steps


def follow_group(request: Request, steps: Steps, group: Sequence[str]) -> None:
    """Add an all-reduce over one more group."""
    add_gpu_job(request, steps, group, _REDUCE, _SECONDS, tag=_REDUCE[0])
