"""Results that the authors of published documents call healthy or faulty, and the verdicts that the judge must give.

Each value is as the document prints it. Healthy results pass with the default and with the field profile, and faulty
ones do not, with the authors' reason. Values that a document only draws in figures are not here.

The hosts are those of the examples. Hosts of the lossless network guide have two ports of 100 Gb/s, as its P2100G has:
half of the published 389 Gb/s does not fit through one. Those of its table 6.1 have one of 200 Gb/s.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from wirespeed.benchmarks import read as read_log
from wirespeed.benchmarks.judge import profile as judge_profile
from wirespeed.benchmarks.judge.limits import RunContext
from wirespeed.benchmarks.judge.logs import Log, judge_all_logs
from wirespeed.benchmarks.tools.reader import Reading
from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.plan import Plan, build
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.verdicts import JudgedRun, Judgement
from wirespeed.units import Bandwidth

ROOT = Path(__file__).parents[2]
KIB, MIB, GIB = 2**10, 2**20, 2**30
PROFILES = ("default", "field")


@cache
def plan(example: str) -> Plan:
    return build(read(ROOT / "examples" / example / "cluster.yaml"), load())


@cache
def ports(count: int, speed: int) -> Plan:
    """16 hosts of the lossless network guide with ports of a speed in Gb/s, and no limit but the ports."""
    hosts = plan("arista-leaf-spine").hosts
    host = next(iter(hosts.values()))
    interface, nic = next((name, nic) for name, nic in host.nics.items() if nic.rdma_device)
    port = replace(nic, link=replace(nic.link, speed=Bandwidth.gbps(speed)), rail=None, pcie=None, model=None)
    nics = {
        f"{interface}{number}": replace(port, rdma_device=f"bnxt_re{number}", addresses=()) for number in range(count)
    }
    host = replace(host, nics=nics, launch=replace(host.launch, rdma_devices=None))
    return replace(plan("arista-leaf-spine"), hosts={f"node{number}": host for number in range(1, 17)})


def run(tool: str, test: str, rows: list[Measurement], ranks: int | None = None, **parameters: object) -> Run:
    return Run(tool, test, None, RunStatus.COMPLETE, None, ranks, Parameters(**parameters), tuple(rows))  # type: ignore[arg-type]


def value(metric: Metric, unit: str, number: float, size: int | None = None, label: str | None = None) -> Measurement:
    return Measurement(metric, unit, number, size, label, 9)


def judge(cluster: Plan, *runs: Run, profile: str = "default", **context: object) -> tuple[JudgedRun, ...]:
    logs = [Log(f"{position}.log", Reading((one_run,))) for position, one_run in enumerate(runs)]
    stated = RunContext(**context)  # type: ignore[arg-type]
    return judge_all_logs(logs, cluster, stated, judge_profile.read(profile)).runs


def judged_outcomes(judged: JudgedRun) -> set[Judgement]:
    return {verdict.judgement for verdict in judged.verdicts}


LOGS = [
    ("000 2.8.2", "mi300x-4node", "ib-write-bw-bidirectional.log"),
    ("000 8.5.1", "mi300x-4node", "all-reduce-1-node.log"),
    ("000 8.7.2.1, 32 processes", "mi300x-4node", "alltoall-4-nodes-32-processes.log"),
    ("000 8.7.2.1, 4 processes", "mi300x-4node", "alltoall-4-nodes-4-processes.log"),
    ("004, example run", "esnet-400g", "iperf3-8-streams.log"),
]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("section", "example", "log"), LOGS, ids=[section for section, *_ in LOGS])
def test_a_healthy_log_passes(section: str, example: str, log: str, profile: str) -> None:
    reading = read_log((ROOT / "examples" / example / "bench" / log).read_text())
    (judged,) = judge(plan(example), *reading.runs, profile=profile)
    assert judged_outcomes(judged) == {Judgement.PASS, Judgement.SKIP}


@pytest.mark.parametrize("profile", PROFILES)
def test_a_healthy_all_reduce_passes_but_for_its_step(profile: str) -> None:
    """000 8.7.2.2: at 16 MiB the library changes its algorithm, which is a finding; the plateau passes."""
    log = ROOT / "examples" / "mi300x-4node" / "bench" / "all-reduce-4-nodes-32-processes.log"
    (judged,) = judge(plan("mi300x-4node"), *read_log(log.read_text()).runs, profile=profile)
    outcomes = {verdict.measurement.size_bytes: verdict.judgement for verdict in judged.verdicts}
    assert {size for size, outcome in outcomes.items() if outcome is Judgement.WARN} == {16 * MIB}
    assert {outcomes[size * GIB] for size in (4, 8, 16)} == {Judgement.PASS}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("section", "cluster", "result", "context"),
    [
        (
            "001, confirm traffic flow",
            "one port",
            run(
                "perftest",
                "RDMA_Write BW Test",
                [value(Metric.BW_AVG, "Gb/s", 193.53, 64 * KIB)],
                path_mtu_bytes=4096,
                rdma_device="bnxt_re0",
            ),
            {},
        ),
        (
            "001 table 6, osu_mbw_mr",
            "two ports",
            run(
                "osu-micro-benchmarks",
                "osu_mbw_mr",
                [
                    value(Metric.BW_AVG, "MB/s", 24_300.0, 8 * KIB),  # made: a smaller size below the published one
                    value(Metric.BW_AVG, "MB/s", 48_600.0, 128 * KIB),
                ],
                pairs=32,
            ),
            {"nodes": 4},
        ),
        (
            "002 table 4.1, gigabit Ethernet",
            "pcie-lending",
            run("iperf3", "TCP", [value(Metric.BITRATE, "MiB/s", 112.0, None, "SUM receiver")]),
            {"source": "abel1:eth0", "target": "abel2:eth0"},
        ),
        (
            "002 table 4.1, IP over PCIe",
            "pcie-lending",
            run("iperf3", "TCP", [value(Metric.BITRATE, "MB/s", 857.0, None, "SUM receiver")]),
            {"source": "abel1:dis0", "target": "abel2:dis0"},
        ),
        (
            "002 A.3.12, P2P enabled",
            "pcie-lending",
            run(
                "p2pBandwidthLatencyTest",
                "unidirectional_bandwidth",
                [value(Metric.BW_AVG, "GB/s", 5.31, None, "GPU0 -> GPU1")],
                p2p_enabled=True,
            ),
            {"source": "abel2:dis0"},
        ),
        (
            "002 A.3.12, P2P enabled, both directions",
            "pcie-lending",
            run(
                "p2pBandwidthLatencyTest",
                "bidirectional_bandwidth",
                [
                    value(Metric.BW_AVG, "GB/s", rate, None, pair)
                    for rate, pair in ((10.05, "GPU0 -> GPU1"), (10.02, "GPU1 -> GPU0"))
                ],
                p2p_enabled=True,
                bidirectional=True,
            ),
            {"source": "abel2:dis0"},
        ),
    ],
    ids=lambda argument: argument if isinstance(argument, str) else "",
)
def test_a_healthy_value_passes(
    section: str, cluster: str, result: Run, context: dict[str, object], profile: str
) -> None:
    clusters = {"two ports": lambda: ports(2, 100), "one port": lambda: ports(1, 200)}
    measured = clusters[cluster]() if cluster in clusters else plan(cluster)
    (judged,) = judge(measured, result, profile=profile, **context)
    assert Judgement.PASS in judged_outcomes(judged)
    assert judged_outcomes(judged) <= {Judgement.PASS, Judgement.SKIP}, judged.verdicts


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("rate", "label"), [(5.97, "GPU0 -> GPU1"), (6.08, "GPU1 -> GPU0")])
def test_copies_without_peer_access_are_not_judged_as_such(rate: float, label: str, profile: str) -> None:
    """002 A.3.12: without peer access "it falls back to normal memcpy procedure"."""
    result = run(
        "p2pBandwidthLatencyTest",
        "unidirectional_bandwidth",
        [value(Metric.BW_AVG, "GB/s", rate, None, label)],
        p2p_enabled=False,
    )
    assert judged_outcomes(judge(plan("pcie-lending"), result, profile=profile)[0]) == {Judgement.SKIP}


@pytest.mark.parametrize("profile", PROFILES)
def test_slow_host_memory_is_found_with_its_reason(profile: str) -> None:
    """000 FAQ 8: host memory about 235 Gb/s, GPU memory about 320 Gb/s: the BIOS interleaves no memory."""
    size = 8 * MIB
    host, gpu = judge(
        plan("mi300x-4node"),
        run("perftest", "RDMA_Write BW Test", [value(Metric.BW_AVG, "Gb/s", 235.0, size)], path_mtu_bytes=4096),
        run("perftest", "RDMA_Write BW Test", [value(Metric.BW_AVG, "Gb/s", 320.0, size)], memory="rocm"),
        profile=profile,
    )
    assert Judgement.FAIL in judged_outcomes(host)
    assert any("one of the causes is the BIOS option Memory Interleaving" in note for note in host.notes)
    assert not any("Memory Interleaving" in note for note in gpu.notes)


def _gid(address: str) -> str:
    """The GID of an IPv4 address, as perftest prints it."""
    return "00:00:00:00:00:00:00:00:00:00:255:255:" + ":".join(f"{int(part):02}" for part in address.split("."))


CONDITION = "if both runs are between the same NICs, "


@pytest.mark.parametrize(
    ("ends", "gpu_ends", "condition"),
    [
        (("10.1.0.1", "10.1.0.17"), ("10.1.0.1", "10.1.0.17"), ""),
        (("10.1.0.1", "10.1.0.17"), ("10.1.0.17", "10.1.0.1"), ""),  # the other direction of the same pair
        (("10.1.0.1", "10.1.0.17"), ("10.1.0.33", "10.1.0.49"), None),  # other hosts
        (("10.1.0.1", "10.1.0.17"), ("10.1.0.3", "10.1.0.19"), None),  # other NICs of the same hosts
        (("10.1.0.1", "10.1.0.17"), None, CONDITION),
        (None, None, CONDITION),
    ],
)
def test_host_memory_is_the_cause_only_between_the_same_nics(
    ends: tuple[str, str] | None, gpu_ends: tuple[str, str] | None, condition: str | None
) -> None:
    """000 FAQ 8 compares two runs of one pair: between others a slow NIC or cable gives the same numbers."""

    def measure(rate: float, addresses: tuple[str, str] | None, **parameters: object) -> Run:
        gids = dict(zip(("local_gid", "remote_gid"), map(_gid, addresses or ()), strict=False))
        return run(
            "perftest", "RDMA_Write BW Test", [value(Metric.BW_AVG, "Gb/s", rate, 8 * MIB)], **gids, **parameters
        )

    host, gpu = judge(plan("mi300x-4node"), measure(235.0, ends), measure(320.0, gpu_ends, memory="rocm"))
    notes = [note for note in (*host.notes, *gpu.notes) if "Memory Interleaving" in note]
    if condition is None:
        assert not notes
    else:
        assert [
            f"in GPU memory: {condition}host memory may be the bottleneck; one of the causes is" in note
            for note in notes
        ] == [True]


def test_a_slow_latency_has_no_cause_in_the_bandwidth_of_host_memory() -> None:
    def measure(latency: float) -> Run:
        return run("perftest", "Send Latency Test", [value(Metric.LATENCY_TYPICAL, "us", latency, 2)])

    for judged in judge(plan("mi300x-4node"), measure(4000.0), measure(4100.0)):
        assert Judgement.FAIL in judged_outcomes(judged)
        assert not any("Memory Interleaving" in note for note in judged.notes)


@pytest.mark.parametrize("profile", PROFILES)
def test_ip_over_pcie_as_slow_as_gigabit_ethernet_is_not_healthy(profile: str) -> None:
    """002 4.3.3: to the author's surprise it "lines up along the performance of gigabit Ethernet"."""
    result = run(
        "nccl-tests",
        "all_reduce",
        [value(Metric.BUSBW, "GB/s", 0.112, size) for size in (32 * MIB, 64 * MIB, 128 * MIB)],
        ranks=2,
        nodes=2,
    )
    (judged,) = judge(plan("pcie-lending"), result, profile=profile, source="abel1:dis0", target="abel2:dis0")
    assert Judgement.FAIL in judged_outcomes(judged)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("busbw", "judgement"),
    [
        (3.55, Judgement.UNKNOWN),  # section 5: more than 3.5 GB/s; 4.3.4: half, through system memory, and healthy
        (1.0, Judgement.FAIL),  # section 4.3.4: far below with two borrowed GPUs more, "something is very off"
        (6.4, Judgement.PASS),
    ],
)
def test_a_borrowed_gpu_reached_through_memory_does_not_fail(busbw: float, judgement: Judgement, profile: str) -> None:
    """002 4.3.4: without peer access over the bridge, a broadcast reaches around half of one within a server."""
    rows = [value(Metric.BUSBW, "GB/s", busbw, size) for size in (32 * MIB, 64 * MIB, 128 * MIB)]
    result = run("nccl-tests", "broadcast", rows, ranks=2, host_names="abel1", nodes=1)
    (judged,) = judge(plan("pcie-lending"), result, profile=profile)
    assert judged_outcomes(judged) == {judgement}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("log", ["gpcnet-dcqcn-p.log", "gpcnet-dcqcn-d.log"])
def test_gpcnet_over_two_ports_passes(log: str, profile: str) -> None:
    """001 table 7: two ports of 100 Gb/s a host; the log names 256 ranks on 16 nodes."""
    (result,) = read_log((ROOT / "tests" / "validation" / "reconstructed" / log).read_text()).runs
    (judged,) = judge(ports(2, 100), result, profile=profile)
    assert judged_outcomes(judged) == {Judgement.PASS, Judgement.SKIP}
    (one_port,) = judge(ports(1, 100), result, profile=profile)
    assert Judgement.UNKNOWN in judged_outcomes(one_port)  # no host with one port moves that


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("width", "gigabits", "judgement"),
    [(16, 192.0, Judgement.PASS), (16, 105.0, Judgement.WARN), (8, 105.0, Judgement.PASS)],
)
def test_tcp_is_limited_by_the_slot_of_the_nic(width: int, gigabits: float, judgement: Judgement, profile: str) -> None:
    """004's NIC has a slot of 16 lanes; in 8 lanes of 16 GT/s, 105 Gb/s is what TCP can reach, and no slow network."""
    esnet = plan("esnet-400g")
    hosts = {
        name: replace(
            host,
            pcie={
                address: replace(function, link=replace(function.link, width=width))
                for address, function in host.pcie.items()
            },
        )
        for name, host in esnet.hosts.items()
    }
    (first, last) = esnet.hosts
    interface = next(iter(esnet.hosts[first].nics))
    far = next(iter(esnet.hosts[last].nics))
    result = run("iperf3", "TCP", [value(Metric.BITRATE, "Gb/s", gigabits, None, "SUM receiver")], streams=8)
    ends = {"source": f"{first}:{interface}", "target": f"{last}:{far}"}
    (judged,) = judge(replace(esnet, hosts=hosts), result, profile=profile, **ends)
    (verdict,) = judged.verdicts
    assert verdict.judgement is judgement
    assert verdict.physical is not None
    assert ("slot" in verdict.physical.bottleneck) is (width == 8)


def test_the_memory_of_both_hosts_limits_tcp_too() -> None:
    """004's hosts have eight channels of DDR4-3200: 204.8 GB/s a socket, which each byte of TCP passes three times."""
    log = ROOT / "examples" / "esnet-400g" / "bench" / "iperf3-8-streams.log"
    (judged,) = judge(plan("esnet-400g"), *read_log(log.read_text()).runs)
    (verdict,) = (verdict for verdict in judged.verdicts if verdict.judgement is Judgement.PASS)
    assert verdict.reachable is not None
    memory = {term.name: term.value for term in verdict.reachable.terms if "memory" in term.name}
    assert memory == {
        f"memory of a socket of {host}": pytest.approx(8 * 204.8 / 3, rel=1e-3) for host in ("node1", "node2")
    }
