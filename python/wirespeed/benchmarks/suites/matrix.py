"""Every host with every other over every rail, in the fewest rounds: a matrix of bandwidth.

A low row points to a host, a low block to a leaf, a low stripe to a rail. It takes one round less than there are hosts,
or one for each host where their number is odd. For acceptance the suite pairs is enough.
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.pairing import all_pairs
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import BANDWIDTH, add_perftest

TITLE = "every host with every other over every rail: a bandwidth matrix"


def make(request: Request) -> Steps:
    """All rounds, one after the other."""
    steps = Steps()
    for pairs in all_pairs(request.fabric):
        for pair in pairs:
            add_perftest(request, steps, pair, BANDWIDTH)
    return steps
