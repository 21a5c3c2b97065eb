"""What two hosts reach over all rails at once, compared with each rail alone, with one queue pair and with several.

A NIC that is at line rate alone and slower beside the others shares a PCIe switch, a socket or memory with them. A NIC
that reaches line rate only with several queue pairs is limited by its processing rate per queue pair.

Each host is measured with one other, all pairs of hosts at the same time; with an odd number the last one follows. The
relative gates of a profile compare the runs: bench run rails --profile field.
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.pairing import Pair, pair_rails
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import BANDWIDTH, add_perftest

TITLE = (
    "two hosts over each rail separately and over all at once: bidirectional ib_write_bw, one queue pair and several"
)
NARROWS = (BANDWIDTH,)

_SEVERAL = 8
"""Queue pairs: with 8 a NIC reaches 392 Gb/s at 1 MiB where one reaches 284 (NVIDIA/nccl issue 2409)."""


def make(request: Request) -> Steps:
    """Add each rail alone, with one queue pair and with several; then all rails at once."""
    steps = Steps()
    for met in _plan_meetings(request):
        for rail in sorted({pair.a.rail for pair in met if pair.a.rail is not None}):
            of_rail = [pair for pair in met if pair.a.rail == rail]
            for count in (1, _SEVERAL):
                steps.next_stage()
                for pair in of_rail:
                    tag = f"{BANDWIDTH}.alone" + (f"-{count}-queue-pairs" if count > 1 else "")
                    add_perftest(request, steps, pair, queue_pairs=count, tag=tag)
        steps.next_stage()
        for pair in met:
            add_perftest(request, steps, pair, tag=f"{BANDWIDTH}.at-once", shares_links=True)
    steps.notes += request.fabric.excluded_nics
    return steps


def _plan_meetings(request: Request) -> list[list[Pair]]:
    """Rounds in which hosts meet one other over all rails that join them, each host in one round at least."""
    hosts = request.fabric.hosts
    names = list(hosts)
    rounds = [list(zip(names[0::2], names[1::2], strict=False))]
    if len(names) % 2 and len(names) > 1:
        rounds.append([(names[-1], names[0])])
    met = [[pair for a, b in round_pairs for pair in pair_rails(hosts[a], hosts[b])] for round_pairs in rounds]
    return [pairs for pairs in met if pairs]
