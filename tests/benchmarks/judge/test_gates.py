"""Gates: numbers a measurement must reach whatever its limits are."""

from __future__ import annotations

import pytest
from judge_support import GIB, MIB, collective, find_verdict, perftest, plan

from wirespeed.benchmarks.judge import profile as judge_profile
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.errors import Refusal
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.verdicts import Judgement

FIELD = judge_profile.load_bundled_profile("field")


def write_bw(value, size=MIB, **parameters):
    return perftest({size: value}, test="ib_write_bw", **parameters)


@pytest.mark.parametrize(
    ("run", "gate", "context", "judgement"),
    [
        (write_bw(391.0), "write-400g-host", 390.0, Judgement.PASS),
        (write_bw(389.0), "write-400g-host", 390.0, Judgement.FAIL),
        (write_bw(376.0, memory="rocm"), "write-400g-gpu", 375.0, Judgement.PASS),
        (write_bw(374.0, memory="rocm"), "write-400g-gpu", 375.0, Judgement.FAIL),
        (write_bw(772.0, memory="rocm", bidirectional=True), "write-400g-gpu-bidirectional", 763.0, Judgement.PASS),
        (write_bw(391.0, size=65536), None, None, Judgement.PASS),  # the gate begins at 1 MiB
    ],
)
def test_a_pair_of_nics(run, gate, context, judgement):
    verdict = find_verdict(judge(run, plan(), profile=FIELD))
    assert verdict.judgement is judgement
    assert (verdict.gate.name if verdict.gate else None) == gate
    assert (verdict.gate.at_least if verdict.gate else None) == context


def all_reduce(hosts, busbw, size=8 * GIB, test="all_reduce", **parameters):
    ranks = 8 * hosts
    rows = {8: (50.0, 0.0, 0.0), size: (size / busbw / 1e3, busbw, busbw)}
    return collective(test, ranks, rows, nodes=hosts, **parameters)


@pytest.mark.parametrize(
    ("hosts", "busbw", "size", "gate", "judgement"),
    [
        (1, 305.0, 8 * GIB, "all-reduce-mi300x-1", Judgement.PASS),
        (1, 303.9, 8 * GIB, "all-reduce-mi300x-1", Judgement.FAIL),
        (1, 313.0, 16 * GIB, "all-reduce-mi300x-1-16g", Judgement.FAIL),
        (2, 320.0, 8 * GIB, "all-reduce-mi300x-2-8g", Judgement.WARN),  # a sample value: it warns
        (4, 320.0, 8 * GIB, None, Judgement.PASS),  # no gate for four hosts
    ],
)
def test_a_collective(hosts, busbw, size, gate, judgement):
    verdict = find_verdict(judge(all_reduce(hosts, busbw, size), plan(), profile=FIELD), size, Metric.BUSBW)
    assert (verdict.gate.name if verdict.gate else None) == gate
    assert verdict.judgement is judgement


def test_a_failed_gate_is_named_with_its_source():
    verdict = find_verdict(judge(write_bw(389.0), plan(), profile=FIELD))
    assert verdict.reason == (
        "gate write-400g-host: at least 390 Gb/s (Azure azurehpc-health-checks, nd96isr_mi300x_v5.conf: "
        "check_ib_bw_non_gdr 390); the required 95 % of the reachable limit is reached"
    )


def test_a_gate_is_judged_in_the_unit_of_the_measurement():
    verdict = find_verdict(judge(perftest({MIB: 46400.0}, unit="MiB/s", test="ib_write_bw"), plan(), profile=FIELD))
    assert (verdict.gate.unit, verdict.gate.at_least) == ("MiB/s", pytest.approx(390e9 / 8 / 2**20))


def test_a_met_gate_does_not_pass_what_is_above_the_physical_limit():
    verdict = find_verdict(judge(write_bw(395.0), plan(), profile=FIELD))
    assert (verdict.judgement, verdict.gate.judgement) == (Judgement.UNKNOWN, Judgement.PASS)


def test_a_gate_holds_where_no_limit_is_known():
    run = all_reduce(1, 400.0, size=16 * GIB, gpu_model="NVIDIA H100 80GB HBM3")
    verdict = find_verdict(judge(run, plan(), profile=FIELD), 16 * GIB, Metric.BUSBW)
    assert (verdict.judgement, verdict.gate.name) == (Judgement.FAIL, "all-reduce-h100-1")
    met = find_verdict(
        judge(all_reduce(1, 470.0, size=16 * GIB, gpu_model="NVIDIA H100"), plan(), profile=FIELD),
        16 * GIB,
        Metric.BUSBW,
    )
    assert (met.judgement, met.gate.judgement) == (Judgement.UNKNOWN, Judgement.PASS)


MINE = """
version: 1
base: default
title: mine
gates:
  - {name: fast, tools: [perftest], metric: latency_typical, at_most: 2.5, unit: us, tolerance: 0.1, source: here}
"""


@pytest.mark.parametrize(("value", "judgement"), [(2.5, Judgement.PASS), (2.7, Judgement.WARN), (2.8, Judgement.FAIL)])
def test_a_latency_has_a_gate_of_its_own(tmp_path, value, judgement):
    file = tmp_path / "mine.yaml"
    file.write_text(MINE, encoding="utf-8")
    latency = Measurement(Metric.LATENCY_TYPICAL, "us", value, 2, None, 9)
    run = Run(
        "perftest", "ib_write_lat", None, RunStatus.COMPLETE, None, None, Parameters(rdma_device="bnxt_re0"), (latency,)
    )
    verdict = find_verdict(judge(run, plan(), profile=judge_profile.read(file)), metric=Metric.LATENCY_TYPICAL)
    assert (verdict.judgement, verdict.gate.at_most) == (judgement, 2.5)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("at_most: 2.5, ", ""), "either at_least or at_most"),
        (("unit: us", "unit: parsec"), "'parsec' is no unit of bandwidth or time"),
        (("metric: latency_typical", "metric: speed"), "'time', 'algbw', "),
    ],
)
def test_refused(tmp_path, change, expected):
    file = tmp_path / "mine.yaml"
    file.write_text(MINE.replace(*change), encoding="utf-8")
    with pytest.raises(Refusal) as refusal:
        judge_profile.read(file)
    problem = refusal.value.problems[0]
    assert (problem.expected or problem.found).startswith(expected)
