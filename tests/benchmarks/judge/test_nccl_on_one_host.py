"""Runs on one host: NCCL lists the NICs and names its network there too, but data stay inside the host.

Forms of the lines: NVIDIA/nccl src/plugin/net.cc, src/transport/p2p.cc and net.cc, src/misc/param.cc.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge_support import GIB, plan_with_gpus
from nccl_log_support import judge_log, write_log

from wirespeed.benchmarks.judge.limits import RunContext
from wirespeed.benchmarks.judge.nccl_evidence import evidence
from wirespeed.benchmarks.tools.reader import read
from wirespeed.limits.algorithms import Algorithm
from wirespeed.results.benchmarks import Metric
from wirespeed.results.verdicts import Judgement

SOCKETS = ("NET/IB : No device found.", "NET/Socket : Using [0]eth0:10.0.0.5<0>", "Using network Socket")
ONE_NIC = ("NET/IB : Using [0]bnxt_re0:1/RoCE [RO]; OOB eth0:10.0.0.5<0>", "Using network IB")
OVER_LINKS = ("Channel 00/0 : {rank}[{rank}] -> {next}[{next}] via P2P/CUMEM",)
OVER_NIC = ("Channel 00/0 : {rank}[{rank}] -> {next}[{next}] [send] via NET/IB/0/GDRDMA",)


def judge_h100(hosts, busbw, lines=(), **stated):
    judged = judge_log(write_log(hosts, busbw, lines), plan_with_gpus(), RunContext(**stated))
    (verdict,) = (
        verdict
        for verdict in judged.verdicts
        if (verdict.measurement.size_bytes, verdict.measurement.metric, verdict.measurement.label)
        == (8 * GIB, Metric.BUSBW, "out-of-place")
    )
    return judged, verdict


@pytest.mark.parametrize(
    ("hosts", "lines", "cause"),
    [
        (["node1"] * 8, (*SOCKETS, *OVER_LINKS), None),
        (["node1"] * 8, SOCKETS, None),
        (["node1"] * 8, (*ONE_NIC, *OVER_LINKS), None),
        (["node1"] * 8, ONE_NIC, None),
        (["node1"] * 8, (*ONE_NIC, "NCCL_IB_TC set by environment to 0.", *OVER_LINKS), None),
        (["node1"] * 8, (*ONE_NIC, *OVER_NIC), "1 of 8 NICs used on node1"),
        (["node1"] * 8 + ["node2"] * 8, SOCKETS, "transport between hosts: TCP sockets over eth0"),
        (["node1"] * 8 + ["node2"] * 8, ONE_NIC, "1 of 8 NICs used on node1"),
    ],
)
def test_the_network_explains_only_runs_that_use_it(hosts, lines, cause):
    judged, slow = judge_h100(hosts, 80.0, lines)
    assert slow.judgement is Judgement.FAIL
    assert ("the log proves: " in slow.reason) is (cause is not None)
    assert (cause or "") in slow.reason
    assert bool(judged.bottlenecks) is (cause is not None)
    fast, _ = judge_h100(hosts, 480.0, lines)
    refutes_nics = lines is ONE_NIC  # one NIC between two hosts is no fact where the run is faster
    is_proven = cause is not None and not refutes_nics
    assert any(note.startswith("the log proves: ") for note in fast.notes) is is_proven


@pytest.mark.parametrize(
    ("hosts", "lines", "uses_network"),
    [
        (["node1"] * 2, SOCKETS, False),
        (["node1"] * 2, (*SOCKETS, *OVER_NIC), True),
        (["node1", "node2"], SOCKETS, True),
    ],
)
def test_the_log_proves_whether_data_cross_the_network(hosts, lines, uses_network):
    reading = read(write_log(hosts, 100.0, lines))
    (run,) = reading.runs
    assert evidence(run, reading.communicators).uses_network is uses_network
    without_places = replace(run, parameters=replace(run.parameters, rank_places={}, nodes=None))
    assert evidence(without_places, reading.communicators).uses_network is uses_network


EXCLUDED = "{} excludes the nvls algorithm, which reaches 490.28 GB/s; judged as ring, 370.8 GB/s"


@pytest.mark.parametrize(
    ("settings", "busbw", "judgement", "limit", "setting"),
    [
        ((), 365.0, Judgement.FAIL, 490.28, None),
        (("NCCL_NVLS_ENABLE set by environment to 0.",), 365.0, Judgement.PASS, 370.8, "NCCL_NVLS_ENABLE=0"),
        (("NCCL_NVLS_ENABLE set by environment to 0.",), 240.0, Judgement.FAIL, 370.8, "NCCL_NVLS_ENABLE=0"),
        (("NCCL_NVLS_ENABLE set by environment to 0.",), 470.0, Judgement.UNKNOWN, 370.8, "NCCL_NVLS_ENABLE=0"),
        (("NCCL_NVLS_ENABLE set by environment to 2.",), 365.0, Judgement.FAIL, 490.28, None),
        (("NCCL_ALGO set by environment to Ring",), 365.0, Judgement.PASS, 370.8, "NCCL_ALGO=Ring"),
        (("NCCL_ALGO set by environment to Ring,Tree",), 365.0, Judgement.PASS, 370.8, "NCCL_ALGO=Ring,Tree"),
        (("NCCL_ALGO set by environment to ^NVLS",), 365.0, Judgement.PASS, 370.8, "NCCL_ALGO=^NVLS"),
        (("NCCL_ALGO set by environment to ^Tree",), 365.0, Judgement.FAIL, 490.28, None),
    ],
)
def test_a_run_without_nvls_is_judged_without_it(settings, busbw, judgement, limit, setting):
    judged, verdict = judge_h100(["node1"] * 8, busbw, (*settings, *OVER_LINKS))
    assert (verdict.judgement, verdict.reachable.value) == (judgement, pytest.approx(limit))
    notes = [note for note in judged.notes if "excludes the" in note]
    assert notes == ([EXCLUDED.format(setting)] if setting else [])


def test_two_hosts_without_nvls_are_judged_as_a_ring():
    hosts = ["node1"] * 8 + ["node2"] * 8
    judged, verdict = judge_h100(hosts, 370.0, ("NCCL_NVLS_ENABLE set by environment to 0.",))
    assert (verdict.judgement, verdict.reachable.value) == (Judgement.PASS, pytest.approx(388.15, abs=0.1))
    assert (
        "NCCL_NVLS_ENABLE=0 excludes the nvls-tree algorithm, which reaches 525.3 GB/s; judged as ring, 388.15 GB/s"
        in judged.notes
    )


def test_a_setting_that_excludes_no_faster_algorithm_has_no_note():
    judged, verdict = judge_h100(["node1"] * 2, 360.0, ("NCCL_NVLS_ENABLE set by environment to 0.",))
    assert (verdict.judgement, verdict.reachable.value) == (Judgement.PASS, pytest.approx(370.8))
    assert not [note for note in judged.notes if "excludes" in note]


@pytest.mark.parametrize(
    ("value", "forced", "excluded"),
    [
        ("Ring", "RING", {"TREE", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"}),
        ("^NVLS,NVLSTree", None, {"NVLS", "NVLS_TREE"}),
        ("ring,tree;allreduce:nvls", "NVLS", {"RING", "TREE", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS_TREE", "PAT"}),
        ("allgather:ring", None, set()),
        ("1", None, set()),
        ("^ring;allreduce:^tree", None, {"TREE"}),
    ],
)
def test_the_algorithms_that_a_variable_allows(value, forced, excluded):
    """NCCL user guide, NCCL_ALGO."""
    reading = read(write_log(["node1"] * 8, 300.0, (f"NCCL_ALGO set by environment to {value}",)))
    (proven,) = (evidence(run, reading.communicators) for run in reading.runs)
    assert (proven.forced_algorithm, set(proven.excluded_algorithms)) == (forced, excluded)


def test_an_algorithm_that_the_log_excludes_is_not_that_of_the_user():
    settings = ("NCCL_NVLS_ENABLE set by environment to 0.",)
    judged, verdict = judge_h100(["node1"] * 8, 365.0, settings, algorithm=Algorithm.NVLS)
    assert "NCCL_NVLS_ENABLE=0 excludes nvls, which --algorithm states" in judged.notes
    assert "large messages of all-reduce use the ring algorithm" in verdict.reachable.assumptions


NO_PEERS = ("NCCL_P2P_LEVEL set by environment to LOC",)
NO_MEMORY = ("NCCL_SHM_DISABLE set by environment to 1.",)
EVERY_NIC = ("Channel 00/0 : {rank}[{rank}] -> {next}[{next}] [send] via NET/IB/{rank}/GDRDMA",)
_LINKS = "reachable NVLink rate"


@pytest.mark.parametrize(
    ("lines", "busbw", "judgement", "bottleneck"),
    [
        ((*NO_PEERS, *NO_MEMORY, *EVERY_NIC), 44.0, Judgement.PASS, "NICs of a host"),
        ((*NO_PEERS, *NO_MEMORY), 44.0, Judgement.PASS, "NICs of a host"),
        (("NCCL_P2P_DISABLE set by environment to 1.", *NO_MEMORY, *EVERY_NIC), 44.0, Judgement.PASS, "NICs of a host"),
        ((*NO_PEERS, *NO_MEMORY, *EVERY_NIC), 24.0, Judgement.FAIL, "NICs of a host"),
        ((*NO_PEERS, *NO_MEMORY, *EVERY_NIC), 300.0, Judgement.UNKNOWN, "NICs of a host"),
        # without one of the settings, the NICs are a loss
        (EVERY_NIC, 44.0, Judgement.FAIL, _LINKS),
        ((*NO_PEERS, *EVERY_NIC), 44.0, Judgement.FAIL, _LINKS),
        (("NCCL_P2P_DISABLE set by environment to 0.", *NO_MEMORY), 44.0, Judgement.FAIL, _LINKS),
        # the paths contradict the settings
        ((*NO_PEERS, *NO_MEMORY, *OVER_LINKS), 44.0, Judgement.FAIL, _LINKS),
    ],
)
def test_a_run_that_its_settings_restrict_to_nics_is_judged_by_them(lines, busbw, judgement, bottleneck):
    """Broadcom 957608-AN210, section 8.6: collectives within a host over its NICs."""
    _, verdict = judge_h100(["node1"] * 8, busbw, lines)
    assert (verdict.judgement, verdict.reachable.bottleneck) == (judgement, bottleneck)
    if bottleneck != _LINKS:  # each of eight ranks has one of eight NICs
        assert (verdict.physical.value, verdict.reachable.value) == (
            pytest.approx(49.02, rel=1e-3),
            pytest.approx(48.52, rel=1e-3),
        )


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        (SOCKETS, "transport between the GPUs of the host: TCP sockets over eth0, NCCL found no RDMA device"),
        (
            ("Channel 00/0 : {rank}[{rank}] -> {next}[{next}] [send] via NET/IB/{rank}",),
            "no connection between the GPUs of the host used GPUDirect RDMA",
        ),
    ],
)
def test_a_cause_of_one_host_names_no_other_hosts(lines, cause):
    judged, verdict = judge_h100(["node1"] * 8, 4.0, (*lines, *NO_PEERS, *NO_MEMORY))
    assert verdict.reason.startswith(f"the log proves: {cause}")
    assert not [bottleneck for bottleneck in judged.bottlenecks if "between hosts" in bottleneck.name]


def test_an_unused_nic_explains_a_slow_run_over_nics():
    judged, verdict = judge_h100(["node1"] * 8, 24.0, (*ONE_NIC, *NO_PEERS, *NO_MEMORY, *OVER_NIC))
    assert verdict.reason.startswith("the log proves: 1 of 8 NICs used on node1; ")
    assert [bottleneck.name for bottleneck in judged.bottlenecks] == ["1 of 8 NICs on node1"]
