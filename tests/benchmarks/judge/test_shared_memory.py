"""GPUs of a host that exchange data in its memory: named as the cause, with what this path can reach.

The lines have NCCL's form (src/transport/shm.cc, ``via SHM/direct/direct``); their values are made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from judge_support import plan
from test_gpu import BIDIRECTIONAL_LIMIT, LENDING
from test_transport import plan as plan_of_k20x

from wirespeed.benchmarks import read
from wirespeed.benchmarks.judge.logs import judge_logs
from wirespeed.catalogue import load
from wirespeed.cli.flows import evidence as read_bundle
from wirespeed.cluster import read as read_cluster
from wirespeed.limits.peer_access import find_staged_pair
from wirespeed.plan import Plan, build
from wirespeed.plan.overlay import overlay_facts

MIB = 2**20


def plan_of_lending(server: str = "x9drg-hf-qpi") -> Plan:
    """abel1 borrows from abel2; its own GPUs are at two sockets (qpi) or at one (p2p)."""
    planned = build(read_cluster(LENDING), load())
    source = planned.hosts["abel2"] if server == "x9drg-hf-p2p" else planned.hosts["abel1"]
    host = replace(planned.hosts["abel1"], model=source.model, gpus=source.gpus, pcie=source.pcie)
    return replace(planned, hosts={**planned.hosts, "abel1": host})


def log(host: str, ranks: int, busbw: float, transport: str, variable: str = "") -> str:
    process = "{host}:{number}:{number} [{gpu}] NCCL INFO {text}\n"
    communicator = f"comm 0x5{{gpu}} rank {{gpu}} nranks {ranks} cudaDev {{gpu}} busId {{gpu}}b000 commId 0x1 - Init"
    debug = "".join(
        process.format(host=host, number=100 + gpu, gpu=gpu, text=text.format(gpu=gpu, next=(gpu + 1) % ranks))
        for text in (
            *([variable] if variable else []),
            f"{communicator} START",
            f"Channel 00/0 : {{gpu}}[{{gpu}}] -> {{next}}[{{next}}] via {transport}",
            f"{communicator} COMPLETE",
        )
        for gpu in range(ranks)
    )
    devices = "".join(
        f"#   Rank  {gpu} Pid {100 + gpu} on {host} device  {gpu} [0x0{gpu}] GPU\n" for gpu in range(ranks)
    )
    factor = 2 * (ranks - 1) / ranks
    rows = "".join(
        f"{size} {size // 4} float sum -1 {size * factor / busbw / 1000:.1f} {busbw / factor:.2f} {busbw:.2f} 0\n"
        for size in (1024 * MIB, 2048 * MIB, 4096 * MIB)
    )
    header = "# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 4294967296 step: 2(factor)\n"
    columns = "# size count type redop root time algbw busbw #wrong\n"
    return f"$ all_reduce_perf\n{debug}{header}{devices}{columns}{rows}# Avg bus bandwidth    : {busbw}\n"


def judge(text: str, cluster: Plan):
    (judged,) = judge_logs([("log", read(text))], cluster)
    return judged


def test_staging_in_host_memory_is_the_cause_with_its_limit():
    judged = judge(log("node1", 8, 40.0, "SHM/direct/direct"), plan())
    (bottleneck,) = judged.bottlenecks
    assert bottleneck.name == "host memory between GPUs of node1 (SHM)"
    assert bottleneck.limit.value == pytest.approx(BIDIRECTIONAL_LIMIT / 2, rel=1e-3)
    reasons = {verdict.reason for verdict in judged.verdicts if verdict.judgement.value == "fail"}
    assert all("GPUs of node1 exchanged data in host memory (SHM), not peer to peer" in reason for reason in reasons)
    assert reasons


def test_the_variable_that_causes_it_is_named():
    text = log("node1", 8, 40.0, "SHM/direct/direct", "NCCL_P2P_DISABLE set by environment to 1.")
    assert any("NCCL_P2P_DISABLE=1" in verdict.reason for verdict in judge(text, plan()).verdicts)


def test_peer_to_peer_has_no_such_cause():
    assert not judge(log("node1", 8, 40.0, "P2P/IPC"), plan()).bottlenecks


def test_between_sockets_staging_is_no_cause():
    """The two GPUs of abel1 are at different sockets (thesis on NCCL over PCIe, section 3.1)."""
    assert not judge(log("abel1", 2, 1.0, "SHM/direct/direct"), plan_of_k20x()).bottlenecks
    assert judge(log("abel2", 2, 1.0, "SHM/direct/direct"), plan_of_k20x()).bottlenecks


@pytest.mark.parametrize("transport", ["SHM/direct/direct", "SHM/direct", "SHM/CE/direct", "direct shared memory"])
@pytest.mark.parametrize(
    ("server", "ranks", "busbw", "judgement", "share"),
    [
        ("x9drg-hf-p2p", 2, 3.0, "unknown", 1.0),  # local GPUs, or borrowed ones
        ("x9drg-hf-qpi", 2, 3.0, "pass", 0.5),  # the default between sockets, and to borrowed GPUs
        ("x9drg-hf-qpi", 2, 1.0, "fail", 0.5),
        ("x9drg-hf-p2p", 4, 3.0, "pass", 0.5),  # the host has two GPUs: the others are borrowed
        ("x9drg-hf-qpi", 4, 1.0, "fail", 0.5),
    ],
)
def test_paths_through_memory_to_borrowed_gpus_halve_the_limit(
    transport: str, server: str, ranks: int, busbw: float, judgement: str, share: float
):
    """Johansen, Fast Multi-GPU communication over PCI Express, section 4.3.4: around half, through system memory."""
    judged = judge(log("abel1", ranks, busbw, transport), plan_of_lending(server))
    verdicts = [verdict for verdict in judged.verdicts if verdict.measurement.metric.value == "busbw"]
    assert {verdict.judgement.value for verdict in verdicts} == {judgement}
    assert all(
        verdict.reachable.value == pytest.approx(verdict.physical.value * share, rel=0.02) for verdict in verdicts
    )  # the bridge of 7.16 GB/s is the limit with 4 ranks, the slots of 7.28 GB/s with 2
    action = "the log shows a path through host memory (SHM), but not whether a GPU of the run is borrowed"
    assert all((action in (verdict.reason or "")) is (judgement == "unknown") for verdict in verdicts)


@pytest.mark.parametrize(
    ("server", "buses", "judgement", "share"),
    [
        ("x9drg-hf-p2p", ("02", "03"), "fail", 1.0),  # own GPUs: 3.0 of 7.28 GB/s
        ("x9drg-hf-qpi", ("02", "03"), "pass", 0.5),  # own GPUs at two sockets
        ("x9drg-hf-p2p", ("02", "84"), "pass", 0.5),  # an own one and a borrowed one
        ("x9drg-hf-p2p", ("82", "83"), "unknown", 1.0),  # the bundle has no such functions
    ],
)
def test_a_bundle_decides_whether_a_gpu_is_borrowed(
    healthy_bundle: Callable[[str], Path], server: str, buses: tuple[str, str], judgement: str, share: float
):
    text = log("abel1", 2, 3.0, "SHM/direct/direct")
    for rank, bus in enumerate(buses):
        text = text.replace(f"busId {rank}b000", f"busId {bus}000").replace(f"[0x0{rank}]", f"[0x{bus}]")
    planned, facts = plan_of_lending(server), read_bundle(healthy_bundle(LENDING.parent.name)).facts
    host = facts.devices["abel1"]
    listed = replace(host, gpus={**host.gpus, "borrowed": replace(host.gpus["GPU0"], pcie="0000:84:00.0")})
    observed = overlay_facts(planned, facts)
    observed = replace(observed, facts=replace(facts, devices={**facts.devices, "abel1": listed}))
    (judged,) = judge_logs([("log", read(text))], planned, observed=observed)
    verdicts = [verdict for verdict in judged.verdicts if verdict.measurement.metric.value == "busbw"]
    assert {verdict.judgement.value for verdict in verdicts} == {judgement}
    assert all(
        verdict.reachable.value == pytest.approx(verdict.physical.value * share, rel=0.02) for verdict in verdicts
    )


def test_peer_access_to_borrowed_gpus_has_the_whole_limit():
    judged = judge(log("abel1", 4, 3.0, "P2P/IPC"), plan_of_lending())
    assert {verdict.judgement.value for verdict in judged.verdicts if verdict.measurement.metric.value == "busbw"} == {
        "fail"
    }


UNNAMED = "if data between GPUs of {0} are staged in memory, NCCL's default between {1}: the log does not show the path"
SWITCHLESS = "PCIe slots without a common PCIe switch"


@pytest.mark.parametrize(
    ("host", "cpu", "busbw", "variable", "judgement", "place"),
    [
        # 5.0 of 7.28 GB/s pass with both paths; 3.0 and 2.1 pass or warn if the limit is half of it
        ("abel1", "intel", 5.0, "", "pass", None),
        ("abel1", "intel", 3.0, "", "unknown", "CPU sockets"),
        ("abel1", "intel", 2.1, "", "unknown", "CPU sockets"),
        ("abel1", "intel", 1.0, "", "fail", None),
        ("abel2", "intel", 3.0, "", "unknown", SWITCHLESS),
        ("abel1", "intel", 3.0, "SYS", "fail", None),  # peer access is allowed at this distance
        ("abel1", "intel", 3.0, "4", "fail", None),
        ("abel1", "intel", 3.0, "7", "fail", None),  # the last level
        ("abel1", "intel", 3.0, "PXN", "unknown", "CPU sockets"),
        ("abel1", "intel", 3.0, "UNHEARD", "unknown", "CPU sockets"),  # ignored
        ("abel1", "intel", 3.0, "PHB", "unknown", "CPU sockets"),
        ("abel2", "intel", 3.0, "PHB", "fail", None),
        ("abel1", "amd", 3.0, "", "fail", None),  # the only two GPUs of a host with AMD processors
    ],
)
def test_a_log_without_paths_leaves_open_whether_data_are_staged(host, cpu, busbw, variable, judgement, place):
    """NCCL, src/graph/paths.cc, ncclTopoCheckP2p: by default no peer access beyond PCIe switches."""
    planned = plan_of_k20x()
    settings = replace(planned.hosts[host], cpu_vendor=cpu, loans={})
    planned = replace(planned, hosts={**planned.hosts, host: settings})
    lines = f"NCCL_P2P_LEVEL set by environment to {variable}" if variable else ""
    text = "\n".join(line for line in log(host, 2, busbw, "P2P/IPC", lines).splitlines() if "Channel" not in line)
    judged = judge(text, planned)
    verdicts = [verdict for verdict in judged.verdicts if verdict.measurement.metric.value == "busbw"]
    assert {verdict.judgement.value for verdict in verdicts} == {judgement}
    expected = UNNAMED.format(host, place) if place is not None else ""
    assert all(expected in (verdict.reason or "") for verdict in verdicts)
    assumed = f"GPUs of {host} communicate peer to peer: the log does not show their path"
    may_be_staged = cpu == "intel" and variable not in ("SYS", "4", "7") and (host, variable) != ("abel2", "PHB")
    assert all((assumed in verdict.physical.assumptions) is may_be_staged for verdict in verdicts)


@pytest.mark.parametrize(
    ("cpu", "version", "level"),
    [
        ("amd", "2.22.3+cuda12.5", None),  # no limit with AMD processors before 2.23
        ("amd", "2.23.4+cuda12.6", "SYS"),
        ("amd", None, "SYS"),
        ("intel", "2.22.3+cuda12.5", "SYS"),
    ],
)
def test_the_release_decides_on_peer_access_with_amd_processors(cpu: str, version: str | None, level: str | None):
    """NCCL, src/graph/paths.cc, ncclTopoCheckP2p of 2.22 and 2.23."""
    planned = plan_of_k20x()
    settings = planned.hosts["abel1"]
    further_gpus = {f"GPU{number}": settings.gpus["GPU0"] for number in (2, 3)}
    settings = replace(settings, cpu_vendor=cpu, loans={}, gpus={**settings.gpus, **further_gpus})
    planned = replace(planned, hosts={**planned.hosts, "abel1": settings})
    pair = find_staged_pair(planned, "abel1", ("GPU0", "GPU1"), version=version)
    assert (None if pair is None else pair.level) == level
