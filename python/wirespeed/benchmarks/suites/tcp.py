"""TCP between pairs of NICs with iperf3, one direction at a time; the pairs are those of the suite pairs.

The client has 8 streams; --iperf3 adds options, such as -Z (send without copying) and -l 1M (larger writes), with which
ESnet's 400G testbed saves CPU time. iperf3 before 3.16 works all streams on one core.
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.coverage import add_matching
from wirespeed.benchmarks.steps.pairing import Pair
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import add_iperf3

TITLE = "pairs of the suite `pairs`, with TCP: iperf3, both directions one after the other"
NARROWS = ("iperf3",)
KERNEL_ONLY = True
OVER_SOCKETS = True
IPERF3 = True


def make(request: Request) -> Steps:
    """Add all pairs in one direction, then in the other."""
    steps = Steps()
    pairs = add_matching(request, steps, lambda pair, flows: add_iperf3(request, steps, pair))
    steps.next_stage()
    for pair in pairs:
        add_iperf3(request, steps, Pair(pair.b, pair.a))
    return steps


def follow_pair(request: Request, steps: Steps, pair: Pair) -> None:
    """Add one more pair, in one direction."""
    add_iperf3(request, steps, pair)
