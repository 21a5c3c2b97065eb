"""Every option that states a fact of a run, with every tool: it changes the judgement, or it is refused with a hint.

The logs are those of the real tools in tests/samples.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from judge_support import CLUSTER, plan

from wirespeed.benchmarks import read
from wirespeed.benchmarks.judge.limits import RunContext
from wirespeed.benchmarks.judge.logs import Log, judge_all_logs
from wirespeed.benchmarks.judge.profile import default
from wirespeed.benchmarks.judge.runs import judge_with_subject
from wirespeed.benchmarks.tools.reader import Reading
from wirespeed.errors import Refusal
from wirespeed.limits.algorithms import Algorithm
from wirespeed.plan import Plan
from wirespeed.results.verdicts import JudgedRun, Judgement
from wirespeed.units import Bandwidth

SAMPLES = CLUSTER.parents[2] / "tests" / "samples"

STATED = {
    "--from": RunContext(source="node3:bnxt_re2"),
    "--to": RunContext(target="node3:bnxt_re2"),
    "--ranks": RunContext(ranks=24),
    "--nodes": RunContext(nodes=3),
    "--algorithm": RunContext(algorithm=Algorithm.TREE),
    "--collective": RunContext(collective="all-to-all"),
}
ENDS, COUNTS = ("--from", "--to"), ("--ranks", "--nodes")

TABLE = {
    "nccl_tests/all-reduce-2-nodes.txt": (*ENDS, "--algorithm"),
    "nccl_tests/beginning-cut.txt": (*ENDS, *COUNTS, *list(STATED)[4:]),
    "osu/osu74_allreduce_f.txt": (*ENDS, *COUNTS),
    "osu/osu53_alltoall.txt": (*ENDS, *COUNTS),
    "osu/osu53_latency.txt": ENDS,
    "osu/osu74_bw.txt": ENDS,
    "osu/osu74_mbw_mr.txt": (*ENDS, "--nodes"),
    "gpcnet/gpcnet_network_test_ns4.txt": ENDS,
    "perftest/ib_write_bw_D.client.txt": ENDS,
    "perftest/ib_send_lat_a.client.txt": ENDS,
    "iperf3/bidir-two-streams.txt": ENDS,
    "iperf3/iperf2.txt": ENDS,
    "qperf/verbose_all.txt": ENDS,
    "qperf/bits.txt": ENDS,
    "sockperf/tp_giga.txt": ENDS,
    "ucx_perftest/batch_v.client.txt": ENDS,
    "netpipe/pingpong.txt": ENDS,
    "nvbandwidth/one-node.txt": ENDS,
    "p2p_bandwidth/four-gpus.txt": ENDS,
    "rocm_bandwidth/cut.txt": ENDS,
    "bandwidth_test/quick.txt": ENDS,
    "transferbench/all-to-all.txt": ENDS,
    "mpigraph/killed.txt": (),
    "pair_matrix/gbps-and-latency.txt": (),
    "mesh/no-answer.txt": (),
    "ibv_pingpong/ud.txt": (),
    "gromacs/md.txt": (),
    "openfoam/simpleFoam.txt": (),
    "cp2k/h2o-dft-ls.txt": (),
    "wrf/conus.txt": (),
    "sisci_json/scibench2.json": ENDS,
    "sisci_json/dma-bench.json": ENDS,
}
"""Options that change the judgement of a log; all others are refused."""


@cache
def unequal_plan() -> Plan:
    """The example, with slower NICs and narrower slots on node3, so that it shows whether node3 is meant."""
    host = plan().hosts["node3"]
    nics = {
        name: replace(nic, link=replace(nic.link, speed=Bandwidth.gbps(100), mtu=4200))
        for name, nic in host.nics.items()
    }
    slots = {
        address: replace(function, link=replace(function.link, width=8)) for address, function in host.pcie.items()
    }
    hosts = {**plan().hosts, "node3": replace(host, nics=nics, pcie=slots)}
    return replace(plan(), hosts=hosts)


def read_sample(sample: str) -> Reading:
    """A log, without the model of its GPUs, which are not those of the example."""
    reading = read((SAMPLES / sample).read_text())
    runs = [replace(run, parameters=replace(run.parameters, gpu_model=None)) for run in reading.runs]
    return replace(reading, runs=tuple(runs))


def judge(sample: str, context: RunContext):
    return judge_all_logs([Log(sample, read_sample(sample))], unequal_plan(), context).runs


def test_every_tool_is_in_the_table() -> None:
    in_table = {run.tool for sample in TABLE for run in read((SAMPLES / sample).read_text()).runs}
    in_samples = {run.tool for run in _read_every_run()}
    assert in_table | {"rccl-tests", "NCCL"} >= in_samples  # read as nccl-tests; debug lines without a run


def _read_every_run():
    for expected in SAMPLES.glob("*/expected.json"):
        for name in json.loads(expected.read_text()):
            try:
                yield from read(expected.with_name(name).read_text(errors="replace")).runs
            except Refusal:
                continue


@pytest.mark.parametrize("option", STATED)
@pytest.mark.parametrize("sample", TABLE)
def test_an_option_changes_the_judgement_or_is_refused(sample: str, option: str) -> None:
    if option not in TABLE[sample]:
        with pytest.raises(Refusal) as refusal:
            judge(sample, STATED[option])
        (problem,) = refusal.value.problems
        assert problem.location.startswith(option)
        assert problem.found.startswith(f"no effect: {sample}: ")
        assert problem.hint
        return
    ranks = 12 if "alltoall" in sample and option != "--ranks" else None
    collective = "all-reduce" if "beginning-cut" in sample and option == "--ranks" else None
    completed = RunContext(ranks=ranks, collective=collective)
    context = replace(
        STATED[option], ranks=STATED[option].ranks or ranks, collective=STATED[option].collective or collective
    )
    assert _describe(judge(sample, context)) != _describe(judge(sample, completed))


def _describe(judged: Sequence[JudgedRun]) -> object:
    """Limits and verdicts of runs, and the notes on them that no option causes by being given."""
    notes = [note for run in judged for note in run.notes if "no effect" not in note]
    return [run.verdicts for run in judged], notes


CONTRADICTIONS = [
    (
        "nccl_tests/all-reduce-2-nodes.txt",
        STATED["--collective"],
        "--collective all-to-all",
        "the log is of all_reduce",
    ),
    ("nccl_tests/all-reduce-2-nodes.txt", STATED["--ranks"], "--ranks 24", "the log has 4 ranks"),
    ("nccl_tests/all-reduce-2-nodes.txt", STATED["--nodes"], "--nodes 3", "the log has 2 hosts"),
    ("osu/osu74_allreduce_f.txt", RunContext(nodes=9), "--nodes 9", "mi300x-4node has 4 hosts"),
    (
        "perftest/ib_write_bw_D.client.txt",
        STATED["--to"],
        "--to node3:bnxt_re2",
        "addresses are those of node1 and node2",
    ),
    (
        "iperf3/iperf2.txt",
        STATED["--from"],
        "--from node3:bnxt_re2",
        "addresses are those of node1 and node2",
    ),
]


@pytest.mark.parametrize(("sample", "context", "option", "reason"), CONTRADICTIONS)
def test_what_the_log_or_the_cluster_contradicts_is_refused(
    sample: str, context: RunContext, option: str, reason: str
) -> None:
    log = Log(sample, read_sample(sample))
    with pytest.raises(Refusal, match=f"{option}: no effect: {sample}: .*{reason}"):
        judge_all_logs([log], plan_with_logged_addresses(), context)
    (run, *_) = log.reading.runs
    (judged, *_) = judge_all_logs(
        [replace(log, reading=replace(log.reading, runs=(run,)))], plan_with_logged_addresses()
    ).runs
    stated = judge_with_subject(run, plan_with_logged_addresses(), context, sample, default(), None)[0]
    assert stated.verdicts == judged.verdicts  # the log decides
    assert any("has no effect" in note for note in stated.notes)


REPETITIONS = [
    (RunContext(ranks=4), "--ranks 4", "the log has 4 ranks"),
    (RunContext(nodes=2), "--nodes 2", "the log has 2 hosts"),
    (RunContext(collective="all-reduce"), "--collective all-reduce", "the log is of all_reduce"),
]


@pytest.mark.parametrize(("context", "option", "reason"), REPETITIONS)
def test_what_repeats_the_log_is_refused(context: RunContext, option: str, reason: str) -> None:
    sample = "nccl_tests/all-reduce-2-nodes.txt"
    with pytest.raises(Refusal, match=f"{option}: no effect: {sample}: {reason}"):
        judge_all_logs([Log(sample, read_sample(sample))], plan(), context)


SENDRECV = "sendrecv: not in the log; its bus factor, reduction and root fit no other"
ALL_REDUCE = "all-reduce: not in the log; its bus factor, reduction and root fit no other"
TWO_RANKS = "2 ranks: not in the log; the bus factor of all-reduce fits no other"
INFERENCES = [
    ("N/A", RunContext(ranks=16), "sendrecv", 16, (SENDRECV,)),
    ("N/A", RunContext(ranks=16, collective="sendrecv"), "sendrecv", 16, ()),
    ("N/A", RunContext(ranks=16, collective="broadcast"), None, 16, ()),
    ("0", RunContext(), "all_reduce", 2, (ALL_REDUCE, TWO_RANKS)),
    ("0", RunContext(ranks=2), "all_reduce", 2, (ALL_REDUCE,)),
    ("0", RunContext(collective="all-reduce"), "all_reduce", 2, (TWO_RANKS,)),
    ("0", RunContext(ranks=16), None, 16, ()),
    ("0", RunContext(collective="sendrecv"), None, None, ()),
]


@pytest.mark.parametrize(("wrong", "context", "test", "ranks", "assumptions"), INFERENCES)
def test_what_was_inferred_yields_to_an_option(
    wrong: str, context: RunContext, test: str | None, ranks: int | None, assumptions: tuple[str, ...]
) -> None:
    """A table with bus factor 1: its data are checked in place (an all-reduce of two ranks) or not (sendrecv)."""
    head = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
    row = f" 268435456 67108864 float sum -1 6710.9 40.00 40.00 0 6710.9 40.00 40.00 {wrong}\n"
    log = Log("pasted.log", read(f"{head}{row}# Avg bus bandwidth    : 40\n"))
    (judged,) = judge_all_logs([log], plan(), context).runs
    assert (judged.test, judged.ranks) == (test, ranks)
    limits = [bound for verdict in judged.verdicts for bound in (verdict.physical, verdict.reachable) if bound]
    assert {text for bound in limits for text in bound.assumptions if "not in the log" in text} == set(assumptions)


def test_a_collective_has_no_ends() -> None:
    """They decide which hosts take part; of a run on all hosts they decide nothing."""
    sample = "nccl_tests/all-reduce-2-nodes.txt"
    log = Log(sample, read_sample(sample))
    ends = RunContext(source="node1:bnxt_re0", target="node3:bnxt_re0")
    (judged, *_) = judge_all_logs([log], plan(), ends).runs
    assert (judged.source, judged.target) == (None, None)
    (run, *_) = log.reading.runs
    of_all_hosts = replace(run, parameters=replace(run.parameters, nodes=4))
    with pytest.raises(Refusal, match="the run uses all 4 hosts of mi300x-4node"):
        judge_all_logs([replace(log, reading=replace(log.reading, runs=(of_all_hosts,)))], plan(), ends)


@cache
def plan_with_logged_addresses() -> Plan:
    """The example, with the addresses of two logs on node1 and node2 (their GIDs, and those of iperf3)."""
    hosts = dict(plan().hosts)
    for name, addresses in (("node1", ("10.0.1.2/24", "10.9.0.1/24")), ("node2", ("10.0.1.1/24", "10.9.0.2/24"))):
        (interface, nic), *further_nics = hosts[name].nics.items()
        nics = {interface: replace(nic, addresses=addresses, rdma_device="rxe1"), **dict(further_nics)}
        hosts[name] = replace(hosts[name], nics=nics)
    return replace(plan(), hosts=hosts)


@pytest.mark.parametrize(
    "sample", ["osu/osu74_bw.txt", "iperf3/bidir-two-streams.txt", "perftest/ib_write_bw_D.client.txt"]
)
def test_a_loopback_has_no_cable_to_judge(sample: str) -> None:
    (judged, *_) = judge(sample, RunContext(source="node1:bnxt_re0", target="node1:bnxt_re0"))
    assert {verdict.judgement for verdict in judged.verdicts} <= {Judgement.UNKNOWN, Judgement.SKIP}
    assert any("a loopback has no cable to judge" in (verdict.reason or "") for verdict in judged.verdicts)


def test_two_ends_on_two_hosts_are_refused_for_a_test_of_one_host() -> None:
    context = RunContext(source="node1:bnxt_re0", target="node2:bnxt_re0")
    with pytest.raises(Refusal, match="nvbandwidth runs on one host, that of --from node1:bnxt_re0"):
        judge("nvbandwidth/one-node.txt", context)


def test_an_option_that_one_of_several_logs_uses_is_noted_at_the_others() -> None:
    samples = ("osu/osu53_alltoall.txt", "iperf3/bidir-two-streams.txt")
    logs = [Log(sample, read((SAMPLES / sample).read_text())) for sample in samples]
    of_collective, of_tcp, *_ = judge_all_logs(logs, plan(), RunContext(ranks=24)).runs
    assert not any("no effect" in note for note in of_collective.notes)
    assert "--ranks 24 has no effect: TCP runs between two ends" in of_tcp.notes


def test_ends_of_a_result_folder_come_before_those_of_the_user() -> None:
    sample = "perftest/ib_write_bw_D.client.txt"
    log = Log(sample, read((SAMPLES / sample).read_text()), "node1:bnxt_re0", "node2:bnxt_re0")
    with pytest.raises(Refusal, match="the result folder names the ends of each step"):
        judge_all_logs([log], plan(), STATED["--from"])


def test_gpus_of_another_host_than_stated_are_noted() -> None:
    sample = "p2p_bandwidth/four-gpus.txt"
    hosts = unequal_plan().hosts
    gpus = {name: replace(gpu, pcie="0000:aa:00.0") for name, gpu in hosts["node3"].gpus.items()}
    own_addresses = replace(unequal_plan(), hosts={**hosts, "node3": replace(hosts["node3"], gpus=gpus)})
    (run, *_) = read_sample(sample).runs
    run = replace(run, parameters=replace(run.parameters, gpu_addresses="0000:aa:00.0"))
    log = Log(sample, replace(read_sample(sample), runs=(run,)))
    (judged,) = judge_all_logs([log], own_addresses, RunContext(source="node1:bnxt_re0")).runs
    assert "the log's GPUs are those of node3, but --from or --to names node1" in judged.notes
