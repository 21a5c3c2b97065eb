"""A run that exceeds what the assumed algorithm reaches refutes it.

Figures: oracle-quickstart/oci-hpc, documentation/Troubleshooting.md (16 H100 on two hosts of eight 400G RoCE NICs);
NVIDIA/nccl-tests issues 290 (eight H100) and 196 (two hosts use a tree, by the author of NCCL).
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from judge_support import GIB, collective, find_verdict, judgements
from judge_support import plan as mi300x_plan
from judge_support import plan_with_gpus as plan

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.limits.algorithms import Algorithm
from wirespeed.results.benchmarks import Metric
from wirespeed.results.parameters import RankPlace
from wirespeed.results.verdicts import Judgement

PUBLISHED = {GIB: 449.51, 2 * GIB: 461.62, 4 * GIB: 467.43, 8 * GIB: 469.84, 16 * GIB: 471.22}


def all_reduce(busbw, nodes, gpus=8):
    ranks = gpus * nodes
    rows = {8: (50.0, 0.0, 0.0)}
    for size, value in busbw.items():
        algbw = value / (2 * (ranks - 1) / ranks)
        rows[size] = (size / algbw / 1e3, algbw, value)
    return collective("all_reduce", ranks, rows, nodes=nodes)


def find_refutation(judged):
    (note,) = (note for note in judged.notes if note.startswith("the log refutes"))
    return note


def test_two_hosts_of_h100_are_judged_as_a_tree_over_their_switches():
    judged = judge(all_reduce(PUBLISHED, 2), plan())
    verdict = find_verdict(judged, 16 * GIB, Metric.BUSBW)
    assert (verdict.judgement, verdict.reachable.assumptions[0]) == (
        Judgement.PASS,
        "large messages of all-reduce use the nvls-tree algorithm",
    )
    assert not [note for note in judged.notes if "refute" in note]


def test_a_degraded_run_of_two_hosts_does_not_pass_as_a_ring():
    """362 GB/s is 93 % of what a ring reaches."""
    assert judgements(judge(all_reduce({16 * GIB: 362.0}, 2), plan()))[16 * GIB] is Judgement.WARN


def test_a_log_refutes_the_algorithm_that_the_user_states():
    judged = judge(all_reduce(PUBLISHED, 2), plan(), algorithm=Algorithm.RING)
    assert find_refutation(judged) == (
        "the log refutes the ring algorithm: 471.22 GB/s at 16 GiB is 121 % of the 388.15 GB/s that it reaches; "
        "judged as nvls-tree, 525.3 GB/s"
    )
    assert find_verdict(judged, 16 * GIB, Metric.BUSBW).reachable.value == pytest.approx(525.3)


def test_a_slow_size_of_such_a_log_is_judged_against_the_same_algorithm():
    judged = judge(all_reduce(PUBLISHED | {8 * GIB: 330.0}, 2), plan(), algorithm=Algorithm.RING)
    assert judgements(judged)[8 * GIB] is Judgement.FAIL  # 85 % of a ring


def test_two_hosts_without_reducing_switches_fall_back_to_a_tree():
    """A100: a ring reaches the NICs, a tree of two hosts the links between GPUs."""
    judged = judge(all_reduce({16 * GIB: 240.0}, 2), replace_nic_speeds(plan("a100"), 200))
    assert find_refutation(judged).startswith("the log refutes the ring algorithm: 240 GB/s at 16 GiB is 124 % of ")
    assert "judged as tree, " in find_refutation(judged)


def replace_nic_speeds(plan, gb_per_s):
    from wirespeed.units import Bandwidth

    speed = Bandwidth(gb_per_s * 10**9)
    hosts = {
        name: replace(
            host,
            nics={port: replace(nic, link=replace(nic.link, speed=speed)) for port, nic in host.nics.items()},
        )
        for name, host in plan.hosts.items()
    }
    return replace(plan, hosts=hosts)


def test_what_no_algorithm_explains_is_noted():
    judged = judge(all_reduce({8 * GIB: 400.0}, 1), mi300x_plan())
    (note,) = (note for note in judged.notes if "too low" in note)
    assert note == (
        "the highest value is 119.0 % of the reachable limit: this limit (large messages of all-reduce use the ring "
        "algorithm) is too low for this log, and values above it pass; the value is below the physical limit and so "
        "possible"
    )
    assert not any("refutes" in note for note in judged.notes)


def test_a_user_may_state_that_the_network_sums():
    """NCCL's CollNet: 16 H100 on two hosts, 2·15/16 of what their NICs carry."""
    verdict = find_verdict(
        judge(all_reduce({16 * GIB: 471.22}, 2), plan(), algorithm=Algorithm.COLLNET), 16 * GIB, Metric.BUSBW
    )
    assert verdict.reachable.assumptions[0] == "large messages of all-reduce use the collnet algorithm"
    assert verdict.reachable.value <= verdict.physical.value


def test_no_network_sums_without_proof():
    """SHARP is InfiniBand's: over RoCE a value that only it explains is above the physical limit."""
    assert judgements(judge(all_reduce({16 * GIB: 700.0}, 4), plan()))[16 * GIB] is Judgement.UNKNOWN


AWS = {512 * GIB // 1024: 393.34, GIB: 436.95, 2 * GIB: 443.72, 4 * GIB: 465.87, 8 * GIB: 479.28, 16 * GIB: 487.09}
"""aws-samples/awsome-distributed-training, two p5.48xlarge."""
H200 = {256 * GIB // 1024: 394.69, 512 * GIB // 1024: 432.57, GIB: 458.75, 2 * GIB: 473.86, 4 * GIB: 481.78,
        8 * GIB: 485.57, 16 * GIB: 485.66}  # fmt: skip
"""Two hosts of eight H200 and eight BlueField-3 of 400 Gb/s, RoCE."""


@pytest.mark.parametrize("table", [PUBLISHED, AWS, H200])
@pytest.mark.parametrize("last", [GIB, 2 * GIB, 16 * GIB])
def test_no_published_run_of_two_hosts_warns(table, last):
    rows = {size: value for size, value in table.items() if size <= last}
    verdicts = {judgement for size, judgement in judgements(judge(all_reduce(rows, 2), plan())).items() if size >= GIB}
    assert verdicts == {Judgement.PASS}


@pytest.mark.parametrize("table", [PUBLISHED, AWS, H200])
@pytest.mark.parametrize(("nics", "judgement"), [(7, Judgement.WARN), (6, Judgement.WARN), (5, Judgement.FAIL)])
def test_a_run_of_two_hosts_with_fewer_nics_names_them(table, nics, judgement):
    rows = {size: value * nics / 8 for size, value in table.items()}
    verdict = find_verdict(judge(all_reduce(rows, 2), plan()), 16 * GIB, Metric.BUSBW)
    assert verdict.judgement is judgement
    assert f"; with {nics} of 8 NICs " in verdict.reason


@pytest.mark.parametrize("table", [PUBLISHED, AWS, H200])
@pytest.mark.parametrize("nics", [6.5, 6, 4.5, 4, 3])
def test_a_report_states_one_number_of_nics(table, nics):
    """The rate of four NICs is that of six in proportion to published runs, which do not reach their limit."""
    judged = judge(all_reduce({size: value * nics / 8 for size, value in table.items()}, 2), plan())
    counts = {count for verdict in judged.verdicts for count in re.findall(r"(\d) of 8 NICs", verdict.reason)}
    assert len(counts) <= 1
    assert nics != 6 or counts == {"6"}


@pytest.mark.parametrize("value", [411.0, 400.0])
def test_what_a_missing_rail_leaves_warns(value):
    verdict = find_verdict(judge(all_reduce({16 * GIB: value}, 2), plan()), 16 * GIB, Metric.BUSBW)
    assert verdict.judgement is Judgement.WARN
    assert verdict.reason == (
        "published runs of such hosts reach 83 % to 93 % of the reachable limit; with 7 of 8 NICs 381 to "
        "427 GB/s are expected (scaled from these runs, not measured): check that every NIC of both hosts was in use"
    )


@pytest.mark.parametrize(
    ("rows", "hint"),
    [
        # the last rows refute a missing NIC, which is missing at all sizes
        ({GIB: 424.0, 2 * GIB: 450.0, 8 * GIB: 470.0}, None),
        ({GIB: 400.0, 2 * GIB: 405.0, 8 * GIB: 411.0}, "with 7 of 8 NICs"),
        # six NICs cannot reach what the largest size reaches
        ({2 * GIB: 365.0, 4 * GIB: 400.0, 8 * GIB: 411.0}, "published runs of such hosts reach 83 % to 93 %"),
    ],
)
def test_a_missing_nic_is_named_only_where_no_larger_size_refutes_it(rows, hint):
    verdict = find_verdict(judge(all_reduce(rows, 2), plan()), min(rows), Metric.BUSBW)
    assert verdict.judgement is (Judgement.PASS if hint is None else Judgement.WARN)
    assert hint is None or hint in verdict.reason
    assert "6 of 8 NICs" not in verdict.reason


@pytest.mark.parametrize(
    ("algorithm", "assumption"),
    [
        (None, "switches between the GPUs of a host can sum data (NVLS); network switches do not (no SHARP)"),
        (Algorithm.NVLS_TREE,
         "switches between the GPUs of a host sum data (nvls-tree, as stated); network switches do not"),
        (Algorithm.COLLNET, "network switches sum data (collnet, as stated)"),
    ],
)  # fmt: skip
def test_a_stated_algorithm_names_where_data_are_added(algorithm, assumption):
    judged = judge(all_reduce({16 * GIB: 480.0}, 2), plan(), algorithm=algorithm)
    assert assumption in find_verdict(judged, 16 * GIB, Metric.BUSBW).physical.assumptions


@pytest.mark.parametrize(
    ("gpu", "gpus", "busbw", "judgement", "algorithm"),
    [
        ("h100", 2, 195.0, Judgement.FAIL, "ring"),
        ("h100", 2, 330.0, Judgement.WARN, "ring"),
        ("h100", 2, 350.0, Judgement.PASS, "ring"),
        ("h100", 3, 240.0, Judgement.FAIL, "ring"),
        ("h100", 4, 345.0, Judgement.PASS, "nvls"),
        ("b200", 2, 330.0, Judgement.FAIL, "ring"),
        ("b200", 2, 680.0, Judgement.PASS, "ring"),
        ("b200", 5, 680.0, Judgement.PASS, "ring"),
        ("b200", 8, 680.0, Judgement.WARN, "nvls"),
    ],
)
def test_few_gpus_of_a_host_use_a_ring(gpu, gpus, busbw, judgement, algorithm):
    """NCCL 2.18 to 2.28.3 sets up NVLS from three GPUs on (src/transport/nvls.cc); all releases expect more of a ring
    of two or three (src/graph/tuning.cc)."""
    verdict = find_verdict(judge(all_reduce({8 * GIB: busbw}, 1, gpus), plan(gpu)), 8 * GIB, Metric.BUSBW)
    assert verdict.judgement is judgement
    assert f"large messages of all-reduce use the {algorithm} algorithm" in verdict.reachable.assumptions


@pytest.mark.parametrize(("gpus", "algorithm"), [(1, "ring"), (2, "tree"), (3, "nvls-tree")])
def test_few_gpus_of_two_hosts_use_no_nvls(gpus, algorithm):
    places = {str(rank): RankPlace(f"node{1 + rank // gpus}") for rank in range(2 * gpus)}
    run = all_reduce({8 * GIB: 40.0}, 2, gpus)
    run = replace(run, parameters=replace(run.parameters, rank_places=places))
    verdict = find_verdict(judge(run, plan()), 8 * GIB, Metric.BUSBW)
    assert f"large messages of all-reduce use the {algorithm} algorithm" in verdict.reachable.assumptions


_STEPS = 40
_ORDER = (Judgement.FAIL, Judgement.WARN, Judgement.PASS)


STRATEGIES = {
    "gpu": st.sampled_from(["h100", "h200", "b200", "a100", "mi300x"]),
    "nodes": st.integers(1, 4),
    "gpus": st.integers(1, 8),
    "speed": st.sampled_from([100, 200, 400, 800]),
    "stated": st.sampled_from([None, Algorithm.RING, Algorithm.TREE]),
    "offset": st.floats(0.0, 1.0),
}


@given(**STRATEGIES)
@example(gpu="h100", nodes=1, gpus=8, speed=400, stated=Algorithm.RING, offset=0.5)
@settings(max_examples=15, deadline=None)
def test_a_faster_run_has_no_worse_verdict(gpu, nodes, gpus, speed, stated, offset):
    check_faster_runs(gpu, nodes, gpus, speed, stated, offset)


@pytest.mark.slow
@given(**STRATEGIES)
@settings(max_examples=100, deadline=None)
def test_no_faster_run_of_many_has_a_worse_verdict(gpu, nodes, gpus, speed, stated, offset):
    check_faster_runs(gpu, nodes, gpus, speed, stated, offset)


def check_faster_runs(gpu, nodes, gpus, speed, stated, offset):
    """Up to the physical limit, whatever the values refute; above it no limit is that of the measured hosts."""
    if nodes * gpus < 2:
        return
    measured_plan = replace_nic_speeds(plan(gpu), speed)
    places = {str(rank): RankPlace(f"node{1 + rank // gpus}") for rank in range(nodes * gpus)}

    def judge_rate(busbw):
        run = all_reduce({8 * GIB: busbw}, nodes, gpus)
        run = replace(run, parameters=replace(run.parameters, rank_places=places))
        return find_verdict(judge(run, measured_plan, algorithm=stated), 8 * GIB, Metric.BUSBW)

    physical = judge_rate(1.0).physical.value
    rates = [physical * (step + offset) / _STEPS for step in range(1, _STEPS)]
    ranks_of_verdicts = [_ORDER.index(judge_rate(rate).judgement) for rate in rates]
    assert ranks_of_verdicts == sorted(ranks_of_verdicts)


@pytest.mark.parametrize(
    ("environment", "is_assumed"),
    [({}, True), ({"NCCL_ALGO": "Tree"}, False), ({"NCCL_ALGO": "Ring,Tree"}, True)],
)
def test_the_algorithm_of_the_command_is_not_assumed(environment, is_assumed):
    """NVIDIA/nccl-tests issue 232: -x NCCL_ALGO=Tree, without debug lines."""
    run = collective("all_reduce", 16, {GIB: (5000.0, 214.7, 402.6)}, environment=environment)
    (verdict,) = [entry for entry in judge(run, mi300x_plan()).verdicts if entry.measurement.metric is Metric.BUSBW]
    texts = {*verdict.reachable.assumptions, *verdict.physical.assumptions}
    assert ("large messages of all-reduce use the ring algorithm" in texts) is is_assumed
