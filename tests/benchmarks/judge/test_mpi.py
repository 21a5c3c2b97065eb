"""Collectives of the OSU micro-benchmarks beside the least time there can be."""

from __future__ import annotations

from pathlib import Path

import pytest
from judge_support import MIB, find_verdict, plan

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.cluster import read
from wirespeed.plan import build
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.verdicts import Judgement

CARRIED = 4 * 32 * 16 * 128 / 130 * 256 / 280  # Gb/s of a host in one direction: four uplinks, of two NICs each


def osu(test, value, size=MIB, ranks=None, **parameters):
    row = Measurement(Metric.LATENCY_AVG, "us", value, size, None, 9)
    return Run("osu-micro-benchmarks", test, None, RunStatus.COMPLETE, None, ranks, Parameters(**parameters), (row,))


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
        # all ranks give as much, whatever they might
        ("osu_allgatherv", 64, MIB * 48),
        ("osu_gatherv", 64, MIB * 48),
        ("osu_scatterv", 64, MIB * 48),
        ("osu_alltoallv", 64, 16 * MIB * 48),
        ("osu_alltoallw", 64, 16 * MIB * 48),
        # the size is that of the whole buffer: a host's part of it stays
        ("osu_reduce_scatter", 64, MIB * 48 / 64),
        ("osu_reduce_scatter_block", 64, MIB * 48 / 64),
        ("osu_iallgather", 64, MIB * 48),
        ("osu_allreduce_persistent", None, MIB),
        ("osu_ireduce_scatter", 64, MIB * 48 / 64),
    ],
)
def test_what_must_cross_the_nics_of_a_host(test, ranks, crossing):
    verdict = find_verdict(judge(osu(test, 1e6, ranks=ranks), plan()))
    assert verdict.judgement is Judgement.SKIP
    assert verdict.physical.value == pytest.approx(crossing * 8 / CARRIED / 1e3, rel=1e-4)


def test_faster_than_the_nics_is_unknown():
    assert find_verdict(judge(osu("osu_alltoall", 10.0, ranks=64), plan())).judgement is Judgement.UNKNOWN


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("osu_alltoall", "the log does not contain the number of ranks: give it with --ranks"),
        ("osu_allgather", "the log does not contain the number of ranks: give it with --ranks"),
        ("osu_ialltoallv", "the log does not contain the number of ranks: give it with --ranks"),
        ("osu_neighbor_allgather", "no limits are known for osu_neighbor_allgather"),
    ],
)
def test_a_time_without_a_limit_gives_the_reason(test, reason):
    verdict = find_verdict(judge(osu(test, 10.0), plan()))
    assert (verdict.judgement, verdict.reason, verdict.physical) == (Judgement.UNKNOWN, reason, None)


@pytest.mark.parametrize(
    ("test", "size", "limited"),
    [
        ("osu_reduce_scatter_block", 16 * 64, True),
        ("osu_reduce_scatter_block", 16 * 64 - 1, False),  # a block of less than an element
        ("osu_reduce_scatter", 1, False),  # less than a byte from each
        ("osu_barrier", None, True),
    ],
)
def test_what_moves_next_to_nothing(test, size, limited):
    verdicts = judge(osu(test, 150.0, size, ranks=64), plan())
    assert [verdict.physical is not None for verdict in verdicts.verdicts] == [True] * limited


def test_of_a_non_blocking_collective_its_communication_counts():
    rows = tuple(
        Measurement(metric, "us", 1.0, MIB, None, 9) for metric in (Metric.COMM_AVG, Metric.COMPUTE, Metric.COLL_TEST)
    )
    run = Run("osu-micro-benchmarks", "osu_iallreduce", None, RunStatus.COMPLETE, None, 64, Parameters(), rows)
    verdict = find_verdict(judge(run, plan()))
    assert (verdict.measurement.metric, verdict.judgement) == (Metric.COMM_AVG, Judgement.UNKNOWN)


@pytest.mark.parametrize(
    ("test", "ranks", "size", "microseconds", "judgement"),
    [
        ("osu_allreduce", 256, 4, 4800.0, Judgement.FAIL),
        ("osu_allreduce", None, 4, 4800.0, Judgement.FAIL),
        ("osu_allreduce", 256, 4, 300.0, Judgement.WARN),
        ("osu_allreduce", 256, 8, 15.6, Judgement.SKIP),  # lossless network guide, table 7
        ("osu_allreduce", 256, 65536, 4800.0, Judgement.SKIP),  # a table that begins there shows no latency
        ("osu_barrier", 256, None, 4800.0, Judgement.FAIL),
        ("osu_bcast", 256, 1, 4800.0, Judgement.FAIL),
        ("osu_allgather", 256, 1, 500.0, Judgement.SKIP),  # 255 messages, one after the other
        ("osu_allgather", 256, 1, 600.0, Judgement.WARN),
        ("osu_gather", 256, 1, 4800.0, Judgement.FAIL),
        ("osu_alltoall", 64, 1, 180.0, Judgement.SKIP),
        ("osu_alltoall", 64, 1, 4800.0, Judgement.FAIL),
        ("osu_alltoall", 8192, 1, 100_000.0, Judgement.SKIP),  # 12.6 million messages of a host
    ],
)
def test_a_highest_time_of_the_smallest_size(test, ranks, size, microseconds, judgement):
    assert find_verdict(judge(osu(test, microseconds, size, ranks), plan())).judgement is judgement


def test_the_computation_of_a_non_blocking_collective_is_no_latency():
    rows = tuple(
        Measurement(metric, "us", value, 4, None, 9)
        for metric, value in ((Metric.TIME, 390.0), (Metric.COMM_AVG, 195.0), (Metric.COMPUTE, 195.0))
    )
    run = Run("osu-micro-benchmarks", "osu_iallreduce", None, RunStatus.COMPLETE, None, 64, Parameters(), rows)
    assert {verdict.judgement for verdict in judge(run, plan()).verdicts} == {Judgement.SKIP}


def test_over_tcp_a_collective_has_no_highest_time():
    lending = build(read(Path(__file__).parents[3] / "examples" / "pcie-lending" / "cluster.yaml"))
    result = judge(osu("osu_allreduce", 4800.0, 4), lending, source="abel1:eth0", target="abel2:eth0")
    assert find_verdict(result).judgement is Judgement.SKIP


def test_fewer_hosts_in_the_log_than_in_the_plan():
    verdict = find_verdict(judge(osu("osu_alltoall", 1e6, ranks=64, nodes=2), plan()))
    assert verdict.physical.value == pytest.approx(32 * MIB * 32 * 8 / CARRIED / 1e3, rel=1e-4)


@pytest.mark.parametrize(
    ("cluster", "test", "service", "noted"),
    [
        ("cluster-ud.yaml", "osu_latency", None, True),
        ("cluster-ud.yaml", "osu_bw", None, False),  # no latency
        ("cluster-rc.yaml", "osu_latency", None, False),
        ("cluster.yaml", "osu_latency", None, False),  # hybrid: two ranks are connected over RC
        ("cluster-openmpi.yaml", "osu_latency", None, False),
        ("cluster.yaml", "osu_latency", "UD", True),  # the command line of the log decides
        ("cluster-ud.yaml", "osu_latency", "RC", False),
    ],
)
def test_the_overhead_of_ud_is_noted(cluster: str, test: str, service: str | None, noted: bool) -> None:
    """MPI over Broadcom RoCE: 1.5 to 2.4 us, unique to Broadcom RoCE with the 2.3 series."""
    path = Path(__file__).parents[3] / "examples" / "bluebonnet-64node" / cluster
    metric, unit = (Metric.BW_AVG, "MB/s") if test == "osu_bw" else (Metric.LATENCY_AVG, "us")
    row = Measurement(metric, unit, 5.2, 8, None, 9)
    parameters = Parameters(connection_type=service)
    result = Run("osu-micro-benchmarks", test, None, RunStatus.COMPLETE, None, 2, parameters, (row,))
    notes = judge(result, build(read(path))).notes
    text = "over UD the library adds 1.5 µs to 2.4 µs to the latency of these NICs (`wirespeed explain MPI-05`)"
    assert (text in notes) is noted
