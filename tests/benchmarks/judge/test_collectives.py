from dataclasses import replace

import pytest
from judge_support import GIB, MIB, collective, find_verdict, judgements, plan

from wirespeed.benchmarks.judge.collectives import build_group
from wirespeed.benchmarks.judge.limits import RunContext
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.errors import Refusal
from wirespeed.limits.algorithms import Algorithm
from wirespeed.results.benchmarks import Measurement, Metric
from wirespeed.results.parameters import RankPlace
from wirespeed.results.verdicts import Judgement


def all_reduce(ranks, busbw, **parameters):
    """One size of 8 GiB after a small one that shows the floor."""
    algbw = busbw / (2 * (ranks - 1) / ranks)
    rows = {8: (50.0, 0.0, 0.0), 8 * GIB: (8 * GIB / algbw / 1e3, algbw, busbw)}
    return collective("all_reduce", ranks, rows, nodes=max(1, ranks // 8), **parameters)


@pytest.mark.parametrize(
    ("ranks", "busbw", "judgement"),
    [
        (8, 318.0, Judgement.PASS),
        (8, 280.0, Judgement.WARN),
        (8, 200.0, Judgement.FAIL),
        (8, 400.0, Judgement.PASS),  # beats the ring, not the links
        (8, 449.0, Judgement.UNKNOWN),
        (32, 326.0, Judgement.PASS),
        (32, 260.0, Judgement.WARN),
        (32, 200.0, Judgement.FAIL),
        (32, 510.0, Judgement.UNKNOWN),
    ],
)
def test_bus_bandwidth(ranks, busbw, judgement):
    assert find_verdict(judge(all_reduce(ranks, busbw), plan()), 8 * GIB, Metric.BUSBW).judgement is judgement


def test_limits_of_one_host():
    verdict = find_verdict(judge(all_reduce(8, 318.0), plan()), 8 * GIB, Metric.BUSBW)
    assert (verdict.physical.value, verdict.physical.bottleneck) == (448, "links of a GPU")
    assert (verdict.reachable.value, verdict.reachable.bottleneck) == (336, "reachable xGMI rate")


def test_limits_of_four_hosts():
    verdict = find_verdict(judge(all_reduce(32, 318.0), plan()), 8 * GIB, Metric.BUSBW)
    assert verdict.physical.value == pytest.approx(448 + 49.02, abs=0.01)
    assert verdict.physical.bottleneck == "links and NICs of the GPUs"
    assert verdict.reachable.value == pytest.approx(384)
    assert {term.name for term in verdict.reachable.terms} == {"reachable xGMI rate", "NICs of a host"}


@pytest.mark.parametrize(
    ("per_host", "busbw", "physical", "reachable"),
    [
        (1, 49.9, 57.31, 48.52),  # as NVIDIA/nccl-tests issue 232 measured: not the eight NICs of a host
        (2, 88.0, 64 + 57.31, 96.0),  # both GPUs share one xGMI link
        (7, 300.0, 384 + 392.1 / 7, 336.0),
    ],
)
def test_a_part_of_the_gpus_of_each_host_uses_a_part_of_its_nics(per_host, busbw, physical, reachable):
    places = {str(rank): RankPlace(f"node{1 + rank // per_host}") for rank in range(2 * per_host)}
    run = all_reduce(2 * per_host, busbw, rank_places=places)
    verdict = find_verdict(judge(run, plan()), 8 * GIB, Metric.BUSBW)
    assert verdict.judgement is Judgement.PASS
    assert (verdict.physical.value, verdict.reachable.value) == (
        pytest.approx(physical, rel=0.002),
        pytest.approx(reachable, rel=0.002),
    )


def test_a_tree_has_its_own_limit():
    verdict = find_verdict(judge(all_reduce(32, 318.0), plan(), algorithm=Algorithm.TREE), 8 * GIB, Metric.BUSBW)
    assert verdict.reachable.value == pytest.approx(384 * 31 / 32)
    assert verdict.reachable.assumptions[0] == "large messages of all-reduce use the tree algorithm"


def test_algorithm_bandwidth_is_shown_with_its_own_limit():
    verdict = find_verdict(judge(all_reduce(8, 318.0), plan()), 8 * GIB, Metric.ALGBW)
    assert verdict.judgement is Judgement.SKIP
    assert verdict.physical.value == pytest.approx(448 / 1.75)
    assert verdict.fraction_of_physical == pytest.approx(318 / 448)


def test_small_sizes_are_bound_by_latency():
    rows = {
        8: (50.0, 0.0, 0.0),
        MIB: (55.0, 19.1, 33.4),
        64 * MIB: (500.0, 134.2, 234.9),
        8 * GIB: (47273.0, 181.7, 318.0),
    }
    judged = judge(collective("all_reduce", 8, rows, nodes=1), plan())
    assert judgements(judged) == {
        8: Judgement.SKIP,
        MIB: Judgement.SKIP,
        64 * MIB: Judgement.SKIP,
        8 * GIB: Judgement.PASS,
    }
    assert (
        find_verdict(judged, MIB, Metric.BUSBW).reason
        == "small sizes are limited by latency (lowest time in this table: 50 µs)"
    )


def test_a_table_of_small_sizes_alone_is_not_judged():
    rows = {8: (50.0, 0.0, 0.0), MIB: (55.0, 19.1, 33.4)}
    assert set(judgements(judge(collective("all_reduce", 8, rows), plan())).values()) == {Judgement.SKIP}


def test_a_table_of_large_sizes_does_not_show_the_latency():
    rows = {size * GIB: (size * 5750.0, 186.6, 349.9) for size in (1, 2, 4)}
    judged = judge(collective("all_reduce", 16, rows), plan())
    assert judgements(judged) == dict.fromkeys(rows, Judgement.PASS)


def test_one_size_alone_takes_the_floor_of_the_profile():
    rows = {MIB: (55.0, 19.1, 33.4)}
    verdict = find_verdict(judge(collective("all_reduce", 8, rows), plan()), MIB, Metric.BUSBW)
    assert verdict.reason == "small sizes are limited by latency (assumed by the profile: 200 µs)"


def test_a_call_of_no_bytes_is_no_floor():
    rows = {
        0: (0.31, 0.0, 0.0),
        128: (190.0, 0.0, 0.0),
        16 * MIB: (770.9, 21.76, 21.08),
        16 * GIB: (333902.0, 51.5, 49.8),
    }
    judged = judge(collective("alltoall", 32, rows, nodes=4), plan())
    assert (
        find_verdict(judged, 16 * MIB, Metric.BUSBW).reason
        == "small sizes are limited by latency (lowest time in this table: 190 µs)"
    )


def test_wrong_data_fail_however_fast():
    run = all_reduce(8, 318.0)
    wrong = Measurement(Metric.WRONG, "elements", 3, 8 * GIB, "out-of-place", 11)
    verdict = find_verdict(judge(replace(run, measurements=(*run.measurements, wrong)), plan()), metric=Metric.WRONG)
    assert verdict.judgement is Judgement.FAIL
    assert verdict.reason == "data corrupted: the tool's validation failed"


def test_no_wrong_data_is_reported():
    run = all_reduce(8, 318.0)
    right = Measurement(Metric.WRONG, "elements", 0, 8 * GIB, "out-of-place", 11)
    judged = judge(replace(run, measurements=(*run.measurements, right)), plan())
    assert judged.notes[0] == "the tool validated its data: no errors"


def test_the_average_over_all_sizes_is_not_judged():
    average = Measurement(Metric.AVG_BUSBW, "GB/s", 109.341, None, None, 50)
    run = all_reduce(8, 318.0)
    judged = judge(replace(run, measurements=(*run.measurements, average)), plan())
    verdict = find_verdict(judged, metric=Metric.AVG_BUSBW)
    assert (verdict.judgement, verdict.reason) == (Judgement.SKIP, "average over all sizes, small ones included")


def test_ranks_without_hosts_fill_hosts_one_by_one():
    run = collective("all_reduce", 32, {8 * GIB: (55000.0, 156.0, 302.0)})
    bound = find_verdict(judge(run, plan()), metric=Metric.BUSBW).physical
    assert bound.assumptions == (
        "32 ranks, one for each GPU, 8 on a host: the log lists no hosts, give their number with --nodes",
        "the ranks are on node1, node2, node3, node4 of mi300x-4node",
        "no VLAN tag between host and switch",
        "PCIe MaxPayload 256 bytes (usual value; not collected)",
        "GPUs of one host communicate over GPU links only (xGMI or NVLink), not over PCIe",
        "reduction in GPUs, not in switches (no NVLS, no SHARP)",
    )


def test_hosts_that_the_cluster_file_lacks_are_named():
    run = collective(
        "all_reduce", 16, {8 * GIB: (55000.0, 156.0, 302.0)}, nodes=2, host_names="node2.example.org,node9"
    )
    assumed = find_verdict(judge(run, plan()), metric=Metric.BUSBW).physical.assumptions
    assert assumed[1] == "node9 of the log is not in mi300x-4node: judged as node1"


def test_the_hosts_that_the_log_names_are_judged():
    run = collective("all_reduce", 16, {8 * GIB: (55000.0, 156.0, 302.0)}, nodes=2, host_names="node3,node4.cluster")
    judged = judge(run, plan())
    bound = find_verdict(judged, metric=Metric.BUSBW).physical
    assert bound.assumptions[0] == "16 ranks spread evenly over 2 hosts"  # the log names hosts, not those of ranks
    assert not any("the ranks are on" in text for text in bound.assumptions)


@pytest.mark.parametrize(
    ("places", "root", "counts", "root_host"),
    [
        (["node3"] * 8 + ["node4"] * 8, 0, (8, 8), "node3"),
        (["node4", "node3", "node3"], 1, (1, 2), "node3"),  # two GPUs of one host, one of another
        (["node4", "node3", "node4", "node3"], 1, (2, 2), "node3"),  # one rank after the other on each host
    ],
)
def test_the_hosts_of_the_ranks_are_those_of_the_log(places, root, counts, root_host):
    hosts = tuple(dict.fromkeys(places))
    of_ranks = {str(rank): RankPlace(host) for rank, host in enumerate(places)}
    run = collective(
        "broadcast",
        len(places),
        {8 * GIB: (55000.0, 156.0, 302.0)},
        nodes=len(hosts),
        host_names=",".join(sorted(hosts)),
        rank_places=of_ranks,
        root_rank=root,
    )
    assumed: list[str] = []
    group = build_group(run, len(places), plan(), assumed, RunContext())
    assert tuple(member.name for member in group.members) == hosts
    assert tuple(member.ranks for member in group.members) == counts
    assert group.root_member.name == root_host
    assert not any(text.startswith(("the ranks are", f"{len(places)} ranks")) for text in assumed)


def test_more_hosts_than_planned_are_taken_alike():
    run = collective("all_reduce", 64, {8 * GIB: (55000.0, 156.0, 302.0)}, nodes=8)
    assumed = find_verdict(judge(run, plan()), metric=Metric.BUSBW).physical.assumptions
    assert assumed[:2] == (
        "64 ranks spread evenly over 8 hosts",
        "8 hosts like node1: mi300x-4node has 4",
    )


@pytest.mark.parametrize(
    ("places", "causes"),
    [
        (None, "ranks placed on other hosts than assumed; the cluster file describes another cluster"),
        (("node1", "node2", "node3", "node4"), "the cluster file describes another cluster"),
    ],
)
def test_causes_of_an_impossible_value_are_those_of_the_hardware(places, causes):
    """No switch between these GPUs adds data (no NVLS), no Ethernet switch does (no SHARP)."""
    of_ranks = {str(rank): RankPlace(places[rank // 8]) for rank in range(32)} if places else {}
    verdict = find_verdict(judge(all_reduce(32, 510.0, rank_places=of_ranks), plan()), 8 * GIB, Metric.BUSBW)
    assert verdict.reason == f"above the physical limit (links and NICs of the GPUs); likely causes: {causes}"


@pytest.mark.parametrize(
    ("ranks", "redop", "root", "algbw", "busbw", "name"),
    [
        (8, "sum", -1, 181.7, 317.98, "all-reduce"),
        (8, "sum", -1, 300.0, 262.5, "reduce-scatter"),
        (8, "sum", 0, 300.0, 300.0, "reduce"),
        (8, "none", 0, 300.0, 300.0, "broadcast"),
        (7, "none", -1, 40.0, 40.0, "sendrecv"),
    ],
)
def test_an_unnamed_collective_is_known_where_only_one_fits(ranks, redop, root, algbw, busbw, name):
    rows = {8 * GIB: (8 * GIB / algbw / 1e3, algbw, busbw)}
    run = collective(None, ranks, rows, reduction=redop, root_rank=root)
    verdict = find_verdict(judge(run, plan()), 8 * GIB, Metric.BUSBW)
    assert verdict.physical.assumptions[0] == (
        f"{name}: not in the log; its bus factor, reduction and root fit no other"
    )


@pytest.mark.parametrize(
    ("redop", "root", "in_place", "factor", "name"),
    [
        ("sum", -1, True, 1.0, "all-reduce"),
        ("sum", None, True, 1.0, "all-reduce"),  # releases before 2.13 print no root (src/all_reduce.cu of 8274cb4)
        ("sum", 0, True, 1.0, "reduce"),
        ("none", -1, True, 0.5, "all-gather"),
        ("none", -1, False, 0.5, "all-to-all"),
        ("none", -1, True, 1.0, "hypercube"),
        ("none", -1, False, 1.0, "sendrecv"),
        ("none", 0, True, 1.0, "broadcast"),
    ],
)
def test_an_unnamed_collective_of_two_ranks_is_known_by_its_root_and_validation(redop, root, in_place, factor, name):
    """A slow table: its few digits leave no other sign."""
    rows = {size: (size / 0.11e3, 0.11, factor * 0.11) for size in (64 * MIB, 128 * MIB)}
    run = collective(None, 2, rows, reduction=redop, root_rank=root)
    labels = ("out-of-place", "in-place") if in_place else ("out-of-place",)
    wrong = tuple(Measurement(Metric.WRONG, "", 0, 64 * MIB, label, 10) for label in labels)
    judged = judge(replace(run, measurements=(*run.measurements, *wrong)), plan())
    verdict = find_verdict(judged, 128 * MIB, Metric.BUSBW)
    assert verdict.physical.assumptions[0] == (
        f"{name}: not in the log; its bus factor, reduction and root fit no other"
    )


def test_hypercube_and_sendrecv_look_alike_on_powers_of_two():
    run = collective(None, 8, {8 * GIB: (2e5, 40.0, 40.0)}, reduction="none", root_rank=-1)
    assert find_verdict(judge(run, plan()), 8 * GIB, Metric.BUSBW).judgement is Judgement.UNKNOWN


@pytest.mark.parametrize(
    ("test", "ranks", "physical", "reachable"),
    [
        # cut, and what the usual algorithm reaches, GB/s; a NIC moves 49.02 at most, 48.52 with acknowledgements
        ("all_gather", 32, 7 * 64 + 49.02, 8 * 48),
        ("reduce_scatter", 32, 7 * 64 + 49.02, 8 * 48),
        ("alltoall", 32, 49.02 * 31 / 24, 48.52 * 31 / 24),
        ("alltoallv", 32, 49.02 * 31 / 24, 48.52 * 31 / 24),
        ("broadcast", 32, 8 * 49.02, 8 * 48),
        ("reduce", 32, 8 * 49.02, 8 * 48),
        ("gather", 32, 8 * 49.02 * 31 / 24, 7 * 48 + 48.52),
        ("scatter", 32, 8 * 49.02 * 31 / 24, 7 * 48 + 48.52),
        ("sendrecv", 32, 8 * 49.02, 48),
        ("hypercube", 32, 7 * 64 + 49.02, 48.52 * 31 / 24),
        ("hypercube", 8, 448, 48),
    ],
)
def test_limits_of_every_collective(test, ranks, physical, reachable):
    run = collective(test, ranks, {8 * GIB: (1e6, 1.0, 1.0)}, nodes=ranks // 8)
    verdict = find_verdict(judge(run, plan()), 8 * GIB, Metric.BUSBW)
    assert verdict.physical.value == pytest.approx(physical, rel=1e-3)
    assert verdict.reachable.value == pytest.approx(reachable, rel=1e-3)


def test_uneven_shares_are_an_assumption():
    run = collective("alltoallv", 32, {8 * GIB: (1e6, 1.0, 1.0)}, nodes=4)
    verdict = find_verdict(judge(run, plan()), 8 * GIB, Metric.BUSBW)
    assert "even shares assumed: the log does not contain those of all-to-all-v" in verdict.reachable.assumptions


def test_an_unnamed_collective_is_unknown_until_named():
    run = collective(
        None, 32, {8: (50.0, 0.0, 0.0), 16 * GIB: (333902.0, 51.45, 49.84)}, nodes=4, reduction="none", root_rank=-1
    )
    unknown = find_verdict(judge(run, plan()), 16 * GIB, Metric.BUSBW)
    assert unknown.judgement is Judgement.UNKNOWN
    assert unknown.reason == (
        "the log does not name its collective; its bus factor is that of all-gather or all-to-all of 32 ranks: "
        "name it, such as --collective all-gather"
    )
    named = find_verdict(judge(run, plan(), collective="all-to-all"), 16 * GIB, Metric.BUSBW)
    assert (named.judgement, named.physical.bottleneck) == (Judgement.PASS, "cut at the NICs of a host")


def test_a_name_that_is_no_collective_is_refused():
    with pytest.raises(Refusal) as refusal:
        judge(all_reduce(8, 318.0), plan(), collective="all-redcue")
    assert str(refusal.value) == (
        "--collective: found 'all-redcue'; expected one of all-reduce, all-gather, reduce-scatter, all-to-all, "
        "broadcast, reduce, sendrecv, gather, scatter, hypercube, all-to-all-v\n  hint: did you mean 'all-reduce'?"
    )


@pytest.mark.parametrize(
    ("device", "is_judged"),
    [
        ("AMD Instinct MI300X", True),
        ("AMD Instinct MI300X VF", True),
        ("NVIDIA Graphics Device", True),  # names no model
        ("NVIDIA H100 80GB HBM3", False),
        ("NVIDIA A100-SXM4-80GB", False),
        ("AMD Instinct MI250X", False),
        ("Radeon RX 7900 XTX", False),  # ROCm issue 2253
        ("Tesla T4", False),
    ],
)
def test_a_log_of_other_gpus_is_no_log_of_this_cluster(device, is_judged):
    verdict = find_verdict(judge(all_reduce(8, 318.0, gpu_model=device), plan()), 8 * GIB, Metric.BUSBW)
    assert (verdict.judgement is Judgement.PASS) is is_judged
    if not is_judged:
        assert (verdict.judgement, verdict.reason) == (
            Judgement.UNKNOWN,
            f"the log's GPUs are {device}, those of mi300x-4node are AMD Instinct MI300X: "
            "give the cluster file of the measured hosts; docs/guides/cluster-file.md describes it",
        )


def test_no_ranks_no_limit():
    run = replace(all_reduce(8, 318.0), ranks=None)
    assert find_verdict(judge(run, plan()), 8 * GIB, Metric.BUSBW).judgement is Judgement.UNKNOWN


def test_sizes_not_judged_are_named_once_for_both_placements():
    run = collective(
        "all_reduce", 32, {8: (50.0, 0.0, 0.0), 64 * MIB: (900.0, 70.0, 135.6), 8 * GIB: (43e3, 200.0, 387.5)}
    )
    in_place = tuple(row._replace(label="in-place") for row in run.measurements)
    notes = judge(replace(run, measurements=(*run.measurements, *in_place)), plan()).notes
    not_judged = [note for note in notes if "not judged" in note]
    assert len(not_judged) == len({note.partition(": ")[2] for note in not_judged})
    assert all(note.startswith("out-of-place and in-place: ") for note in not_judged) and not_judged


@pytest.mark.parametrize(
    ("hosts", "judgement"),
    [
        (("node1", "node2"), Judgement.PASS),
        (("gpu-a1", "gpu-a2"), Judgement.UNKNOWN),
        (("node1", "gpu-a2"), Judgement.UNKNOWN),
    ],
)
def test_a_value_far_above_the_reachable_limit_is_unknown_on_hosts_that_the_plan_does_not_have(hosts, judgement):
    """The figures that a reachable limit assumes are refuted; on other hosts the whole cluster file may be wrong."""
    reachable = find_verdict(judge(all_reduce(16, 300.0), plan()), 8 * GIB, Metric.BUSBW).reachable.value
    places = {str(rank): RankPlace(hosts[rank // 8]) for rank in range(16)}
    run = all_reduce(16, 1.06 * reachable, rank_places=places)
    verdict = find_verdict(judge(run, plan()), 8 * GIB, Metric.BUSBW)
    assert verdict.judgement is judgement
    if judgement is Judgement.UNKNOWN:
        foreign_hosts = ", ".join(host for host in hosts if not host.startswith("node"))
        assert verdict.reason == (
            f"above the reachable limit of hosts of mi300x-4node, and the log names other hosts ({foreign_hosts}): "
            "give the cluster file of the measured hosts"
        )
