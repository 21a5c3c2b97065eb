"""OSU, ucx_perftest, NetPIPE, mpiGraph and GPCNeT against the NICs of a host."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from judge_support import GIB, MIB, find_verdict, plan
from tests.benchmarks.judge.test_rdma import with_memory

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.cluster import read
from wirespeed.plan import build
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.verdicts import Judgement

EXAMPLES = Path(__file__).parents[3] / "examples"

KIB = 2**10
ONE_NIC = 400 * 4096 / 4178  # Gb/s of one NIC
TCP = 400 * 8960 / 9038  # without options, MTU 9000: what nothing beats where RoCE is not certain
SHARED = 32 * 16 * 128 / 130  # a PCIe switch's uplink, for two NICs: 504.1 Gb/s before packets


def run(tool, test, rows, unit="MB/s", metric=Metric.BW_AVG, label=None, ranks=None, **parameters):
    measurements = tuple(
        Measurement(metric, unit, value, size, label, line) for line, (size, value) in enumerate(rows.items(), 5)
    )
    return Run(tool, test, None, RunStatus.COMPLETE, None, ranks, Parameters(**parameters), measurements)


def osu(test, rows, **parameters):
    return run("osu-micro-benchmarks", test, rows, **parameters)


CURVE = {8 * KIB: 14_000.0, 64 * KIB: 40_000.0}


@pytest.mark.parametrize(
    ("test", "value", "reachable", "judgement"),
    [
        ("osu_bw", 48_500.0, ONE_NIC, Judgement.PASS),
        ("osu_bw", 20_000.0, ONE_NIC, Judgement.FAIL),
        ("osu_bw", 150_000.0, ONE_NIC, Judgement.PASS),  # striped over four NICs
        ("osu_bw", 900_000.0, ONE_NIC, Judgement.UNKNOWN),  # more than eight carry
        ("osu_put_bw", 48_500.0, ONE_NIC, Judgement.PASS),
        ("osu_get_bw", 20_000.0, ONE_NIC, Judgement.FAIL),
        ("osu_bibw", 96_000.0, 2 * ONE_NIC * 4178 / (4178 + 0.5 * 86), Judgement.PASS),
        ("osu_bibw", 48_000.0, 2 * ONE_NIC * 4178 / (4178 + 0.5 * 86), Judgement.FAIL),
    ],
)
def test_osu_between_two_hosts(test, value, reachable, judgement):
    verdict = find_verdict(judge(osu(test, {**CURVE, 4 * MIB: value}), plan()), 4 * MIB)
    assert verdict.judgement is judgement
    assert verdict.reachable.value == pytest.approx(reachable * 1000 / 8, rel=1e-3)


def test_nics_share_the_uplink_of_their_pcie_switch_to_host_memory():
    """Eight NICs behind four switches: two share 504.1 Gb/s less the bytes around 256 of data."""
    verdict = find_verdict(judge(osu("osu_bw", {**CURVE, 4 * MIB: 48_500.0}), plan()), 4 * MIB)
    carried = SHARED * 256 / 280
    assert verdict.physical.value == pytest.approx(4 * carried * 1000 / 8, rel=1e-3)
    assert "PCIe uplink" in verdict.physical.terms[0].formula


def test_buffers_on_gpus_do_not_pass_it():
    log = osu("osu_mbw_mr", {4 * MIB: 380_000.0}, pairs=8, send_memory="CUDA", receive_memory="CUDA")
    verdict = find_verdict(judge(log, plan(), nodes=2))
    assert verdict.physical.value == pytest.approx(8 * TCP * 1000 / 8, rel=1e-3)


@pytest.mark.parametrize(
    ("test", "value", "judgement"),
    [
        ("osu_bw", 57_000.0, Judgement.PASS),
        ("osu_bw", 95_000.0, Judgement.UNKNOWN),  # two NICs carry it, the slot of a GPU does not: PCIe 5.0 x16
        ("osu_bibw", 114_000.0, Judgement.PASS),
        ("osu_bibw", 120_000.0, Judgement.UNKNOWN),
    ],
)
def test_a_pair_of_gpus_is_not_faster_than_their_slots(test, value, judgement):
    log = osu(test, {**CURVE, 4 * MIB: value}, send_memory="CUDA", receive_memory="CUDA")
    assert find_verdict(judge(log, plan()), 4 * MIB).judgement is judgement


def test_many_pairs_send_from_half_of_the_hosts():
    log = osu("osu_mbw_mr", {8 * KIB: 60_000.0, 4 * MIB: 95_000.0}, pairs=2, window_messages=64)
    verdict = find_verdict(judge(log, plan()), 4 * MIB)
    # two pairs are four ranks: each pair has one sender, and it is on one NIC
    assert verdict.reachable.value == pytest.approx(2 * ONE_NIC * 1000 / 8, rel=1e-3)


@pytest.mark.parametrize(
    ("pairs", "nodes", "options", "nics", "senders"),
    [
        # rank i sends to rank i + pairs (osu_mbw_mr.c, calc_bw); ranks fill one host after the other
        (2, 2, "", 2, 1),  # ranks 0, 1 | 2, 3: 0 to 2, 1 to 3
        (2, 4, "", 2, 2),  # a rank each: 0 to 2, 1 to 3
        (8, 4, "", 8, 2),  # four ranks each
        (12, 3, "", 12, 2),  # eight ranks each: eight of the first host and four of the second send
        (64, 2, "", 8, 1),
        # one rank on each host in turn
        (3, 2, "--map-by node", 3, 2),  # 0 to 3, 2 to 5 from the first host, 1 to 4 from the second
        (64, 3, "--map-by node", 24, 3),
        (8, 4, "-m cyclic", None, None),  # 0 to 8, both on the first host
        (4, 2, "--distribution=cyclic", None, None),
        (8, 4, "-m cyclic:block", None, None),  # the second word is of sockets (srun(1))
        (8, 4, "-m block:cyclic", 8, 2),
    ],
)
def test_the_senders_of_many_pairs_follow_from_the_places_of_ranks(pairs, nodes, options, nics, senders):
    log = osu(
        "osu_mbw_mr",
        {4 * MIB: 4_000.0},
        pairs=pairs,
        send_memory="CUDA",
        receive_memory="CUDA",
        command=f"mpirun -np {2 * pairs} {options} ./osu_mbw_mr" if options else None,
    )
    verdict = find_verdict(judge(log, plan(), nodes=nodes))
    if nics is None:
        assert verdict.judgement is Judgement.UNKNOWN
        assert verdict.reason == (
            f"by its command, ranks i and i + {pairs} of a pair are on the same of {nodes} hosts: no data cross its "
            "NICs; fill one host after the other"
        )
        return
    assert verdict.reachable.value == pytest.approx(nics * ONE_NIC * 1000 / 8, rel=1e-3)
    assumed = [text for text in verdict.reachable.assumptions if " pairs, from " in text]
    order = "" if "--map-by node" in options else "; ranks fill one host after the other"
    assert assumed == ([f"{pairs} pairs, from {senders} of {nodes} hosts{order}"] if senders > 1 else [])


def test_an_unknown_order_of_ranks_raises_the_physical_limit_alone():
    """Fifteen pairs of two hosts with ranks in turn send from both hosts: nothing may call that impossible."""
    value = 1.5 * 8 * ONE_NIC * 1000 / 8
    log = osu("osu_mbw_mr", {4 * MIB: value}, pairs=15, send_memory="CUDA", receive_memory="CUDA")
    verdict = find_verdict(judge(log, plan(), nodes=2))
    assert verdict.physical.value == pytest.approx(2 * 8 * TCP * 1000 / 8, rel=1e-3)
    assert verdict.judgement is Judgement.PASS


@pytest.mark.parametrize(
    ("pairs", "nodes", "nics", "name"),
    [
        (1, 2, 1, "line rate × RoCEv2 framing (one NIC)"),
        (8, 2, 8, "8 NICs of one host"),
        (64, 2, 8, "8 NICs of one host"),
        (8, 4, 8, "8 NICs of 2 hosts"),  # two sending hosts, four pairs each
        (64, 4, 16, "16 NICs of 2 hosts"),
    ],
)
def test_the_limit_of_many_pairs_names_the_nics_in_use(pairs, nodes, nics, name):
    log = osu("osu_mbw_mr", {4 * MIB: 40_000.0}, pairs=pairs, send_memory="CUDA", receive_memory="CUDA")
    reachable = find_verdict(judge(log, plan(), nodes=nodes)).reachable
    assert (reachable.bottleneck, reachable.terms[0].name) == (name, name)
    assert reachable.value == pytest.approx(nics * ONE_NIC * 1000 / 8, rel=1e-3)


def test_small_messages_are_bound_by_their_rate():
    judged = judge(osu("osu_bw", {1: 3.0, KIB: 3_000.0, 16 * KIB: 30_000.0, 4 * MIB: 48_500.0}), plan())
    assert find_verdict(judged, KIB).judgement is Judgement.SKIP
    assert (
        find_verdict(judged, KIB).reason
        == "small messages are limited by the message rate (highest rate in this table: 3 million messages/s)"
    )


def test_a_ping_pong_is_bound_by_latency():
    rows = {1: 0.8, 64 * KIB: 100_000.0, 256 * MIB: 380_000.0}
    log = run("netpipe", "NPopenmpi", rows, unit="Mib/s")
    latency = Measurement(Metric.LATENCY_AVG, "us", 2.0, 1, None, 5)
    judged = judge(
        Run(log.tool, log.test, None, log.status, None, None, Parameters(), (*log.measurements, latency)), plan()
    )
    assert (
        find_verdict(judged, 64 * KIB).reason
        == "small messages are limited by latency (lowest time in this table: 2 µs)"
    )
    assert find_verdict(judged, 256 * MIB).judgement is Judgement.PASS


def test_mpigraph_judges_each_pair_and_not_its_best():
    rows = tuple(
        Measurement(metric, "MiB/s", value, MIB, label, line)
        for line, (metric, value, label) in enumerate(
            [
                (Metric.BW_AVG, 46_000.0, "node1 -> node2"),
                (Metric.BW_AVG, 20_000.0, "node1 -> node3"),
                (Metric.BW_MAX, 47_000.0, "sent"),
            ]
        )
    )
    judged = judge(Run("mpigraph", "mpiGraph", None, RunStatus.COMPLETE, None, 3, Parameters(), rows), plan())
    judgements = [(verdict.measurement.label, verdict.judgement) for verdict in judged.verdicts]
    assert judgements == [("node1 -> node2", Judgement.PASS), ("node1 -> node3", Judgement.FAIL)]


@pytest.mark.parametrize(("value", "judgement"), [(1200.0, Judgement.PASS), (900_000.0, Judgement.UNKNOWN)])
def test_ucx_without_the_name_of_its_test_is_shown(value, judgement):
    verdict = find_verdict(judge(run("ucx_perftest", None, {4 * MIB: value}, unit="MiB/s"), plan()))
    assert verdict.judgement is (Judgement.SKIP if judgement is Judgement.PASS else judgement)


def test_ucx_is_judged_where_its_test_is_named():
    rows = {KIB: 3000.0, 4 * MIB: 46_000.0}
    assert (
        find_verdict(judge(run("ucx_perftest", "tag_bw", rows, unit="MiB/s"), plan()), 4 * MIB).judgement
        is Judgement.PASS
    )


def test_a_plan_of_one_host_has_nothing_to_send_between():

    one_host = replace(plan(), hosts={"node1": plan().hosts["node1"]})
    verdict = find_verdict(judge(osu("osu_bw", {4 * MIB: 48_500.0}), one_host))
    assert (verdict.judgement, verdict.reason) == (
        Judgement.UNKNOWN,
        "mi300x-4node has no two hosts to send between",
    )


def test_what_has_no_limit_is_unknown():
    verdict = find_verdict(judge(osu("osu_neighbor_bw", {4 * MIB: 48_500.0}), plan()))
    assert (verdict.judgement, verdict.reason) == (Judgement.UNKNOWN, "no limits are known for osu_neighbor_bw")


def test_a_matrix_of_pairs_is_referred_to_the_comparison_of_peers():
    pair = Measurement(Metric.BW_AVG, "Gb/s", 390.0, None, "node1 -> node2", 1)
    run = Run("pair-matrix", None, None, RunStatus.COMPLETE, None, None, measurements=(pair,))
    assert find_verdict(judge(run, plan())).reason == (
        "no limits are known for pair-matrix; `wirespeed bench peers` compares its pairs with each other"
    )


@pytest.mark.parametrize("test", ["osu_bw_fan_in", "osu_bw_fan_out"])
@pytest.mark.parametrize(
    ("value", "ranks", "nics", "judgement"),
    [
        (48_500.0, None, 1, Judgement.PASS),
        (20_000.0, None, 1, Judgement.FAIL),
        (190_000.0, 16, 4, Judgement.PASS),  # four ranks of one host with each of three
        (100_000.0, 16, 4, Judgement.FAIL),
        (900_000.0, 16, 4, Judgement.UNKNOWN),  # more than the NICs of the one host
    ],
)
def test_all_of_a_fan_passes_one_host(test, value, ranks, nics, judgement):
    parameters = {"nodes": 4} if ranks else {}
    verdict = find_verdict(judge(osu(test, {**CURVE, 4 * MIB: value}, ranks=ranks, **parameters), plan()), 4 * MIB)
    assert verdict.judgement is judgement
    assert verdict.reachable.value == pytest.approx(nics * ONE_NIC * 1000 / 8, rel=1e-3)
    assert verdict.physical.value == pytest.approx(4 * SHARED * 256 / 280 * 1000 / 8, rel=1e-3)


@pytest.mark.parametrize("test", ["osu_multi_lat", "osu_acc_latency", "osu_fop_latency", "osu_partitioned_latency"])
def test_latencies_of_every_kind_have_a_least(test):
    verdict = find_verdict(judge(osu(test, {8: 0.0000001}, unit="us", metric=Metric.LATENCY_AVG), plan()))
    assert (verdict.judgement, verdict.physical.unit) == (Judgement.UNKNOWN, "us")


@pytest.mark.parametrize(
    ("table", "value", "judgement"),
    [
        ("isolated", 11_000.0, Judgement.PASS),
        ("isolated", 9_000.0, Judgement.WARN),  # 66 % of what the eight NICs of a host carry
        ("isolated", 2_300.0, Judgement.FAIL),  # 16 ranks of a host over one NIC
        ("congested", 2_000.0, Judgement.SKIP),  # slowed on purpose
        ("isolated", 30_000.0, Judgement.UNKNOWN),  # 16 ranks share the eight NICs of a host
    ],
)
def test_the_isolated_bandwidth_of_gpcnet_is_judged(table, value, judgement):
    label = f"{table}: RR Two-sided BW+Sync"
    log = run("gpcnet", "network_test", {131072: value}, unit="MiB/s/rank", label=label, ranks=64, nodes=4)
    verdict = find_verdict(judge(log, plan()))
    assert verdict.judgement is judgement
    carried = SHARED / (280 / 256 + 24 / 4096)  # of two NICs
    assert verdict.physical.value == pytest.approx(4 * carried * 1e9 / 8 / 2**20 / 16, rel=1e-3)


@pytest.mark.parametrize(
    ("test", "channels", "size", "binds"),
    [
        ("osu_bw", 8, 16 * GIB, False),  # 716.8 GB/s of memory, four uplinks before
        ("osu_bw", 1, 16 * GIB, True),
        ("osu_bibw", 1, 16 * GIB, True),
        ("osu_bw", 1, 512 * MIB, False),  # caches may hold it
    ],
)
def test_all_nics_of_a_host_share_its_memory(test, channels, size, binds):
    judged = find_verdict(judge(osu(test, {**CURVE, size: 48_500.0}), with_memory(plan(), channels)), size)
    memory = [term for term in judged.physical.terms if term.name == "memory of node1"]
    assert (judged.physical.bottleneck == "memory of node1") is binds
    assert len(memory) == (size > 2 * 448 * MIB)
    if binds:
        cached = 16 * GIB / (16 * GIB - 896 * MIB)
        assert judged.physical.value == pytest.approx(2 * channels * 5.6e9 * 8 / 1e6 * cached)  # MB/s


def plan_with_two_ports():
    """The sixteen hosts of the 100G cluster, with the cards in two slots.

    The document's 389 Gb/s of four hosts need 195 Gb/s of each sender: more than one Gen3 x16 slot carries (115 Gb/s).
    """
    return build(read(EXAMPLES / "arista-leaf-spine" / "cluster-100g.yaml"))


@pytest.mark.parametrize(
    ("nodes", "fraction", "judgement"),
    [
        (4, 0.992, Judgement.PASS),  # two hosts send
        (None, 0.248, Judgement.UNKNOWN),  # a fail if all sixteen hosts took part, which the log does not state
    ],
)
def test_the_published_pairs_of_four_hosts_pass(nodes, fraction, judgement):
    """Lossless network guide (Arista and Broadcom), table 6: osu_mbw_mr, 128 KB, 4 nodes, 16 PPN, 48.6 GB/s."""
    log = osu("osu_mbw_mr", {128 * KIB: 48_600.0}, pairs=32)
    verdict = find_verdict(judge(log, plan_with_two_ports(), nodes=nodes))
    assert verdict.judgement is judgement
    assert verdict.fraction_of_reachable == pytest.approx(fraction, abs=0.002)
    hosts = (
        "2 of 4 hosts" if nodes else "8 of 16 hosts, all hosts of arista-16node-100g: give their number with --nodes"
    )
    assert f"32 pairs, from {hosts}; ranks fill one host after the other" in verdict.reachable.assumptions


def test_two_hosts_that_the_user_names_are_all_hosts():
    log = osu("osu_mbw_mr", {128 * KIB: 11_150.0}, pairs=32)
    verdict = find_verdict(judge(log, plan_with_two_ports(), source="node01:ens7f0np0", target="node02:ens7f0np0"))
    assert not any("all hosts of" in text for text in verdict.reachable.assumptions)
    one_sender = find_verdict(judge(log, plan_with_two_ports(), nodes=2))
    assert verdict.reachable.value == one_sender.reachable.value


@pytest.mark.parametrize(("gb_per_s", "judgement"), [(222.0, Judgement.PASS), (150.0, Judgement.FAIL)])
def test_both_ports_of_a_card_reach_what_its_slot_carries(gb_per_s, judgement):
    """ESnet's card has two ports of 200 Gb/s in one slot of 16 GT/s x16: 230.5 Gb/s of data in packets of 256 bytes."""
    log = osu("osu_mbw_mr", {4 * MIB: gb_per_s * 1000 / 8}, pairs=16)
    esnet = build(read(EXAMPLES / "esnet-400g" / "cluster.yaml"))
    verdict = find_verdict(judge(log, esnet))
    assert verdict.judgement is judgement
    slot = 16 * 16 * 128 / 130 * 256 / 280
    assert verdict.fraction_of_reachable == pytest.approx(gb_per_s / slot, rel=0.01)


@pytest.mark.parametrize("value", [1144.7, 1245.2])
def test_the_published_gpcnet_bandwidth_fits_two_ports(value):
    """Lossless network guide, table 7: MiB/s per rank, isolated, 16 nodes with 16 ranks and two ports of 100 Gb/s."""
    label = "isolated: RR Two-sided BW+Sync"
    log = run("gpcnet", "network_test", {131072: value}, unit="MiB/s/rank", label=label)
    judged = judge(log, plan_with_two_ports(), ranks=256, nodes=16)
    verdict = find_verdict(judged)
    assert verdict.judgement is Judgement.PASS
    assert 0.7 < verdict.fraction_of_physical < verdict.fraction_of_reachable < 1
    assert not [note for note in judged.notes if "refuted" in note]
    assert "the 16 ranks of a host use 2 of its 2 NICs" in verdict.reachable.assumptions


@pytest.mark.parametrize(
    ("ranks", "value", "judgement"),
    [
        (256, 570.0, Judgement.FAIL),  # half of the published 1144.7: one of two ports
        (16, 9_000.0, Judgement.PASS),  # the only rank of a host uses one NIC: 78 % of 11,568 MiB/s
    ],
)
def test_the_ranks_of_a_host_use_its_nics_in_gpcnet(ranks, value, judgement):
    label = "isolated: RR Two-sided BW+Sync"
    log = run("gpcnet", "network_test", {131072: value}, unit="MiB/s/rank", label=label)
    verdict = find_verdict(judge(log, plan_with_two_ports(), ranks=ranks, nodes=16))
    assert verdict.judgement is judgement


@pytest.mark.parametrize(
    ("value", "judgement"),
    [
        (24_000.0, Judgement.UNKNOWN),  # would pass on two hosts
        (21_500.0, Judgement.UNKNOWN),  # would warn there: 88 % of two ports of 100 Gb/s
        (18_000.0, Judgement.FAIL),  # fails there too
    ],
)
def test_no_value_fails_while_the_number_of_hosts_decides(value, judgement):
    log = osu("osu_mbw_mr", {128 * KIB: value}, pairs=32)
    assert find_verdict(judge(log, plan_with_two_ports())).judgement is judgement


def test_too_little_for_one_sending_host_fails_without_the_number_of_hosts():
    log = osu("osu_mbw_mr", {128 * KIB: 15_000.0}, pairs=32)  # 61 % of two ports of 100 Gb/s
    assert find_verdict(judge(log, plan_with_two_ports())).judgement is Judgement.FAIL


def test_more_than_a_planned_port_names_the_second_one():
    plan = plan_with_two_ports()
    hosts = {
        name: replace(host, nics=dict(list(host.nics.items())[:1]), launch=replace(host.launch, rdma_devices=None))
        for name, host in plan.hosts.items()
    }
    log = osu("osu_mbw_mr", {128 * KIB: 48_600.0}, pairs=32)
    verdict = find_verdict(judge(log, replace(plan, hosts=hosts), nodes=4))
    assert verdict.judgement is Judgement.UNKNOWN
    assert "the second port of the NICs in use, which arista-16node-100g does not plan" in verdict.reason


def test_ranks_on_one_host_have_no_limit_of_nics():
    verdict = find_verdict(judge(osu("osu_bw", {4 * MIB: 48_500.0}, nodes=1), plan()), 4 * MIB)
    assert verdict.reason == "all ranks are on one host: no data cross its NICs"


@pytest.mark.parametrize(
    ("test", "value", "factor", "published"),
    [
        ("osu_alltoall", 47_800.0, "2.35", " (a healthy all-to-all of 256 ranks takes 2.35 times, "),
        ("osu_allreduce", 393.0, "74", " (a healthy all-reduce of 128 KiB over 256 ranks takes 74 times, "),
        ("osu_iallreduce", 393.0, "74", " (a healthy all-reduce of 128 KiB over 256 ranks takes 74 times, "),
        ("osu_bcast", 393.0, "74", ""),
    ],
)
def test_the_factor_of_the_same_collective_is_cited(test, value, factor, published):
    log = osu(test, {128 * KIB: value}, unit="us", metric=Metric.LATENCY_AVG)
    (note,) = (
        note
        for note in judge(log, plan_with_two_ports(), ranks=256, nodes=16).notes
        if note.startswith("128 KiB takes ")
    )
    assert note.startswith(f"128 KiB takes {factor}")
    assert note.endswith(
        f"no factor is required, because MPI libraries use many algorithms{published}"
        + ("Arista and Broadcom, Lossless Network, table 6)" if published else "")
    )


def test_no_factor_is_stated_of_a_size_whose_bytes_need_no_time():
    log = osu("osu_alltoall", {2: 640.0}, unit="us", metric=Metric.LATENCY_AVG)
    assert not any("the minimum" in note for note in judge(log, plan_with_two_ports(), ranks=256, nodes=16).notes)


def test_a_stated_number_of_ranks_completes_a_log():
    """osu_alltoall prints no number of ranks; 16 hosts of 16 ranks each (lossless network guide, table 6)."""
    log = osu("osu_alltoall", {128 * KIB: 47_800.0}, unit="us", metric=Metric.LATENCY_AVG)
    judged = judge(log, plan_with_two_ports(), ranks=256, nodes=16)
    assert any(note.startswith("128 KiB takes 2.35 times the minimum") for note in judged.notes)
    verdict = find_verdict(judged)
    assert verdict.judgement is Judgement.SKIP
    crossing = 16 * 128 * KIB * 240  # bytes out of a host
    assert verdict.fraction_of_physical == pytest.approx(crossing * 8 / 47.8e-3 / 200e9, rel=0.03)


def test_a_stated_number_that_the_log_contradicts_is_noted():
    log = osu("osu_bw_fan_in", {**CURVE, 4 * MIB: 190_000.0}, ranks=16, nodes=4)
    assert "--nodes 2 has no effect: the log has 4 hosts" in judge(log, plan(), nodes=2).notes


def test_an_option_that_changes_nothing_is_noted():
    notes = judge(run("netpipe", "NPtcp", {8: 1.0}), plan(), ranks=4, nodes=2).notes
    assert "--ranks 4 has no effect: NPtcp runs between two ends" in notes
    assert "--nodes 2 has no effect: NPtcp runs between two ends" in notes


def test_ends_name_the_hosts_of_a_collective():
    log = run("nccl-tests", "all_reduce", {8: 1.0}, unit="GB/s", metric=Metric.BUSBW, ranks=16)
    (verdict,) = judge(log, plan(), source="node3:bnxt_re0", target="node4:bnxt_re0").verdicts
    assert "the ranks are on node3, node4 of mi300x-4node" in verdict.physical.assumptions
