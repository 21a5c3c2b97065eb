"""How fast a store of ten million measurements is: ``python tests/bench/store.py [STORE]``.

A hundred campaigns of a hundred thousand measurements: 200 pairs, 25 sizes, 4 metrics, 5 repeats. Prints what it takes
to make batches of runs, to store them, and to ask. STORE is a path or URL to fill, a temporary file if not given; one
that is filled is asked alone. Seconds of this process's CPU stand beside the wall clock, for busy machines.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from random import Random

from wirespeed.cli.stored_campaigns import Judging, over_time
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.campaign_history import Campaign
from wirespeed.results.parameters import Parameters
from wirespeed.store import Batch, Store, Wanted, pack
from wirespeed.store.compare import compare

CAMPAIGNS = 100
PAIRS = 200
SIZES = 25
REPEATS = 5
METRICS = (
    (Metric.BW_AVG, "Gb/s"),
    (Metric.BW_PEAK, "Gb/s"),
    (Metric.MSG_RATE, "Mpps"),
    (Metric.LATENCY_AVG, "us"),
)
MEASUREMENTS = PAIRS * SIZES * REPEATS * len(METRICS)


def main(where: str) -> None:
    """Fill a store and ask it."""
    with Store(where) as store:
        if len(store.campaigns()) < CAMPAIGNS:
            _fill(store)
        _ask(store)


def _fill(store: Store) -> None:
    chance = Random(1)
    made = stored = processor = 0.0
    for number in range(CAMPAIGNS):
        campaign = store.begin(f"week{number}", _day(number), "bench", "wirespeed")
        start = time.process_time()
        batch = _batch(number, chance)
        made += time.process_time() - start
        start, wall = time.process_time(), time.perf_counter()
        store.add(campaign, batch)
        processor += time.process_time() - start
        stored += time.perf_counter() - wall
        store.finish(campaign)
    count = CAMPAIGNS * MEASUREMENTS
    _say(f"{count:,} measurements made into batches: {count / made:,.0f}/s")
    _say(f"stored: {count / stored:,.0f}/s by the clock, {count / processor:,.0f}/s of this process's CPU")


def _batch(number: int, chance: Random) -> Batch:
    """A campaign: a log for each pair and repeat. After week 60 the first pairs are slower."""
    batch = Batch()
    for repeat, pair in product(range(REPEATS), range(PAIRS)):
        level = 380.0 if number >= 60 and pair < 10 else 390.0
        measurements = tuple(
            Measurement(metric, unit, level + chance.random(), 2 << size, None, 10 + size)
            for size in range(SIZES)
            for metric, unit in METRICS
        )
        run = Run(
            "perftest", "ib_write_bw", "6.20", RunStatus.COMPLETE, None, None, Parameters(queue_pairs=1), measurements
        )
        log = pack(f"{pair}.{repeat}.log", f"{number} {repeat} {pair}".encode() * 100)
        batch.add(log, [run], f"node{pair} -> node{pair + 1}")
    return batch


def _ask(store: Store) -> None:
    series = Wanted(test="ib_write_bw", metric="bw_avg", size_bytes=65536, place="node3 -> node4")
    curve = Wanted(test="ib_write_bw", metric="bw_avg", place="node3 -> node4")
    size = Wanted(test="ib_write_bw", metric="bw_avg", size_bytes=65536)
    judging = Judging(0.01, 0.02)
    with _timed("campaigns listed"):
        known = store.campaigns()
    with _timed("history of one series"):
        found = over_time(store, series, judging)
    _say(f"  {found.series[0].steps}")
    with _timed(f"history of a curve of {SIZES} sizes"):
        over_time(store, curve, judging)
    with _timed(f"history of {PAIRS} pairs at one size, read"):
        store.past(known, list(store.matching(size)))
    with _timed(f"history of {PAIRS} pairs at one size, with change points"):
        over_time(store, size, judging)
    with _timed("values of a campaign"):
        store.values(known[-1], Wanted())
    for name, which in (("a curve", curve), (f"{PAIRS} pairs at one size", size), ("all series", Wanted())):
        with _timed(f"two campaigns compared, {name}"):
            _compare(store, known[50], known[70], which)


def _compare(store: Store, a: Campaign, b: Campaign, which: Wanted) -> None:
    values = (store.values(a, which), store.values(b, which))
    compare(a, b, values, store.names, store.between(a, b))


@contextmanager
def _timed(what: str) -> Iterator[None]:
    start, processor = time.perf_counter(), time.process_time()
    yield
    _say(f"{what}: {time.perf_counter() - start:.3f} s ({time.process_time() - processor:.3f} s CPU)")


def _day(number: int) -> str:
    return f"20{20 + number // 48:02}-{1 + number // 4 % 12:02}-{1 + number % 4 * 7:02}T00:00:00Z"


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(str(Path(folder) / "measurements.db"))
