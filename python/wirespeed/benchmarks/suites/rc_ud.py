"""Latency of sends between pairs of NICs, over RC and then over UD: the latency below an MPI library.

The pairs are those of the suite pairs. Both tests measure all sizes: RC from 2 B to 8 MiB, UD to the path MTU, the
largest message of a UD queue pair. `wirespeed bench judge --profile field` compares them with osu_latency of the suite
mpi: the difference is the overhead of the library, which over UD also numbers, acknowledges and reassembles messages.
Gate mpi-overhead compares RC with RC, gate mpi-overhead-ud UD with UD. The transport of osu_latency is that of the
command line in its log, else `launch.transport` of the cluster file.
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.coverage import add_matching
from wirespeed.benchmarks.steps.pairing import Pair
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import SEND_LATENCY, add_perftest

TITLE = "latency of sends over RC, then over UD, for the pairs of the suite `pairs`"


def make(request: Request) -> Steps:
    """Add all pairs over RC, then all over UD."""
    steps = Steps()
    pairs = add_matching(request, steps, lambda pair, flows: _add_latency(request, steps, pair, "RC"))
    steps.next_stage()
    for pair in pairs:
        _add_latency(request, steps, pair, "UD")
    return steps


def _add_latency(request: Request, steps: Steps, pair: Pair, connection: str) -> None:
    tag = f"{SEND_LATENCY}-{connection.lower()}"
    add_perftest(request, steps, pair, SEND_LATENCY, connection=connection, tag=tag)
