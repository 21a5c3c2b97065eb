"""A latency floor excuses small sizes only as long as it is a healthy one.

Figures are of published runs: eunomia-bpf/nccl-eBPF, docs/tmp/default-suboptimal-search.md (two ranks over NET/Socket),
CSCS documentation, NCCL (two GH200 hosts over sockets and over libfabric), ROCm/rccl issue 1562 (eight MI300X).
"""

from __future__ import annotations

import pytest
from judge_support import GIB, MIB, collective, find_verdict, judgements, perftest, plan
from tests.benchmarks.judge.test_point_to_point import osu

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.limits.collective_latency import estimate_latency
from wirespeed.limits.group import Collective, Group, Member
from wirespeed.results.benchmarks import Metric
from wirespeed.results.verdicts import Judgement

SOCKETS = {
    8: (4355.47, 0.0, 0.0),
    64: (4355.32, 0.0, 0.0),
    4096: (4358.96, 0.0, 0.0),
    65536: (4372.21, 0.01, 0.01),
    MIB: (4365.17, 0.24, 0.24),
    8 * MIB: (4399.41, 1.91, 1.91),
    16 * MIB: (7655.57, 2.19, 2.19),
    32 * MIB: (14935.2, 2.25, 2.25),
    64 * MIB: (29280.9, 2.29, 2.29),
    128 * MIB: (57980.0, 2.31, 2.31),
}
"""nccl-eBPF: out-of-place columns of all_reduce_perf, two ranks on NCCL_NET=Socket."""


def test_a_run_over_sockets_is_not_excused_by_its_own_latency():
    judged = judge(collective("all_reduce", 2, SOCKETS, nodes=2), plan())
    floor = find_verdict(judged, metric=Metric.TIME)
    assert (floor.judgement, floor.measurement.value) == (Judgement.FAIL, 4355.32)
    assert floor.reason == (
        "the lowest time of the small sizes is 4,355 µs at 64 B: healthy are up to 200 µs (of the profile); likely TCP "
        "instead of RDMA, an overloaded host, or debug output"
    )
    assert Judgement.PASS not in judgements(judged).values()


def test_the_sizes_of_such_a_run_are_judged_with_a_healthy_latency():
    """The same table as one of 16 ranks: with its own latency its largest size would count as small."""
    judged = judge(collective("all_reduce", 16, SOCKETS, nodes=2), plan())
    assert judgements(judged)[128 * MIB] is Judgement.FAIL
    assert find_verdict(judged, 16 * MIB, Metric.BUSBW).reason == (
        "small sizes are limited by latency (healthy latency: at most 200 µs; lowest time in this table: 4,355 µs)"
    )


@pytest.mark.parametrize(
    ("rows", "judgement"),
    [  # time in µs, algbw, busbw; 388 GB/s are reachable
        ({MIB: (5172.5, 0.2, 0.38), 2 * MIB: (5975.0, 0.35, 0.66)}, Judgement.FAIL),
        ({MIB: (600.0, 1.75, 3.28), 2 * MIB: (900.0, 2.33, 4.37)}, Judgement.WARN),
        ({MIB: (150.0, 7.0, 13.1), 2 * MIB: (160.0, 13.1, 24.6)}, None),
        ({2 * MIB: (5975.0, 0.35, 0.66), 4 * MIB: (7580.0, 0.55, 1.04)}, None),  # which show no latency
        ({MIB: (600.0, 1.75, 300.0), 2 * MIB: (900.0, 2.33, 310.0)}, None),  # the transfer takes this time
    ],
)
def test_a_table_that_begins_at_one_mebibyte_shows_its_floor(rows, judgement):
    verdicts = judge(collective("all_reduce", 16, rows, nodes=2), plan()).verdicts
    floors = [verdict.judgement for verdict in verdicts if verdict.measurement.metric is Metric.TIME]
    assert floors == ([] if judgement is None else [judgement])


@pytest.mark.parametrize("lowest", [17.43, 50.4, 45.92, 33.71, 51.46])
def test_published_floors_are_healthy(lowest):
    """GH200 over libfabric, the same over sockets, MI300X of one host, of documents 000 8.5.1 and 8.7.2."""
    rows = SOCKETS | {8: (lowest, 0.0, 0.0)}
    verdicts = judge(collective("all_reduce", 8, rows, nodes=1), plan()).verdicts
    assert not [verdict for verdict in verdicts if verdict.measurement.metric is Metric.TIME]


@pytest.mark.parametrize(("lowest", "judgement"), [(300.0, Judgement.WARN), (1000.0, Judgement.FAIL)])
def test_a_floor_warns_before_it_fails(lowest, judgement):
    rows = {8: (lowest, 0.0, 0.0), MIB: (lowest + 10, 0.1, 0.1)}
    assert find_verdict(judge(collective("all_reduce", 8, rows), plan()), metric=Metric.TIME).judgement is judgement


@pytest.mark.parametrize(
    ("name", "hosts", "ranks_of_host", "published"),
    [
        (Collective.ALL_REDUCE, 2, 4, 17.43),
        (Collective.ALL_REDUCE, 1, 8, 45.92),
        (Collective.ALL_REDUCE, 4, 8, 51.46),
        (Collective.ALL_TO_ALL, 4, 8, 181.1),
    ],
)
def test_the_estimate_is_within_the_factor_of_the_profile(name, hosts, ranks_of_host, published):
    group = Group(tuple(Member(f"node{host}", ranks_of_host, (), (), "", None) for host in range(hosts)))
    assert 0.25 * published <= estimate_latency(name, group).value <= 1.25 * published


def test_the_estimate_grows_with_the_job():
    """A ring of 8,192 ranks takes milliseconds: 8,191 steps; the tree of an all-reduce does not."""
    group = Group(tuple(Member(f"node{host}", 8, (), (), "", None) for host in range(1024)))
    assert estimate_latency(Collective.ALL_GATHER, group).value > 5_000
    assert estimate_latency(Collective.ALL_REDUCE, group).value < 200


@pytest.mark.parametrize(("value", "judgement"), [(2.0, None), (30.0, None), (400.0, "warn"), (2000.0, "fail")])
def test_a_latency_test_of_milliseconds_is_a_finding(value, judgement):
    for run in (
        osu("osu_latency", {8: value, MIB: value + 50}, unit="us", metric=Metric.LATENCY_AVG),
        perftest({8: value}, Metric.LATENCY_TYPICAL, "us", "RDMA_Write Latency Test"),
    ):
        assert find_verdict(judge(run, plan()), 8).judgement.value == (judgement or "skip")


def test_a_low_message_rate_excuses_no_more_than_a_healthy_one():
    """osu_bw over TCP instead of the network: CSCS documentation, container without the network hook."""
    slow = {1: 0.14, 128: 26.74, 4096: 143.0, 65536: 149.9, 131072: 571.86, 524288: 694.58, 2**20: 831.0}
    verdict = find_verdict(judge(osu("osu_bw", slow | {4 * MIB: 1279.54}), plan()), 4 * MIB)
    assert verdict.judgement is Judgement.FAIL
    assert find_verdict(judge(osu("osu_bw", slow), plan()), MIB).judgement is Judgement.FAIL


def test_tcp_is_named_by_its_plateau_and_its_small_operations():
    """osu_bw: CSCS documentation, container without the network hook. NCCL: nccl-eBPF, its floor cut to 150 µs."""
    slow = {1: 0.14, 128: 26.74, 4096: 143.0, 65536: 149.9, 131072: 571.86, 524288: 694.58, 2**20: 831.0}
    verdict = find_verdict(judge(osu("osu_bw", slow | {4 * MIB: 1279.54}), plan()), 4 * MIB)
    assert "possible cause: TCP instead of RDMA: at most 10.24 Gb/s, which one or a few cores copy" in verdict.reason
    assert "0.14 million small messages a second" in verdict.reason
    rows = {size: (150.0 + size / 2310, size / 2310 / (150.0 + size / 2310) * 2.31, 2.31) for size in (8, GIB, 8 * GIB)}
    verdict = find_verdict(judge(collective("all_reduce", 2, rows, nodes=2), plan()), 8 * GIB, Metric.BUSBW)
    assert "likely TCP instead of RDMA: at most 18.48 Gb/s" in verdict.reason


def test_a_slow_network_with_quick_small_messages_is_not_called_tcp():
    verdict = find_verdict(judge(osu("osu_bw", {1: 3.0, 64 * 1024: 1_000.0, 4 * MIB: 1_279.0}), plan()), 4 * MIB)
    assert verdict.judgement is Judgement.FAIL
    assert "TCP instead" not in verdict.reason
