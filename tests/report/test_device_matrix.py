"""Pairs of the GPUs of a host as one table. The values are made; what is proven is the form."""

from __future__ import annotations

import io

import report_sample as sample
from rich.console import Console

from wirespeed.report import chart, device_matrix, html, terminal
from wirespeed.results.benchmarks import Measurement, Metric
from wirespeed.results.report import Report
from wirespeed.results.verdicts import Bound, JudgedRun, Judgement, Term, Verdict

GPUS = [f"GPU{number}" for number in range(8)]
LINKS = Bound(450.0, "GB/s", "NVLink links", (Term("NVLink links", 450.0, "GB/s", "18 × 25 GB/s", "made"),), ())


def pair(source: str, target: str, value: float, judgement: Judgement, variant: str = "") -> Verdict:
    row = Measurement(Metric.BW_AVG, "GB/s", value, None, f"{source} -> {target}{variant}", 3)
    return Verdict(row, judgement, "", LINKS, None, value / 450, None)


def run(*verdicts: Verdict) -> JudgedRun:
    return JudgedRun("p2p.log", "p2pBandwidthLatencyTest", "bandwidth", "bandwidth on dgx", None, verdicts)


def eight_gpus() -> JudgedRun:
    slow = {("GPU2", "GPU5")}
    pairs = [(source, target) for source in GPUS for target in GPUS]
    return run(
        *(
            pair(source, target, 2500.0, Judgement.SKIP)
            if source == target
            else pair(source, target, 200.2, Judgement.FAIL)
            if (source, target) in slow
            else pair(source, target, 392.5, Judgement.PASS)
            for source, target in pairs
        )
    )


def print_lines(judged: JudgedRun, width: int = 100) -> list[str]:
    buffer = io.StringIO()
    terminal.print_judged_runs([judged], Console(file=buffer, width=width))
    return [line.rstrip() for line in buffer.getvalue().splitlines()]


def test_eight_gpus_are_one_table_of_eight_rows():
    lines = print_lines(eight_gpus())
    assert "bw_avg in GB/s; rows send, columns receive" in lines
    assert "physical limit 450.0 (NVLink links)" in lines
    assert sum(line.startswith("GPU") for line in lines) == 8
    assert "200.2 ✕" in next(line for line in lines if line.startswith("GPU2"))
    assert "lowest GPU2 -> GPU5 200.2 (44.5 %), highest GPU0 -> GPU1 392.5 (87.2 %)" in lines
    assert "fail ✕: GPU2 -> GPU5" in lines
    assert len(lines) < 20


def test_columns_that_do_not_fit_follow_in_a_second_table():
    lines = print_lines(eight_gpus(), width=50)
    assert sum(line.startswith("GPU2") for line in lines) == 2
    assert all(len(line) <= 50 for line in lines if line.startswith("GPU"))


def test_two_gpus_stay_rows():
    assert not device_matrix.find_matrices(
        run(pair("GPU0", "GPU1", 5.31, Judgement.PASS), pair("GPU1", "GPU0", 5.3, Judgement.PASS))
    )


def test_directions_are_separate_matrices_and_hosts_none():
    pairs = [(a, b) for a in GPUS[:3] for b in GPUS[:3] if a != b]
    directions = [pair(a, b, 50.0, Judgement.PASS, variant) for variant in ("", " forward") for a, b in pairs]
    assert [matrix.variant for matrix in device_matrix.find_matrices(run(*directions))] == ["", "forward"]
    hosts = [pair(a, b, 50.0, Judgement.PASS) for a in ("node1", "node2", "node3") for b in ("node4", "node5")]
    assert not device_matrix.find_matrices(run(*hosts))


def test_the_page_has_the_matrix_in_place_of_56_bars():
    judged = eight_gpus()
    assert not chart.charts(judged)
    page = html.page(Report("dgx", None, sample.TOPOLOGY, runs=(judged,)))
    assert page.count('<td class="n pass"') == 55
    assert page.count('<td class="n fail"') == 1
