"""Peers, a comparison and a history with something of everything their pictures can show."""

import dataclasses

import fabric
import report_sample as sample

from wirespeed.benchmarks.peers import MemberDirectory, compare
from wirespeed.benchmarks.peers.samples import Sample
from wirespeed.results.benchmarks import Metric
from wirespeed.results.campaign_history import (
    Campaign,
    Change,
    Changes,
    Comparison,
    Difference,
    History,
    Point,
    SeriesComparison,
    SeriesHistory,
    Step,
    Summary,
    Turn,
)
from wirespeed.results.peers import Member, Peers, Reading
from wirespeed.results.series import Series


def _slow(a, b):
    if "node2" in (a.host, b.host):
        return 0.52
    if {a.leaf, b.leaf} == {"leaf2", "leaf3"}:
        return 0.74
    return 0.9 if (a.host, b.host) == ("node1", "node9") else 1.0


LEAVES = fabric.matrix(fabric.members(12, per_leaf=4), _slow, seed=5)
RAILS = fabric.matrix(fabric.members(6, 4), lambda a, b: 0.6 if a.rail == 3 else 1.0, seed=5, times=2)


def _single_series():
    values = (391.0, 390.2, 371.5, 391.4, 118.0, None)
    return compare(
        fabric.KEY,
        [
            Sample(
                Member(f"node{n}", f"node{n}"), None, Reading(value, f"node{n}.log", 7, None if value else "timeout")
            )
            for n, value in enumerate(values, start=1)
        ],
        MemberDirectory(None),
    )


def hostile_matrix():
    """A matrix whose names could harm a page."""
    members = [Member(f"{sample.HOSTILE}{n}", f"{sample.HOSTILE}{n}") for n in range(5)]
    return compare(
        fabric.KEY,
        [
            Sample(a, b, Reading(100.0 if members[0] in (a, b) else 390.0, f"{sample.HOSTILE}.log", 1))
            for a in members
            for b in members
            if a is not b
        ],
        MemberDirectory(None),
    )


PEERS = Peers(
    (LEAVES, RAILS, _single_series()),
    ("not compared (no host, pair or result in the log): a.log",),
)


def series(size=1 << 30, metric=Metric.BUSBW, unit="GB/s", label=None):
    return Series("nccl-tests", "all_reduce", None, 32, (("reduction", "sum"),), metric, unit, size, label)


def _summary(median, spread=0.4, count=6):
    return Summary(count, median, median - 2 * spread, median + 2 * spread, spread)


def campaign(number):
    return Campaign(
        number,
        f"week-{number}",
        f"2026-{1 + number // 4:02}-{1 + 7 * (number % 4):02}T08:00:00Z",
        "lab",
        True,
        9,
        40,
        1,
    )


CHANGES = Changes(
    (
        *(Change(f"node{n} nic ens1", "nic.firmware", "231.0.162", "232.1.132") for n in range(1, 9)),
        Change("leaf1 queue 3", "queue.ecn.kmin", None, "150 kB"),
    ),
    2,
    ("no facts beside campaign 3",),
)
COMPARISON = Comparison(
    campaign(1),
    campaign(2),
    0.05,
    0.02,
    0.004,
    (
        SeriesComparison(
            series(), _summary(371.2), _summary(341.0, 2), Difference.WORSE, "", -0.081, 0.002, 0.004, 0.0
        ),
        SeriesComparison(
            series(1 << 20), _summary(48.2), _summary(51.9), Difference.BETTER, "", 0.077, 0.002, 0.004, 1.0
        ),
        SeriesComparison(
            series(1 << 24), _summary(201.0, 3), _summary(202.0, 3), Difference.NONE, "", 0.005, 0.6, 0.7, 0.5
        ),
        SeriesComparison(
            series(1 << 10), _summary(0.4, 0, 1), _summary(0.39, 0, 1), Difference.TOO_FEW_VALUES, "one value on a side"
        ),
    ),
    3,
    0,
    CHANGES,
)


def _history(levels, steps, size):
    points = tuple(Point(n, 5, level, level - 1.5, level + 1.0) for n, level in enumerate(levels, start=1))
    return SeriesHistory(series(size), points, steps)


LEVELS = [371, 372, 370.5, 371.4, 372.1, 371, 370.2, 344, 343.1, 345, 344.2, 343.7, 344.9]
HISTORY = History(
    tuple(campaign(n) for n in range(1, 14)),
    0.01,
    0.02,
    (
        _history(LEVELS, (Step(7, 8, 371.0, 344.2, -0.072, 0.001, Difference.WORSE),), 1 << 30),
        _history([48.0 + 0.1 * (n % 3) for n in range(13)], (), 1 << 20),
    ),
    (Turn(7, 8, CHANGES),),
)

WHOLE = dataclasses.replace(
    sample.REPORT,
    peers=(Peers((*PEERS.matrices, hostile_matrix()), (sample.HOSTILE, *PEERS.notes)),),
    comparisons=(COMPARISON,),
    histories=(HISTORY,),
)
