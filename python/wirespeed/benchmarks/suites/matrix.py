"""Bandwidth of every pair of hosts on every rail, as a matrix.

A low row points to a host, a low block to a leaf, a low stripe to a rail. For n hosts the
suite has n - 1 stages, or n if n is odd. For acceptance the suite pairs is enough.
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.pairing import pair_all_hosts
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import BANDWIDTH, add_perftest

TITLE = "measure the bandwidth of every pair of hosts on every rail"


def make(request: Request) -> Steps:
    """Add all rounds, one after the other."""
    steps = Steps()
    for pairs in pair_all_hosts(request.fabric):
        for pair in pairs:
            add_perftest(request, steps, pair, BANDWIDTH)
    return steps
