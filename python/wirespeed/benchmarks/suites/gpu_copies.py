"""Copies between the GPUs of each host, without network and MPI: the tools of the GPUs' vendor.

NVIDIA: nvbandwidth, then p2pBandwidthLatencyTest of the CUDA samples; AMD: TransferBench with its presets p2p and a2a.
Hosts measure at the same time. --path names the folder of the programs. If a pair is slow here, a collective cannot be
faster: look at the links between the GPUs first (`wirespeed plan CLUSTER.yaml --limits HOST:GPU0 HOST:GPU1` shows
the limit).
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import add_process
from wirespeed.errors import refuse

TITLE = "copies between the GPUs of each host: nvbandwidth and p2pBandwidthLatencyTest, or TransferBench"
OVER_SOCKETS = True

_SECONDS = 120.0  # all tests of eight GPUs; our own guess


def make(request: Request) -> Steps:
    """Add each program of the vendor on every host with GPUs, one program after the other.

    Raises:
        Refusal: no host has GPUs whose vendor has such a program.
    """
    steps = Steps()
    programs = {host: request.commands.gpu_copies(host) for host in request.fabric.hosts}
    for position in range(max(map(len, programs.values()), default=0)):
        for host, of_host in programs.items():
            if position < len(of_host):
                add_process(
                    request,
                    steps,
                    host,
                    of_host[position],
                    _SECONDS,
                    method=_name_method(of_host[position]),
                    variables={},
                )
        steps.next_stage()
    if not steps.steps:
        raise refuse(request.plan.name, "no host with GPUs of AMD or NVIDIA", "hosts whose GPUs copy data")
    return steps


def _name_method(program: tuple[str, ...]) -> str:
    """What a program does, in the name of its step: its preset, if it has one."""
    return " ".join((*program[1:], "between GPUs"))
