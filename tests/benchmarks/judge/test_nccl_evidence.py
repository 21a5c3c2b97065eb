"""What NCCL's debug lines prove comes before what the user says or the library usually does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from judge_support import GIB, collective, find_verdict, plan

from wirespeed.benchmarks.judge.logs import judge_logs
from wirespeed.benchmarks.judge.nccl_evidence import Evidence
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.benchmarks.tools.reader import read
from wirespeed.limits.algorithms import Algorithm
from wirespeed.results.benchmarks import Metric
from wirespeed.results.nccl import Communicator, NcclWarning
from wirespeed.results.verdicts import Judgement


def proven(**fields):
    empty = dict.fromkeys(Communicator.__dataclass_fields__) | {"warnings": ()}
    return Evidence(communicator=Communicator(**empty), **fields)


def without_device(evidence):
    warning = NcclWarning("node1", "NET/IB : No device found.", 16, 23, ("NCCL-01",))
    return replace(evidence, communicator=replace(evidence.communicator, warnings=(warning,)))


def all_reduce(busbw, hosts=4):
    ranks = 8 * hosts
    algbw = busbw / (2 * (ranks - 1) / ranks)
    return collective("all_reduce", ranks, {8 * GIB: (8 * GIB / algbw / 1e3, algbw, busbw)}, nodes=hosts)


def judge_evidence(busbw, evidence, **context_values):
    verdicts = judge(all_reduce(busbw), plan(), evidence=evidence, **context_values)
    return find_verdict(verdicts, 8 * GIB, Metric.BUSBW), verdicts.notes


@pytest.mark.parametrize(
    ("evidence", "context_values", "reachable"),
    [
        (None, None, 384.0),
        (proven(algorithms={8 * GIB: "TREE"}), None, 384 * 31 / 32),
        (proven(algorithms={8 * GIB: "TREE"}), Algorithm.RING, 384 * 31 / 32),
        (proven(algorithms={GIB: "TREE"}), None, 384.0),  # of another size
        (proven(forced_algorithm="TREE"), None, 384 * 31 / 32),
        (proven(algorithms={8 * GIB: "PAT"}), None, 384.0),  # no figure for it
    ],
)
def test_the_algorithm_of_the_log_counts(evidence, context_values, reachable):
    assert judge_evidence(300.0, evidence, algorithm=context_values)[0].reachable.value == pytest.approx(reachable)


def test_a_log_that_contradicts_the_user_is_said():
    _, notes = judge_evidence(300.0, proven(algorithms={8 * GIB: "TREE"}), algorithm=Algorithm.RING)
    assert "the log proves tree for the largest messages, not ring as --algorithm states" in notes


@pytest.mark.parametrize(
    ("evidence", "cause"),
    [
        (
            proven(network="Socket"),
            "transport between hosts: TCP sockets, NCCL did not use RDMA (NET/Socket; `wirespeed explain NCCL-01`)",
        ),
        (
            without_device(proven(network="Socket")),
            "transport between hosts: TCP sockets, NCCL found no RDMA device (NET/Socket; `wirespeed explain NCCL-01`)",
        ),
        (
            proven(network="IB", gdrdma="none"),
            "no connection between hosts used GPUDirect RDMA: data were staged in host memory",
        ),
        (proven(network="IB", gdrdma="some"), "only some connections between hosts used GPUDirect RDMA"),
        (proven(link="IB"), "the NICs were on InfiniBand, not RoCE"),
        (
            proven(network="IB", nics={"a": ("bnxt_re0", "bnxt_re1"), "b": tuple(f"bnxt_re{n}" for n in range(8))}),
            "2 of 8 NICs were used on a",
        ),
        (proven(protocols={8 * GIB: "LL"}), "the largest messages went by protocol LL: half of each 8 bytes are flags"),
    ],
)
def test_what_the_log_proves_explains_a_loss(evidence, cause):
    bad, notes = judge_evidence(40.0, evidence)
    assert (bad.judgement, bad.reason) == (
        Judgement.FAIL,
        f"below 65 % of the reachable limit (set by usable xGMI); the log proves: {cause}",
    )
    assert f"the log proves: {cause}" in notes
    good, _ = judge_evidence(330.0, evidence)
    assert "the log proves" not in good.reason


def test_switches_that_sum_raise_what_nothing_can_beat():
    plain, _ = judge_evidence(300.0, None)
    summed, _ = judge_evidence(300.0, proven(algorithms={8 * GIB: "COLLNET_DIRECT"}))
    cuts = [
        next(term.value for term in bound.physical.terms if "NICs of a host" in term.name) for bound in (plain, summed)
    ]
    assert cuts[1] > cuts[0]


def test_from_debug_lines_to_notes():
    """The log of two nodes with two ranks each, the GPUs those of this plan: one node uses one NIC for both."""
    file = Path(__file__).parents[2] / "samples" / "nccl_log" / "two-nodes-roce.txt"
    text = file.read_text(encoding="utf-8").replace("NVIDIA H100 80GB HBM3", "AMD Instinct MI300X")
    (log,) = judge_logs([("log", read(text))], plan())
    assert [note for note in log.notes if note.startswith("the log proves")] == [
        "the log proves: 1 of 2 NICs were used on iota1",
        "the log proves: NCCL_IB_TC differs between processes (96, 106): processes send with different DSCPs, so part "
        "of the RoCE traffic is not in the lossless traffic class; set the same NCCL_IB_TC in all processes "
        "(`wirespeed explain QOS-01`)",
    ]


def test_a_run_over_sockets_of_which_nothing_is_judged_is_unknown():
    """Every size has the time of the smallest, so each looks limited by latency."""
    rows = {size: (20_000.0, size / 2e7, size / 1e7) for size in (2**20, 2**24)}
    run = collective("all_reduce", 16, rows, nodes=2)
    passed = judge(run, plan(), evidence=proven(network="IB"))
    assert {verdict.judgement for verdict in passed.verdicts} == {Judgement.SKIP}
    verdicts = judge(run, plan(), evidence=proven(network="Socket"))
    largest = find_verdict(verdicts, 2**24, Metric.BUSBW)
    assert largest.judgement is Judgement.UNKNOWN
    assert largest.reason.startswith("transport between hosts: TCP sockets, NCCL did not use RDMA (NET/Socket;")
    assert "); not judged: small" in largest.reason
    assert verdicts.failures == ("NCCL-01",)
    assert passed.failures == ()
    assert find_verdict(verdicts, 2**20, Metric.BUSBW).judgement is Judgement.SKIP


@pytest.mark.parametrize(("traffic_class", "dscp"), [(104, None), (106, None), (0, 0), (96, 24)])
def test_a_traffic_class_that_is_not_planned_is_a_cause(traffic_class, dscp):
    evidence = proven(network="IB")
    evidence = replace(evidence, communicator=replace(evidence.communicator, traffic_class=traffic_class))
    _, notes = judge_evidence(40.0, evidence)
    cause = f"the log proves: NCCL_IB_TC={traffic_class} is DSCP {dscp}, planned is 26 (`wirespeed explain QOS-01`)"
    assert (cause in notes) is (dscp is not None)
