"""UDP between pairs of NICs with iperf3, one direction at a time; the pairs are those of the suite pairs.

Senders have no rate limit (-b 0; without it iperf3 sends 1 Mb/s of UDP, iperf3(1)), so that the receiver loses what it
cannot take: what it receives is judged. The client has 8 streams; iperf3 before 3.16 works all of them on one core.
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.coverage import add_matching
from wirespeed.benchmarks.steps.pairing import Pair
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import add_iperf3

TITLE = "pairs of the suite `pairs`, with UDP: iperf3 without a rate limit, both directions one after the other"
NARROWS = ("iperf3",)
KERNEL_ONLY = True
OVER_SOCKETS = True


def make(request: Request) -> Steps:
    """Add all pairs in one direction, then in the other."""
    steps = Steps()
    pairs = add_matching(request, steps, lambda pair, flows: add_iperf3(request, steps, pair, udp=True))
    steps.next_stage()
    for pair in pairs:
        add_iperf3(request, steps, Pair(pair.b, pair.a), udp=True)
    return steps


def follow_pair(request: Request, steps: Steps, pair: Pair) -> None:
    """Add one more pair, in one direction."""
    add_iperf3(request, steps, pair, udp=True)
