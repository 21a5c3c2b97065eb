"""The first test after a change: each NIC once for a few seconds, then one all-reduce over everything.

It exercises every NIC, rail and leaf as the suite pairs does, for 3 s each, and measures no latency.
"""

from __future__ import annotations

from dataclasses import replace

from wirespeed.benchmarks.steps.coverage import add_matching
from wirespeed.benchmarks.steps.groups import groups_by_level
from wirespeed.benchmarks.steps.pairing import Pair
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import BANDWIDTH, add_gpu_job, add_perftest

TITLE = "test a cluster after a change: every NIC for 3 s, then one all-reduce over all hosts"
NARROWS = (BANDWIDTH,)

_SECONDS = 3
_REDUCE = ("all_reduce_perf", "-b", "1G", "-e", "8G", "-f", "2")


def make(request: Request) -> Steps:
    """Add pairs, then the largest groups if hosts have GPUs."""
    steps = Steps()
    short = replace(request, seconds=_SECONDS)
    add_matching(short, steps, lambda pair, flows: add_perftest(short, steps, pair, queue_pairs=flows))
    steps.next_stage()
    for group in groups_by_level(request.fabric)[-1][1]:
        if request.plan.hosts[group[0]].gpus and len(group) > 1:
            add_gpu_job(request, steps, group, _REDUCE, 20.0, tag="all_reduce_perf.all")
    return steps


def follow_pair(request: Request, steps: Steps, pair: Pair) -> None:
    """Add one more pair."""
    add_perftest(replace(request, seconds=_SECONDS), steps, pair)
