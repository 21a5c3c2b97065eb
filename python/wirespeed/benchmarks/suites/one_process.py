"""Collectives inside each host by one process, without MPI: one thread with all GPUs, then one thread for each GPU.

It needs nccl-tests or rccl-tests built without MPI (nccl-tests.sh --without-mpi; --path names the folder). The GPUs and
their links are those of a run with MPI: if only that is slow (suite collectives), compare the cores of its ranks.
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import add_process
from wirespeed.errors import refuse

TITLE = "collectives inside each host without MPI: one process with all GPUs"
OVER_SOCKETS = True

_PROGRAMS = ("broadcast_perf", "all_reduce_perf", "alltoall_perf", "all_gather_perf")
_SECONDS = 20.0  # all sizes; our own guess
_LARGEST_OVER_PCIE = "128M"  # Johansen, Fast Multi-GPU communication over PCI Express, appendix A.3.9
_DEBUG = {"NCCL_DEBUG": "INFO"}  # the log then names the paths between GPUs (NCCL user guide, environment variables)


def make(request: Request) -> Steps:
    """Add each program on every host: -g GPUs in one thread, then -t threads with a GPU each.

    Raises:
        Refusal: no host has two GPUs.
    """
    steps = Steps()
    counts = {host: len(request.plan.hosts[host].gpus) for host in request.fabric.hosts}
    largest = _LARGEST_OVER_PCIE if all(endpoint.rail is None for endpoint in request.fabric.endpoints) else "8G"
    for program in _PROGRAMS:
        for method, threads, per_thread in (("in one thread", 1, 0), ("in a thread for each GPU", 0, 1)):
            for host, count in counts.items():
                if count < 2:
                    continue
                sizes = (
                    "-b",
                    "8",
                    "-e",
                    largest,
                    "-f",
                    "2",
                    "-t",
                    str(threads or count),
                    "-g",
                    str(per_thread or count),
                )
                add_process(request, steps, host, (program, *sizes), _SECONDS, method=method, variables=_DEBUG)
            steps.next_stage()
    if not steps.steps:
        raise refuse(request.plan.name, "no host with two GPUs", "hosts with GPUs that exchange data")
    return steps
