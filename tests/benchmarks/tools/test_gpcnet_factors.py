"""Congestion impact factors of GPCNeT, printed by the program and computed from its rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from wirespeed.benchmarks import parse, read
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.cluster import read as read_cluster
from wirespeed.cluster import read_text
from wirespeed.plan import build
from wirespeed.results.benchmarks import Measurement, Metric

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


@pytest.mark.parametrize(
    ("mode", "planned", "patterns", "advice"),
    [
        ("p", "dcqcn-p", "RR Two-sided Lat, RR Two-sided BW+Sync", True),
        ("p", "dcqcn-d", "RR Two-sided Lat, RR Two-sided BW+Sync", False),
        ("d", "dcqcn-p", None, False),  # latency: 2.0 of 1.7, bandwidth: 2.7 of 1.6
    ],
)
def test_the_judge_names_the_reason_of_a_slow_tail(mode: str, planned: str, patterns: str | None, advice: bool) -> None:
    """Only where the 99th percentile grows more than the average."""
    path = Path(__file__).parents[3] / "examples" / "arista-leaf-spine" / "cluster-100g.yaml"
    text = path.read_text(encoding="utf-8")
    assert "congestion: dcqcn-p" in text
    cluster = build(read_text(text.replace("congestion: dcqcn-p", f"congestion: {planned}"), path.name))
    (run,) = parse((TABLE_7 / f"gpcnet-dcqcn-{mode}.log").read_text(encoding="utf-8"))
    notes = [note for note in judge(run, cluster).notes if "slowest 1 %" in note]
    assert len(notes) == (1 if patterns else 0)
    for note in notes:
        assert note.startswith(f"congestion slows the slowest 1 % of {patterns} at least twice as much as the average")
        assert ("planned is dcqcn-p: the shorter queues of dcqcn-d gave a latency" in note) is advice


@pytest.mark.parametrize(("average", "tail", "has_tail"), [(1.0, 2.0, True), (0.8, 1.9, False), (1.1, 2.1, False)])
def test_a_tail_that_grows_while_the_average_does_not(average: float, tail: float, has_tail: bool) -> None:
    """An average below 1.0 is no improvement by congestion."""
    cluster = build(read_cluster(Path(__file__).parents[3] / "examples" / "arista-leaf-spine" / "cluster.yaml"))
    text = (SAMPLES / "gpcnet_load_ns10_short.txt").read_text(encoding="utf-8")
    (run,) = parse(text)
    values = zip(FACTORS, (average, tail), strict=True)
    rows = tuple(Measurement(metric, "x", value, 8, "RR Two-sided Lat", 40) for metric, value in values)
    notes = judge(replace(run, measurements=rows), cluster).notes
    assert any("slowest 1 %" in note for note in notes) is has_tail


@pytest.mark.parametrize(
    ("title", "label", "noticed"),
    [  # utils.c, print_header
        ("Network Tests running with Congestion Tests", "congested: RR Two-sided Lat", False),
        (
            "Network Tests running with Congestion Tests (    RR Two-sided Lat Network Test)",
            "congested: RR Two-sided Lat",
            False,
        ),
        ("Isolated Congestion Tests", "isolated: RR Two-sided Lat", False),
        ("Network Tests running with Congestion Tests (RR Two-sided)", None, True),
        ("Network Tests at Night", None, True),
    ],
)
def test_a_table_with_an_unknown_title_is_left_out(title: str, label: str | None, noticed: bool) -> None:
    log = (TABLE_7 / "gpcnet-dcqcn-d.log").read_text(encoding="utf-8")
    reading = read(log.replace("Network Tests running with Congestion Tests", title))
    (run,) = reading.runs
    latencies = {row.value: row.label for row in run.measurements if row.metric is Metric.LATENCY_AVG}
    assert latencies.get(4.1) == label
    assert latencies[2.4] == "isolated: RR Two-sided Lat"
    assert any(f"the table {title!r}" in str(notice) for notice in reading.notices) is noticed
    assert any(row.metric in FACTORS for row in run.measurements) is (label or "").startswith("congested")
