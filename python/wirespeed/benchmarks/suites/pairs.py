"""RDMA writes between pairs of NICs: bandwidth, then latency. Pairs that share no resource run at the same time.

The pairs are the fewest that exercise every NIC, every rail and every leaf: each NIC is in one pair, which crosses
leaves where its rail has several. With an odd number of NICs, the last one is measured after the others. Above a leaf
the switch chooses the uplink of each queue pair by a hash, so a pair has enough queue pairs that every uplink is likely
to carry one; the probability is printed.

A pair that is bad twice is narrowed down: both its NICs are measured with healthy peers.
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.coverage import add_matching
from wirespeed.benchmarks.steps.pairing import Pair
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import BANDWIDTH, LATENCY, add_perftest

TITLE = "measure the minimum set of pairs that covers every NIC, rail and leaf: bandwidth, then latency"
NARROWS = (BANDWIDTH,)


def make(request: Request) -> Steps:
    """Add the bandwidth of all pairs, then their latency."""
    steps = Steps()
    pairs = add_matching(request, steps, lambda pair, flows: add_perftest(request, steps, pair, queue_pairs=flows))
    steps.next_stage()
    for pair in pairs:
        add_perftest(request, steps, pair, LATENCY)
    return steps


def follow_pair(request: Request, steps: Steps, pair: Pair) -> None:
    """Add the bandwidth of one more pair."""
    add_perftest(request, steps, pair, queue_pairs=1)
