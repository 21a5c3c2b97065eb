"""What NCCL's debug lines prove has precedence over the user's options and the usual behaviour of the library."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from judge_support import CLUSTER, GIB, collective, find_verdict, plan
from nccl_log_support import MI300X, judge_log, write_log
from rich.console import Console

from wirespeed.benchmarks.judge.logs import judge_logs
from wirespeed.benchmarks.judge.nccl_evidence import Evidence, find_causes
from wirespeed.benchmarks.judge.retest import judge_repeats
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.benchmarks.tools.reader import read
from wirespeed.cluster import read_text
from wirespeed.limits.algorithms import Algorithm
from wirespeed.plan import build
from wirespeed.report import runs, terminal
from wirespeed.results.benchmarks import Measurement, Metric
from wirespeed.results.nccl import Communicator, NcclNic, NcclRank, NcclWarning
from wirespeed.results.verdicts import Judgement


def proven(**fields):
    empty = dict.fromkeys(Communicator.__dataclass_fields__) | {"nics": (), "paths": (), "warnings": ()}
    return Evidence(communicator=Communicator(**empty), **fields)


def without_device(evidence):
    warning = NcclWarning("node1", "NET/IB : No device found.", 16, 23, ("NCCL-01",))
    return replace(evidence, communicator=replace(evidence.communicator, warnings=(warning,)))


def with_ranks(*ranks):
    evidence = proven()
    places = tuple(NcclRank(rank, "node1", rank, None, (), cores, near) for rank, cores, near in ranks)
    return replace(evidence, communicator=replace(evidence.communicator, places=places))


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


def test_a_log_that_contradicts_the_user_is_reported():
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
            "2 of 8 NICs used on a",
        ),
        (
            with_ranks((0, "48-95", "0-47"), (1, "0-47", "0-47")),
            "rank 0 of node1 ran on cores 48-95, none of them near its GPU (0-47) (`wirespeed explain OS-13`)",
        ),
        (
            with_ranks((0, "0-47", None), (1, None, None), (2, None, None)),
            "rank 1 of node1 and 1 more ran without a core near its GPU: NCCL set the affinity of the other ranks only "
            "(`wirespeed explain OS-13`)",
        ),
        (
            with_ranks(*((rank, "0", None) for rank in range(8))),
            "the 8 ranks of node1 share core 0 (`wirespeed explain MPI-06`)",
        ),
        (
            with_ranks((0, "0-1", None), (1, "0-1", None), (2, "0-1", None)),
            "the 3 ranks of node1 share cores 0-1 (`wirespeed explain MPI-06`)",
        ),
        (
            with_ranks((0, "0-31", None), (1, "32-63", None), (2, "0", None)),
            "rank 2 of node1 ran on core 0 alone, most other ranks on 32 cores (`wirespeed explain MPI-06`)",
        ),
        (proven(protocols={8 * GIB: "LL"}), "the largest messages went by protocol LL: half of each 8 bytes are flags"),
    ],
)
def test_what_the_log_proves_explains_a_loss(evidence, cause):
    bad, notes = judge_evidence(40.0, evidence)
    assert (bad.judgement, bad.reason) == (
        Judgement.FAIL,
        f"the log proves: {cause}; below 65 % of the reachable limit (limit: reachable xGMI rate)",
    )
    assert not any(cause in note for note in notes)
    good, notes = judge_evidence(330.0, evidence)
    assert "the log proves" not in good.reason
    assert f"the log proves: {cause}" in notes


_OTHER_SOCKETS = (
    "NCCL bound the ranks of GPU0 and GPU4 of node1 to cores {} and {}; planned are sockets 0 and 1: compare the NUMA "
    "nodes of the GPUs with the plan (`wirespeed check`), and the binding of the launcher"
)


@pytest.mark.parametrize(
    ("near", "far", "note"),
    [
        ("0-31", "32-63", None),
        ("32-63", "0-31", _OTHER_SOCKETS.format("32-63", "0-31")),
        ("0-63", "0-63", _OTHER_SOCKETS.format("0-63", "0-63")),
        (None, "0-31", None),
    ],
)
def test_cores_of_another_socket_than_planned_have_a_note(near, far, note):
    """GPU4 is behind the second socket of the server; the log has "Setting affinity for GPU" for each rank."""
    ranks = [(rank, near if rank < 4 else far, None) for rank in range(8)]
    _, notes = judge_evidence(330.0, with_ranks(*ranks))
    assert [text for text in notes if text.startswith("NCCL bound")] == ([note] if note else [])


def plan_with_cores():
    """The example with 48 cores on each socket of its servers: second threads, from 96 on, are planned off."""
    text = CLUSTER.read_text().replace("model: dell-xe9680-mi300x", "model: two-sockets")
    cpus = "cpus: {sockets: 2, cores: 48, threads: 2}"
    server = f"two-sockets: {{base: dell-xe9680-mi300x, {cpus}}}"
    return build(read_text(f"{text}hardware:\n  servers:\n    {server}\n", "cluster.yaml"))


@pytest.mark.parametrize(
    ("near", "far", "cause"),
    [
        ("ffff,ffffffff", "ffffffff,ffff0000,00000000", None),
        ("ffff,00000000,00000000,00000000", "01000000,00000000", None),  # second threads; core 56
        ("01", "01000000,00000000", None),
        (
            "ffff,ffffffff",
            "ffff,ffffffff",
            "rank 4 of node1 and 15 more ran on cores 0-47, none of the cores 48-95 of NUMA node 1, where GPU4 "
            "is planned (`wirespeed explain OS-13`)",
        ),
        (
            "01000000,00000000",
            "01000000,00000000",
            "rank 0 of node1 and 15 more ran on core 56, none of the cores 0-47 of NUMA node 0, where GPU0 "
            "is planned (`wirespeed explain OS-13`)",
        ),
        ("ffffffff,ffffffff,ffffffff", "ffffffff,ffffffff,ffffffff", None),  # of both nodes
    ],
)
def test_a_mask_without_a_core_of_the_planned_node_is_a_cause(near, far, cause):
    """Broadcom 957608-AN210, 8.7.3.1: the debug lines confirm the masks. GPUs 4 to 7 are at the second socket."""
    text = write_log(
        [f"node{1 + rank // 8}" for rank in range(32)], 330.0, ["Setting affinity for GPU {rank} to MASK"], MI300X
    )
    for rank in range(32):
        line = f"Setting affinity for GPU {rank} to "
        text = text.replace(f"{line}MASK", line + (near if rank % 8 < 4 else far))
    notes = judge_log(text, plan_with_cores()).notes
    assert [note for note in notes if "of NUMA node" in note] == ([f"the log proves: {cause}"] if cause else [])
    assert any(note.startswith("NCCL bound") for note in notes) is bool(near == far and not cause)


@pytest.mark.parametrize("release", ["cudaDev 0 nvmlDev {}", "cudaDev 0"])
def test_the_gpu_of_a_process_that_sees_one_gpu(release):
    """Its number of the GPU is 0: newer releases print that of the driver too, as NCCL's "Setting affinity" does."""
    hosts = [f"node{1 + rank // 8}" for rank in range(32)]
    text = write_log(hosts, 330.0, ["Setting affinity for GPU {rank} to MASK"], MI300X)
    for rank in range(32):
        mask = "ffff,ffffffff" if rank % 8 < 4 else "ffffffff,ffff0000,00000000"
        text = text.replace(f"GPU {rank} to MASK", f"GPU {rank} to {mask}")
    for device in range(8):
        text = text.replace(f"cudaDev {device} nvmlDev {device}", release.format(device))
    assert not [note for note in judge_log(text, plan_with_cores()).notes if "NUMA node" in note]


@pytest.mark.parametrize(
    ("planned", "interfaces", "note"),
    [
        (None, ("eno8303", "eno8303"), None),
        (
            None,
            ("docker0", "docker0"),
            "NCCL bootstrapped over docker0 of node1 and 1 more, an interface inside each host: set NCCL_SOCKET_IFNAME "
            "to the interface between the hosts (`wirespeed explain OS-14`)",
        ),
        (
            "eno8303",
            ("eno8303", "enp29s0np0"),
            "NCCL bootstrapped over enp29s0np0 of node2: set NCCL_SOCKET_IFNAME=eno8303 (`wirespeed explain OS-14`)",
        ),
        ("eno8303", ("docker0",), None),  # one host
    ],
)
def test_the_interface_of_the_bootstrap(planned, interfaces, note):
    """Broadcom 957608-AN210, 8.7.3.2: docker0 can confuse RCCL."""
    used = tuple(f"node{number} {name}:10.77.69.{number}" for number, name in enumerate(interfaces, 1))
    evidence = proven()
    evidence = replace(evidence, communicator=replace(evidence.communicator, bootstrap=used))
    hosts = {
        name: replace(host, launch=replace(host.launch, control_interface=planned))
        for name, host in plan().hosts.items()
    }
    judged = judge(all_reduce(40.0), replace(plan(), hosts=hosts), evidence=evidence)
    assert [text for text in judged.notes if text.startswith("NCCL bootstrapped")] == ([note] if note else [])
    assert judged.proven_failures == (("OS-14",) if note else ())


EIGHT_NICS = {f"node{number}": tuple(f"bnxt_re{nic}" for nic in range(8)) for number in range(1, 5)}
TWO_NICS = {f"node{number}": ("bnxt_re0", "bnxt_re1") for number in range(1, 5)}


@pytest.mark.parametrize(
    ("evidence", "bottlenecks"),
    [
        (proven(network="Socket"), "TCP sockets between hosts (NCCL-01)"),
        (proven(network="IB", gdrdma="none"), "no GPUDirect RDMA between hosts"),
        (proven(network="IB", nics=TWO_NICS), "2 of 8 NICs on node1 (reachable limit 97.04 GB/s)"),
        (
            proven(network="IB", nics=TWO_NICS, device_list="=bnxt_re0,bnxt_re1", gdrdma="some"),
            "2 of 8 NICs on node1 (NCCL-02; reachable limit 97.04 GB/s), GPUDirect RDMA on only some connections",
        ),
        # NICs that the plan does not name, or a host outside of it: no formula
        (proven(network="IB", nics={"node2": ("mlx5_0",)}), "1 of 8 NICs on node2"),
        (proven(network="IB", nics={"gpu7": ("bnxt_re0",)}), "1 of 8 NICs on gpu7"),
        (proven(protocols={8 * GIB: "LL128"}), "protocol LL128"),
        (proven(link="IB"), ""),
    ],
)
def test_the_bottleneck_of_a_slow_run(evidence, bottlenecks):
    assert runs.format_bottlenecks(judge(all_reduce(40.0), plan(), evidence=evidence)) == bottlenecks
    assert judge(all_reduce(330.0), plan(), evidence=evidence).bottlenecks == ()


@pytest.mark.parametrize("nics", [TWO_NICS, dict.fromkeys(TWO_NICS, ("mlx5_0", "mlx5_1"))])
def test_a_run_faster_than_the_nics_that_its_log_names_used_more_of_them(nics):
    judged = judge(all_reduce(150.0), plan(), evidence=proven(network="IB", nics=nics))
    assert judged.bottlenecks == ()
    assert "NICs used" not in find_verdict(judged, 8 * GIB, Metric.BUSBW).reason
    (note,) = (note for note in judged.notes if note.startswith("NCCL's lines name 2 of 8 NICs on node1"))
    assert "the run is faster" in note


@pytest.mark.parametrize(
    ("device_list", "failures"),
    [
        (None, ()),
        ("bnxt_re", ()),
        ("=bnxt_re0:1,bnxt_re1:1", ("NCCL-02",)),
        ("bnxt_re0,bnxt_re1", ("NCCL-02",)),
        ("^bnxt_re6,bnxt_re7", ("NCCL-02",)),
        ("^=mlx5_0", ()),
        (",".join(f"bnxt_re{number}" for number in range(8)), ()),
    ],
)
def test_a_device_list_without_a_planned_nic_proves_why_nics_were_unused(device_list, failures):
    evidence = proven(network="IB", nics=TWO_NICS, device_list=device_list)
    judged = judge(all_reduce(40.0), plan(), evidence=evidence)
    assert (judged.failures, judged.bottlenecks[0].failures) == (failures, failures)
    text = f"2 of 8 NICs used on node1, and too few on 3 more: NCCL_IB_HCA={device_list}"
    assert (text in judged.verdicts[-1].reason) is bool(failures)


@pytest.mark.parametrize("gpudirect", [False, True, None])
def test_what_a_staged_run_proves(gpudirect):
    """NCCL reports "GPU Direct RDMA Disabled" where neither a peer-memory client nor DMA-BUF registers GPU memory."""
    nics = (NcclNic("node1", "IB", 0, "bnxt_re0", 1, "RoCE", gpudirect),)
    evidence = proven(network="IB", gdrdma="none")
    evidence = replace(evidence, communicator=replace(evidence.communicator, nics=nics))
    judged = judge(all_reduce(40.0), plan(), evidence=evidence)
    assert judged.failures == ("OS-10", "OS-11")
    assert judged.bottlenecks[0].failures == (("OS-10", "OS-11") if gpudirect is False else ())


@pytest.mark.parametrize(
    ("evidence", "is_proven"), [(None, False), (proven(network="IB", nics={"node1": ("bnxt_re0", "bnxt_re1")}), True)]
)
def test_no_assumed_cause_stands_beside_a_proven_one(evidence, is_proven):
    """97 GB/s are the rate of two of eight NICs, and the log may prove which NICs were used."""
    run = all_reduce(97.0)
    (judged,) = judge_repeats([judge(run, plan(), evidence=evidence)], [run], [None])
    reason = find_verdict(judged, 8 * GIB, Metric.BUSBW).reason
    assert reason.startswith("the log proves: 2 of 8 NICs used on node1; below ") is is_proven
    assert ("causes of exactly this rate: 2 of 8 NICs" in reason) is not is_proven
    assert any("before acting on it" in note for note in judged.notes) is not is_proven


@pytest.mark.parametrize(
    ("evidence", "busbw", "expected"),
    [
        # half of what one NIC reaches: the proven cause alone does not explain it
        (proven(network="IB", nics={"node1": ("bnxt_re0",)}), 24.26, "causes of exactly this rate: a port at 200 Gb/s"),
        (proven(network="IB", nics={"node1": ("bnxt_re0",)}), 48.5, None),
        # a cause of losses that is no limit hides nothing
        (proven(network="IB", nics=EIGHT_NICS, link="IB"), 194.0, "causes of exactly this rate: a port at 200 Gb/s"),
        (proven(network="Socket"), 194.0, None),
    ],
)
def test_a_proven_cause_hides_only_assumed_ones_that_it_replaces(evidence, busbw, expected):
    reason = find_verdict(judge(all_reduce(busbw), plan(), evidence=evidence), 8 * GIB, Metric.BUSBW).reason
    assert reason.startswith("the log proves: ")
    assert ("causes of exactly this rate" in reason) is (expected is not None)
    assert (expected or "") in reason


def test_corrupted_data_are_not_explained_by_a_bottleneck():
    run = all_reduce(40.0)
    wrong = replace(run, measurements=(*run.measurements, Measurement(Metric.WRONG, "elements", 4, 8 * GIB, None, 9)))
    judged = judge(wrong, plan(), evidence=proven(network="Socket"))
    assert find_verdict(judged, 8 * GIB, Metric.WRONG).reason == "data corrupted: the tool's validation failed"


def test_a_slow_run_names_its_bottleneck_before_the_limits():
    console = Console(file=io.StringIO(), width=100)
    slow = judge(all_reduce(40.0), plan(), evidence=proven(network="IB", nics=TWO_NICS, device_list="=bnxt_re0"))
    terminal.print_judged_runs([slow], console, {"NCCL-02": "The RDMA device list of a job is wrong"})
    text = console.file.getvalue()
    assert "NCCL-02 The RDMA device list of a job is wrong" in text
    assert text.index("cause in this run: 2 of 8 NICs on node1 (NCCL-02;") < text.index("limited by")


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
        "the log proves: 1 of 2 NICs used on iota1",
        "the log proves: NCCL_IB_TC differs between processes (96, 106): processes send with different DSCPs, so part "
        "of the RoCE traffic is not in the lossless traffic class; set the same NCCL_IB_TC in all processes "
        "(`wirespeed explain QOS-01`)",
    ]


def test_a_run_over_sockets_of_which_nothing_is_judged_is_unknown():
    """Every size has the time of the smallest, so each looks limited by latency."""
    rows = {size: (20_000.0, size / 2e7, size / 1e7) for size in (2**21, 2**24)}
    run = collective("all_reduce", 16, rows, nodes=2)
    passed = judge(run, plan(), evidence=proven(network="IB"))
    assert {verdict.judgement for verdict in passed.verdicts} == {Judgement.SKIP}
    verdicts = judge(run, plan(), evidence=proven(network="Socket"))
    largest = find_verdict(verdicts, 2**24, Metric.BUSBW)
    assert largest.judgement is Judgement.UNKNOWN
    assert largest.reason.startswith("transport between hosts: TCP sockets, NCCL did not use RDMA (NET/Socket;")
    assert "); not judged: small" in largest.reason
    assert verdicts.failures == verdicts.proven_failures == ("NCCL-01",)
    assert passed.failures == ()
    assert find_verdict(verdicts, 2**21, Metric.BUSBW).judgement is Judgement.SKIP


@pytest.mark.parametrize(("traffic_class", "dscp"), [(104, None), (106, None), (0, 0), (96, 24)])
def test_a_traffic_class_that_is_not_planned_is_a_cause(traffic_class, dscp):
    evidence = proven(network="IB")
    evidence = replace(evidence, communicator=replace(evidence.communicator, traffic_class=traffic_class))
    bad, _ = judge_evidence(40.0, evidence)
    cause = f"the log proves: NCCL_IB_TC={traffic_class} is DSCP {dscp}, planned is 26 (`wirespeed explain QOS-01`)"
    assert bad.reason.startswith(cause) is (dscp is not None)


def test_ranks_on_cores_near_their_gpus_are_no_cause():
    for evidence in (with_ranks((0, "0-3", "0-47"), (1, "48-95", None)), with_ranks((0, None, None), (1, None, None))):
        assert [cause for cause in find_causes(evidence, plan()) if "OS-13" in (*cause.failures, *cause.likely)] == []


@pytest.mark.parametrize("link", ["RoCE", "IB"])
def test_devices_of_different_networks_in_one_list_are_a_likely_cause(link):
    """Without any error message: an older release waits for the connection."""
    nics = (NcclNic("node1", "IB", 0, "mlx5_0", 1, "IB"), NcclNic("node1", "IB", 1, "mlx5_1", 1, link))
    evidence = proven(network="IB", nics={"node1": ("mlx5_0", "mlx5_1")})
    evidence = replace(evidence, communicator=replace(evidence.communicator, nics=nics))
    judged = judge(all_reduce(40.0), plan(), evidence=evidence)
    assert ("NCCL-02" in judged.failures, "NCCL-02" in judged.proven_failures) == (link == "RoCE", False)
    reason = find_verdict(judged, 8 * GIB, Metric.BUSBW).reason
    text = "one list has devices of networks that do not reach each other: IB (mlx5_0) and RoCE (mlx5_1)"
    assert (text in reason) is (link == "RoCE")
