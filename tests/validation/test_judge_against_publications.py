"""The judge over the collectives of document 000 (Broadcom 957608-AN210, sections 8.5 and 8.7), plateau as printed.

Each row contains the expected fraction of each limit, to one part in a hundred, and the verdict.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.benchmarks import read as read_log
from wirespeed.benchmarks.judge import profile as judge_profile
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.plan import Plan, build
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.verdicts import Judgement

GIB = 2**30
CLUSTER = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return build(read(CLUSTER), load())


def run(test: str, ranks: int, nodes: int, floor: float, size: int, busbw: float) -> Run:
    """Two rows: the smallest time of the table (µs), and one size of the plateau."""
    return Run(
        tool="rccl-tests",
        test=test,
        version=None,
        status=RunStatus.COMPLETE,
        error=None,
        ranks=ranks,
        parameters=Parameters(nodes=nodes),
        measurements=(
            Measurement(Metric.TIME, "us", floor, 1024, "out-of-place", 1),
            Measurement(Metric.TIME, "us", 1e6, size, "out-of-place", 2),
            Measurement(Metric.BUSBW, "GB/s", busbw, size, "out-of-place", 2),
        ),
    )


@pytest.mark.parametrize(
    ("test", "ranks", "nodes", "floor", "size", "busbw", "of_physical", "of_reachable", "judgement"),
    [
        # 8.5.1: one host, 8 GPUs; limits 448 and 336 GB/s
        ("all_reduce", 8, 1, 33.0, 4 * GIB, 318.79, 0.712, 0.949, Judgement.PASS),
        ("all_reduce", 8, 1, 33.0, 8 * GIB, 317.27, 0.708, 0.944, Judgement.PASS),
        ("all_reduce", 8, 1, 33.0, 16 * GIB, 316.53, 0.707, 0.942, Judgement.PASS),
        # 8.7.2.1.2: all-to-all over 4 hosts; limits 63.32 and 62.67 GB/s
        ("alltoall", 32, 4, 181.1, 8 * GIB, 48.84, 0.771, 0.779, Judgement.PASS),
        ("alltoall", 32, 4, 181.1, 16 * GIB, 49.84, 0.787, 0.795, Judgement.PASS),
        ("alltoall", 32, 4, 181.1, 4 * GIB, 47.00, 0.742, 0.750, Judgement.PASS),
        # 8.7.2.2.1: all-reduce over 4 hosts, 32 processes (times printed); limits 497.02 and 384 GB/s
        ("all_reduce", 32, 4, 51.46, 8 * GIB, 301.61, 0.607, 0.785, Judgement.PASS),
        ("all_reduce", 32, 4, 51.46, 16 * GIB, 326.38, 0.657, 0.850, Judgement.PASS),
    ],
)
def test_plateau(plan, test, ranks, nodes, floor, size, busbw, of_physical, of_reachable, judgement):
    verdict = next(
        verdict
        for verdict in judge(run(test, ranks, nodes, floor, size, busbw), plan).verdicts
        if verdict.measurement.metric is Metric.BUSBW
    )
    assert verdict.fraction_of_physical == pytest.approx(of_physical, abs=0.01)
    assert verdict.fraction_of_reachable == pytest.approx(of_reachable, abs=0.01)
    assert verdict.judgement is judgement


LOGS = sorted((CLUSTER.parent / "bench").glob("*.log"))


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_no_log_of_document_000_beats_physics_or_fails(plan, log):
    """What the vendor published as healthy passes or warns at its plateau; nothing is above the physical limit."""
    for run in read_log(log.read_text(encoding="utf-8")).runs:
        verdicts = judge(run, plan, source="node1:bnxt_re0", target="node2:bnxt_re4")
        assert {verdict.judgement for verdict in verdicts.verdicts} <= {
            Judgement.PASS,
            Judgement.WARN,
            Judgement.SKIP,
        }
        assert any(verdict.judgement is Judgement.PASS for verdict in verdicts.verdicts)


@pytest.mark.parametrize("name", ["default", "field", "loose"])
def test_the_published_bidirectional_writes_pass(plan, name):
    """Section 2.8.2: every average and every message rate that the vendor published as a result of healthy NICs."""
    log = CLUSTER.parent / "bench" / "ib-write-bw-bidirectional.log"
    (run,) = read_log(log.read_text(encoding="utf-8")).runs
    ends = {"source": "node1:bnxt_re0", "target": "node2:bnxt_re4"}
    verdicts = judge(run, plan, **ends, profile=judge_profile.read(name)).verdicts
    assert {verdict.judgement for verdict in verdicts} == {Judgement.PASS, Judgement.SKIP}


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_no_log_of_document_000_fails_the_field_profile(plan, log):
    for run in read_log(log.read_text(encoding="utf-8")).runs:
        verdicts = judge(run, plan, profile=judge_profile.read("field")).verdicts
        assert Judgement.FAIL not in {verdict.judgement for verdict in verdicts}


def test_there_are_logs_of_document_000():
    assert len(LOGS) >= 4
