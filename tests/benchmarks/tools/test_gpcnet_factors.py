"""Congestion impact factors of GPCNeT, printed by the program and computed from its rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.benchmarks import parse
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.cluster import read as read_cluster
from wirespeed.plan import build
from wirespeed.results.benchmarks import Metric

SAMPLES = Path(__file__).parents[2] / "samples" / "gpcnet"
TABLE_7 = Path(__file__).parents[2] / "validation" / "reconstructed"
FACTORS = (Metric.IMPACT_AVG, Metric.IMPACT_P99)


def read_factors(text: str) -> set[tuple[str | None, Metric, float]]:
    """The factors of a log, by pattern and metric."""
    (run,) = parse(text)
    return {(row.label, row.metric, row.value) for row in run.measurements if row.metric in FACTORS}


@pytest.mark.parametrize("name", ["gpcnet_load_ns10_short.txt", "gpcnet_load_verbose_ns10.txt"])
def test_computed_factors_are_those_that_the_program_prints(name: str) -> None:
    text = (SAMPLES / name).read_text(encoding="utf-8")
    rows = text.partition("Network Tests running with Congestion Tests - Key Results")[0].rpartition("+---")[0]
    assert "Key Results" not in rows
    assert len(read_factors(text)) == 6
    assert read_factors(rows) == read_factors(text)


@pytest.mark.parametrize(("mode", "latency_p99", "bandwidth_avg"), [("d", 2.0, 1.6), ("p", 10.1, 1.8)])
def test_table_7_has_more_congestion_with_dcqcn_p(mode: str, latency_p99: float, bandwidth_avg: float) -> None:
    """Latency 9.3 us of 4.6 us with DCQCN-D, 46.4 us with DCQCN-P; bandwidth is divided inversely."""
    factors = read_factors((TABLE_7 / f"gpcnet-dcqcn-{mode}.log").read_text(encoding="utf-8"))
    assert ("RR Two-sided Lat", Metric.IMPACT_P99, latency_p99) in factors
    assert ("RR Two-sided BW+Sync", Metric.IMPACT_AVG, bandwidth_avg) in factors


def test_the_judge_prints_the_factors() -> None:
    cluster = build(read_cluster(Path(__file__).parents[3] / "examples" / "arista-leaf-spine" / "cluster-100g.yaml"))
    (run,) = parse((TABLE_7 / "gpcnet-dcqcn-p.log").read_text(encoding="utf-8"))
    note = "congestion impact factors of RR Two-sided Lat: average × 4.2, 99th percentile × 10.1 (1.0: no impact)"
    assert note in judge(run, cluster).notes
