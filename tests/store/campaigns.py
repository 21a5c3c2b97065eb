"""Campaigns made for tests: one series a test, whose values are given."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.campaign_history import Campaign
from wirespeed.results.parameters import Parameters
from wirespeed.store import Batch, Store, pack

PAIR = "node1:bnxt_re0 -> node2:bnxt_re0"


def runs_of_values(
    values: Sequence[float], metric: Metric = Metric.BW_AVG, size: int = 65536, version: str = "6.20", mtu: int = 4096
) -> list[Run]:
    """A run of ib_write_bw for each value."""
    return [
        Run(
            "perftest",
            "ib_write_bw",
            version,
            RunStatus.COMPLETE,
            None,
            None,
            Parameters(path_mtu_bytes=mtu, queue_pairs=1),
            (Measurement(metric, "Gb/s", value, size, None, 7),),
        )
        for value in values
    ]


def add(store: Store, label: str, runs: Sequence[Run], day: int = 1) -> Campaign:
    """Store runs as a finished campaign of that day of 2026, each in a separate log."""
    campaign = store.begin(label, f"2026-{1 + day // 28:02}-{1 + day % 28:02}T00:00:00Z", "lab", "wirespeed 0")
    batch = Batch()
    for number, run in enumerate(runs):
        batch.add(pack(f"{number}.log", f"{label} {number}".encode()), [run], PAIR)
    store.add(campaign, batch)
    store.finish(campaign)
    return store.find(label)
