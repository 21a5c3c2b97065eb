"""Latencies of GPCNeT: a floor of milliseconds is a finding, and what has no limit is listed."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from wirespeed.benchmarks import read as read_log
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.cluster import read
from wirespeed.plan import Plan, build
from wirespeed.report.runs import count_verdicts
from wirespeed.results.verdicts import JudgedRun, Judgement

ROOT = Path(__file__).parents[3]
LOG = (ROOT / "tests" / "validation" / "reconstructed" / "gpcnet-dcqcn-d.log").read_text()
"""Table 7 of the lossless network guide: 2.4 and 15.6 us isolated, 4.1 and 23.3 us under congestion."""
RING, ALLREDUCE = "RR Two-sided Lat", "Multiple Allreduce"


@cache
def plan() -> Plan:
    return build(read(ROOT / "examples" / "arista-leaf-spine" / "cluster-100g.yaml"))


def judge_text(text: str) -> JudgedRun:
    (run,) = read_log(text).runs
    return judge(run, plan())


def list_findings(judged: JudgedRun) -> dict[str | None, Judgement]:
    return {
        verdict.measurement.label: verdict.judgement
        for verdict in judged.verdicts
        if verdict.judgement in (Judgement.WARN, Judgement.FAIL)
    }


@pytest.mark.parametrize(
    ("printed", "measured", "findings"),
    [
        ("", "", {}),
        ("         2.4 |          4.6", "      2400.0 |       4600.0", {f"isolated: {RING}": Judgement.FAIL}),
        ("         2.4 |          4.6", "       240.0 |        460.0", {f"isolated: {RING}": Judgement.WARN}),
        ("        15.6 |         24.6", "     15600.0 |      24600.0", {f"isolated: {ALLREDUCE}": Judgement.FAIL}),
        ("         4.6", "      4600.0", {}),  # a percentile is no floor
        ("         4.1 |          9.3", "      4100.0 |       9300.0", {}),  # congested on purpose
    ],
)
def test_an_isolated_average_of_milliseconds_is_a_finding(
    printed: str, measured: str, findings: dict[str, Judgement]
) -> None:
    assert not printed or LOG.count(printed) == 1
    judged = judge_text(LOG.replace(printed, measured))
    assert list_findings(judged) == findings
    for label in findings:
        reasons = [verdict.reason for verdict in judged.verdicts if verdict.judgement in findings.values()]
        assert reasons[0].startswith(f"the lowest time of {label} is ")
        assert "healthy are up to 200 µs (of the profile)" in reasons[0]


def test_what_is_not_judged_is_listed_and_counted() -> None:
    judged = judge_text(LOG)
    assert (
        f"not judged: latency_avg, latency_p99 of isolated: {RING}, isolated: {ALLREDUCE}, congested: {RING}, "
        f"congested: {ALLREDUCE}; bw_p99 of isolated: RR Two-sided BW+Sync, congested: RR Two-sided BW+Sync: no limit "
        "is known; `wirespeed bench compare` compares them over time"
    ) in judged.notes
    assert count_verdicts([judged]) == {Judgement.PASS: 1, Judgement.SKIP: 9}


def test_verbose_builds_list_no_congestors() -> None:
    judged = judge_text((ROOT / "tests" / "samples" / "gpcnet" / "gpcnet_load_verbose_ns10.txt").read_text())
    (note,) = [note for note in judged.notes if note.startswith("not judged: ")]
    assert "congestor" not in note
    assert "worst rank" not in note
