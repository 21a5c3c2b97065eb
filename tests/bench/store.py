"""Measure a store of ten million measurements: ``python tests/bench/store.py [STORE]``.

A hundred campaigns of a hundred thousand measurements: 200 pairs, 25 sizes, 4 metrics, 5 repeats. Prints the time to
build batches of runs, to store them, and to query them. STORE is the path or URL of a store to fill, by default a
temporary file; a full one is only queried. CPU seconds of this process are printed too, since they vary less on a busy
machine.
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

from wirespeed.cli.stored_campaigns import Thresholds, build_history
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.campaign_history import Campaign
from wirespeed.results.parameters import Parameters
from wirespeed.store import Batch, Filters, Store, pack
from wirespeed.store.comparison import compare

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


def main(store_address: str) -> None:
    """Fill a store and query it."""
    with Store(store_address) as store:
        if len(store.campaigns()) < CAMPAIGNS:
            _fill(store)
        _query(store)


def _fill(store: Store) -> None:
    random = Random(1)
    building = storing = processor = 0.0
    for number in range(CAMPAIGNS):
        campaign = store.begin(f"week{number}", _day(number), "bench", "wirespeed")
        start = time.process_time()
        batch = _batch(number, random)
        building += time.process_time() - start
        start, wall = time.process_time(), time.perf_counter()
        store.add(campaign, batch)
        processor += time.process_time() - start
        storing += time.perf_counter() - wall
        store.finish(campaign)
    count = CAMPAIGNS * MEASUREMENTS
    _print(f"{count:,} measurements built into batches: {count / building:,.0f}/s")
    _print(f"stored: {count / storing:,.0f}/s of wall-clock time, {count / processor:,.0f}/s of CPU time")


def _batch(number: int, random: Random) -> Batch:
    """A campaign: a log for each pair and repeat. After week 60 the first pairs are slower."""
    batch = Batch()
    for repeat, pair in product(range(REPEATS), range(PAIRS)):
        level = 380.0 if number >= 60 and pair < 10 else 390.0
        measurements = tuple(
            Measurement(metric, unit, level + random.random(), 2 << size, None, 10 + size)
            for size in range(SIZES)
            for metric, unit in METRICS
        )
        run = Run(
            "perftest", "ib_write_bw", "6.20", RunStatus.COMPLETE, None, None, Parameters(queue_pairs=1), measurements
        )
        log = pack(f"{pair}.{repeat}.log", f"{number} {repeat} {pair}".encode() * 100)
        batch.add(log, [run], f"node{pair} -> node{pair + 1}")
    return batch


def _query(store: Store) -> None:
    series = Filters(test="ib_write_bw", metric="bw_avg", size_bytes=65536, label="node3 -> node4")
    curve = Filters(test="ib_write_bw", metric="bw_avg", label="node3 -> node4")
    size = Filters(test="ib_write_bw", metric="bw_avg", size_bytes=65536)
    judging = Thresholds(0.01, 0.02)
    with _print_time("campaigns listed"):
        campaigns = store.campaigns()
    with _print_time("history of one series"):
        history = build_history(store, series, judging)
    _print(f"  {history.series[0].steps}")
    with _print_time(f"history of a curve of {SIZES} sizes"):
        build_history(store, curve, judging)
    with _print_time(f"history of {PAIRS} pairs at one size, read"):
        store.series_values(campaigns, list(store.find_campaigns(size)))
    with _print_time(f"history of {PAIRS} pairs at one size, with change points"):
        build_history(store, size, judging)
    with _print_time("values of a campaign"):
        store.values(campaigns[-1], Filters())
    for name, wanted in (("a curve", curve), (f"{PAIRS} pairs at one size", size), ("all series", Filters())):
        with _print_time(f"two campaigns compared, {name}"):
            _compare(store, campaigns[50], campaigns[70], wanted)


def _compare(store: Store, a: Campaign, b: Campaign, wanted: Filters) -> None:
    values = (store.values(a, wanted), store.values(b, wanted))
    compare(a, b, values, store.names, store.find_changes(a, b))


@contextmanager
def _print_time(step: str) -> Iterator[None]:
    start, processor = time.perf_counter(), time.process_time()
    yield
    _print(f"{step}: {time.perf_counter() - start:.3f} s ({time.process_time() - processor:.3f} s CPU)")


def _day(number: int) -> str:
    return f"20{20 + number // 48:02}-{1 + number // 4 % 12:02}-{1 + number % 4 * 7:02}T00:00:00Z"


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(str(Path(folder) / "measurements.db"))
