"""Figures of a lab are compared with its hosts with nothing between them, and against no limit of the cluster."""

from __future__ import annotations

import json

import pytest
from judge_support import plan

from wirespeed.benchmarks.judge.lab_baseline import Figures, figures
from wirespeed.benchmarks.run import GradeOptions, build_fabric, grade
from wirespeed.benchmarks.tools.reader import read
from wirespeed.results.benchmarks import Run
from wirespeed.results.campaign import Command, Grade, Outcome, Step

STEP = Step(
    "iperf3",
    "iperf3",
    "node1:bnxt_re0 -> node2:bnxt_re0",
    Command("node1", ("iperf3",)),
    limit_s=20.0,
    seconds=10.0,
    source="node1:bnxt_re0",
    target="node2:bnxt_re0",
)
LIMIT = "(baseline)"
BELOW = "below 25 % of the reachable limit (limit: baseline)"


def iperf3(gb_per_s: float) -> str:
    """What iperf3 prints of two streams between two NICs of the cluster."""
    half = {"bits_per_second": gb_per_s * 1e9 / 2, "bytes": 1, "seconds": 1, "start": 0, "end": 1}
    whole = {**half, "bits_per_second": gb_per_s * 1e9}
    ends = [
        {"socket": socket, "local_host": "10.1.0.1", "local_port": 1, "remote_host": "10.1.0.17", "remote_port": 2}
        for socket in (5, 7)
    ]
    streams = [{end: {**half, "socket": socket, "sender": True} for end in ("sender", "receiver")} for socket in (5, 7)]
    start = {"connected": ends, "version": "iperf 3.16", "test_start": {"protocol": "TCP", "num_streams": 2}}
    text = {"start": start, "intervals": [], "end": {"streams": streams, "sum_sent": whole, "sum_received": whole}}
    return json.dumps(text)


def osu_bw(mb_per_s: float) -> str:
    """A table to 4 MiB; smaller sizes reach less."""
    rows = "".join(f"{4**row:<10}{mb_per_s / 2 ** (11 - row):18.2f}\n" for row in range(12))
    return f"# OSU MPI Bandwidth Test v5.8\n# Size      Bandwidth (MB/s)\n{rows}"


def read_figures(*texts: str) -> Figures:
    runs: list[Run] = [run for text in texts for run in read(text, "log").runs]
    return figures(runs)


def grade_text(text: str, direct: Figures | None) -> tuple[Grade, str | None]:
    whole = plan()
    return grade(whole, build_fabric(whole), STEP, Outcome.DONE, text, GradeOptions(direct=direct))


@pytest.mark.parametrize(
    ("text", "direct", "expected"),
    [
        (iperf3(12), read_figures(iperf3(9), iperf3(16)), (Grade.GOOD, f"12 Gb/s, 75 % of 16 Gb/s {LIMIT}")),
        (iperf3(4), read_figures(iperf3(16)), (Grade.GOOD, f"4 Gb/s, 25 % of 16 Gb/s {LIMIT}")),
        (iperf3(2), read_figures(iperf3(16)), (Grade.WARN, f"2 Gb/s, 12 % of 16 Gb/s {LIMIT}: {BELOW}")),
        (iperf3(0.5), read_figures(iperf3(16)), (Grade.BAD, f"0.5 Gb/s, 3 % of 16 Gb/s {LIMIT}")),
        (
            iperf3(24),
            read_figures(iperf3(16)),
            (Grade.GOOD, f"24 Gb/s, 150 % of 16 Gb/s {LIMIT}"),
        ),  # the machine was less busy
        (iperf3(12), read_figures(), (Grade.UNKNOWN, "12 Gb/s: baseline gave no such figure")),
        (
            iperf3(12),
            read_figures(osu_bw(2000)),
            (Grade.UNKNOWN, "12 Gb/s: baseline gave no such figure"),
        ),
        (iperf3(16), Figures({}, reference=True), (Grade.SKIP, "16 Gb/s")),
        (osu_bw(1800), read_figures(osu_bw(2000)), (Grade.GOOD, f"1,800 MB/s, 90 % of 2,000 {LIMIT}")),
        (osu_bw(80), read_figures(osu_bw(2000)), (Grade.BAD, f"80 MB/s, 4 % of 2,000 {LIMIT}")),
    ],
)
def test_a_figure_stands_against_the_pair(text: str, direct: Figures, expected: tuple[Grade, str]) -> None:
    assert grade_text(text, direct) == expected


def test_limits_of_the_cluster_are_never_applied() -> None:
    """Its NICs have 400 Gb/s: 12 are few of that, and 500 more than can be."""
    of_cluster = {rate: grade_text(iperf3(rate), None) for rate in (12.0, 500.0)}
    text = "12 Gb/s, 3 % of 396.02 Gb/s (line rate × TCP framing)"
    assert of_cluster[12.0] == (
        Grade.WARN,
        f"{text}: below 90 % of the reachable limit (limit: line rate × TCP framing)",
    )
    assert of_cluster[500.0][0] is Grade.UNKNOWN
    for rate in of_cluster:
        assert grade_text(iperf3(rate), read_figures(iperf3(rate))) == (
            Grade.GOOD,
            f"{rate:g} Gb/s, 100 % of {rate:g} Gb/s {LIMIT}",
        )
    assert grade_text(iperf3(12), read_figures(iperf3(400))) == (Grade.BAD, f"12 Gb/s, 3 % of 400 Gb/s {LIMIT}")
