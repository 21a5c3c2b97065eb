"""Collectives of the OSU micro-benchmarks beside the least time there can be."""

from __future__ import annotations

import pytest
from judge_support import MIB, one, plan

from wirespeed.benchmarks.judge import judge
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.verdicts import Judgement

CARRIED = 4 * 32 * 16 * 128 / 130 * 256 / 280  # Gb/s of a host, one way: four uplinks, of two NICs each


def osu(test, value, size=MIB, ranks=None, **parameters):
    row = Measurement(Metric.LATENCY_AVG, "us", value, size, None, 9)
    return Run("osu-micro-benchmarks", test, None, RunStatus.COMPLETE, None, ranks, parameters, (row,))


@pytest.mark.parametrize(
    ("test", "ranks", "crossing"),
    [
        ("osu_allreduce", None, MIB),
        ("osu_bcast", 64, MIB),
        ("osu_reduce", 64, MIB),
        # 64 ranks on four hosts, 16 each
        ("osu_allgather", 64, MIB * 48),
        ("osu_gather", 64, MIB * 48),
        ("osu_scatter", 64, MIB * 48),
        ("osu_alltoall", 64, 16 * MIB * 48),
    ],
)
def test_what_must_cross_the_nics_of_a_host(test, ranks, crossing):
    verdict = one(judge(osu(test, 1e6, ranks=ranks), plan()))
    assert verdict.judgement is Judgement.SKIP
    assert verdict.physical.value == pytest.approx(crossing * 8 / CARRIED / 1e3, rel=1e-4)


def test_faster_than_the_nics_is_unknown():
    assert one(judge(osu("osu_alltoall", 10.0, ranks=64), plan())).judgement is Judgement.UNKNOWN


@pytest.mark.parametrize("test", ["osu_alltoall", "osu_allgather"])
def test_without_ranks_there_is_no_limit(test):
    assert judge(osu(test, 10.0), plan()).verdicts == ()


def test_fewer_hosts_in_the_log_than_in_the_plan():
    verdict = one(judge(osu("osu_alltoall", 1e6, ranks=64, nodes=2), plan()))
    assert verdict.physical.value == pytest.approx(32 * MIB * 32 * 8 / CARRIED / 1e3, rel=1e-4)
