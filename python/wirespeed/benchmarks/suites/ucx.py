"""Tagged messages over UCX, as MPI libraries send them: bandwidth, then latency, of the pairs of the suite pairs."""

from __future__ import annotations

from wirespeed.benchmarks.steps.coverage import add_matching
from wirespeed.benchmarks.steps.pairing import Pair
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import add_ucx

TITLE = "pairs of the suite `pairs`, over UCX: ucx_perftest tag_bw, then tag_lat"
NARROWS = ("ucx_perftest tag_bw",)
_LARGE, _REPEATS = 1 << 20, 20000  # 20 GB: some seconds on any NIC of 25 Gb/s or more
_SMALL, _PINGS = 8, 100000


def make(request: Request) -> Steps:
    """Add the bandwidth of all pairs, then their latency."""
    steps = Steps()
    pairs = add_matching(request, steps, lambda pair, flows: add_ucx(request, steps, pair, "tag_bw", _LARGE, _REPEATS))
    steps.next_stage()
    for pair in pairs:
        add_ucx(request, steps, pair, "tag_lat", _SMALL, _PINGS)
    return steps


def follow_pair(request: Request, steps: Steps, pair: Pair) -> None:
    """Add the bandwidth of one more pair."""
    add_ucx(request, steps, pair, "tag_bw", _LARGE, _REPEATS)
