"""A latency has no limit it must reach, and one it cannot be below."""

from __future__ import annotations

import pytest
from judge_support import MIB, find_verdict, plan

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.verdicts import Judgement


def lat(tool, test, value, size=8, unit="us", metric=Metric.LATENCY_AVG, **parameters):
    row = Measurement(metric, unit, value, size, None, 9)
    return Run(tool, test, None, RunStatus.COMPLETE, None, None, Parameters(**parameters), (row,))


ENDS = {"source": "node1:bnxt_re0", "target": "node2:bnxt_re0"}


@pytest.mark.parametrize(
    ("run", "judgement"),
    [
        (lat("perftest", "ib_write_lat", 1.9), Judgement.SKIP),
        (lat("perftest", "ib_write_lat", 0.01), Judgement.UNKNOWN),
        (lat("perftest", "ib_write_lat", 1900, unit="ns"), Judgement.SKIP),
        (lat("perftest", "ib_write_lat", 10.0, size=MIB), Judgement.UNKNOWN),  # 21.4 us on the wire
        (lat("perftest", "ib_write_lat", 30.0, size=MIB), Judgement.SKIP),
        (lat("osu-micro-benchmarks", "osu_latency", 2.5), Judgement.SKIP),
        (lat("osu-micro-benchmarks", "osu_latency", 1.0, size=4 * MIB), Judgement.UNKNOWN),  # memory of one host
        (lat("qperf", "tcp_lat", 20.0, size=None), Judgement.SKIP),
        (lat("sockperf", None, 9.0, size=14, metric=Metric.LATENCY_P99, protocol="UDP"), Judgement.SKIP),
        (lat("gpcnet", "network_test", 1.5), Judgement.SKIP),
    ],
)
def test_below_what_is_possible_is_unknown(run, judgement):
    verdict = find_verdict(judge(run, plan(), **ENDS))
    assert verdict.judgement is judgement
    assert verdict.fraction_of_physical == pytest.approx(verdict.physical.value / run.measurements[0].value)


def test_the_wording_of_both():
    (verdict,) = judge(lat("perftest", "ib_write_lat", 1.9), plan(), **ENDS).verdicts
    assert verdict.reason.startswith("a latency: the minimum is 0.03 µs (serialization and cable propagation)")
    assert [term.name for term in verdict.physical.terms] == ["serialisation", "propagation"]
    (below,) = judge(lat("perftest", "ib_write_lat", 0.01), plan(), **ENDS).verdicts
    assert below.reason.endswith("likely both ends on one host, or the wrong cluster file")


def test_a_read_sends_a_request_first():
    (write,) = judge(lat("perftest", "ib_write_lat", 1.9), plan(), **ENDS).verdicts
    (read,) = judge(lat("perftest", "ib_read_lat", 1.9), plan(), **ENDS).verdicts
    times = [{term.name: term.value for term in verdict.physical.terms} for verdict in (write, read)]
    assert times[1]["propagation"] == pytest.approx(2 * times[0]["propagation"])
