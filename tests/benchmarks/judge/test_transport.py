"""Which interface and which GPUs a run is judged by: those that its log, its debug lines or the user name.

The two hosts of Johansen, Fast Multi-GPU communication over PCI Express (University of Oslo, 2023): gigabit Ethernet
and IP over a PCIe bridge beside it. 112 MB/s is the document's figure between nodes over gigabit Ethernet (section
4.3.2), and the matrix of p2pBandwidthLatencyTest is printed in section A.3.12. The tables of nccl-tests are made by
hand in the form of the tool: the document shows figures only.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from judge_support import collective
from judge_support import plan as plan_of_mi300x

from wirespeed.benchmarks.judge.limits import RunContext
from wirespeed.benchmarks.judge.logs import judge_logs
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.benchmarks.tools.reader import read
from wirespeed.catalogue import load
from wirespeed.cluster import read as read_cluster
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.verdicts import Judgement

ROOT = Path(__file__).parents[3]
MIB = 2**20


@cache
def plan() -> Plan:
    return build(read_cluster(ROOT / "examples" / "pcie-lending" / "cluster.yaml"), load())


def log(busbw: float, debug: str = "", hosts: tuple[str, str] = ("abel1", "abel2")) -> str:
    rows = "".join(
        f"{size} {size // 4} float sum {size / busbw / 1000:.0f} {busbw} {busbw} 0\n"
        for size in (32 * MIB, 64 * MIB, 128 * MIB)
    )
    return (
        f"{debug}# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor)\n"
        f"#   Rank  0 Pid 100 on {hosts[0]} device  0 [0x04] Tesla K20Xm\n"
        f"#   Rank  1 Pid 200 on {hosts[1]} device  0 [0x04] Tesla K20Xm\n"
        "# size count type redop time algbw busbw error\n"
        f"{rows}# Avg bus bandwidth    : {busbw}\n"
    )


def sockets(interface: str, variable: str = "") -> str:
    return "".join(
        f"{host}:{number}:{number} [0] NCCL INFO {text}\n"
        for number, host in ((100, "abel1"), (200, "abel2"))
        for text in (variable, f"NET/Socket : Using [0]{interface}:10.0.0.{number}<0>")
        if text
    )


def judge_text(text: str, **values):
    is_named = any(run.test for run in read(text).runs)
    context = RunContext(collective=None if is_named else "all-reduce", **values)
    return judge_logs([("log", read(text))], plan(), context)[0]


def judged_sizes(judged) -> dict[Judgement, str]:
    return {
        verdict.judgement: verdict.reason
        for verdict in judged.verdicts
        if verdict.measurement.metric is Metric.BUSBW and verdict.measurement.label != "in-place"
    }


def test_gigabit_ethernet_named_by_the_debug_lines_is_judged_as_such():
    judged = judge_text(log(0.112, sockets("eth0", "NCCL_SOCKET_IFNAME set by environment to eth0")))
    assert set(judged_sizes(judged)) == {Judgement.PASS}
    assert "TCP sockets over eth0 between hosts" in judged.notes
    physical = next(verdict.physical for verdict in judged.verdicts if verdict.physical)
    assert physical.value == pytest.approx(0.125 * 1460 / 1538, rel=1e-3)


def test_an_unselected_slower_interface_is_a_note():
    """The thesis never sets NCCL_SOCKET_IFNAME; over both interfaces NCCL was as slow (Johansen, section 4.3.3)."""
    judged = judge_text(log(0.112, sockets("eth0")))
    assert set(judged_sizes(judged)) == {Judgement.PASS}
    (note,) = (note for note in judged.notes if note.startswith("NCCL used"))
    assert note.startswith(
        "NCCL used eth0 of abel1, which nothing selects; the limit of TCP over dis0 is higher"
        " (NCCL_SOCKET_IFNAME=dis0 selects it); with NCCL, IP over a PCIe bridge was as slow as gigabit Ethernet"
    )


def test_a_slower_interface_than_the_plan_selects_is_a_finding():
    hosts = {
        name: replace(host, launch=replace(host.launch, control_interface="dis0"))
        for name, host in plan().hosts.items()
    }
    text = read(log(0.112, sockets("eth0")))
    judged = judge_logs([("log", text)], replace(plan(), hosts=hosts), RunContext())[0]
    assert judged_sizes(judged) == {
        Judgement.WARN: "NCCL used eth0 of abel1 and not dis0, which the plan selects: set NCCL_SOCKET_IFNAME=dis0"
    }


@pytest.mark.parametrize(("busbw", "is_known"), [(0.115, True), (0.02, False)])
def test_nccl_over_the_bridge_at_the_level_of_gigabit_ethernet_fails_with_the_publication(busbw, is_known):
    """Johansen, section 4.3.3: the bridge carries 857 MBytes/s of iperf3, and NCCL no more than gigabit Ethernet."""
    ((judgement, reason),) = judged_sizes(judge_text(log(busbw, sockets("dis0")))).items()
    assert judgement is Judgement.FAIL
    assert ("as slow as gigabit Ethernet in a published measurement" in reason) is is_known


def test_ethernet_of_ten_gigabits_is_faster_than_ip_over_the_bridge(tmp_path):
    """The link of dis0 is faster, its IP driver is not: 857 MBytes/s (Johansen, table 4.1)."""
    text = (ROOT / "examples" / "pcie-lending" / "cluster.yaml").read_text().replace("speed: 1 Gb/s", "speed: 10 Gb/s")
    (tmp_path / "cluster.yaml").write_text(text)
    faster = build(read_cluster(tmp_path / "cluster.yaml"), load())
    judged = judge_logs([("log", read(log(1.10, sockets("eth0"))))], faster, RunContext())[0]
    assert set(judged_sizes(judged)) == {Judgement.PASS}


def test_a_log_without_interface_is_unknown_with_both_readings():
    judged = judge_text(log(0.112))
    (reason,) = {reason for judgement, reason in judged_sizes(judged).items() if judgement is Judgement.UNKNOWN}
    assert "0.11 GB/s is 2 % of dis0 or 94 % of eth0; name it, such as --from abel1:eth0 --to abel2:eth0" in reason


@pytest.mark.parametrize("interface", ["dis0", "eth0"])
def test_tcp_is_no_cause_where_the_plan_has_no_rdma(interface):
    """Johansen section 4.3.3: IP over the bridge is as slow as gigabit Ethernet, though no RDMA is planned."""
    rows = "".join(f"{size} {size // 4} float sum 400 0.01 0.01 0\n" for size in (8, 64))
    text = log(0.02, sockets(interface, f"NCCL_SOCKET_IFNAME set by environment to {interface}"))
    reasons = judged_sizes(judge_text(text.replace("algbw busbw error\n", f"algbw busbw error\n{rows}")))
    assert Judgement.FAIL in reasons
    assert "RDMA" not in reasons[Judgement.FAIL]


def test_tcp_is_no_guess_where_the_log_names_the_sockets():
    """The rates of nccl-eBPF over sockets, its floor cut to 150 µs."""
    rows = {
        size: (150.0 + size / 2310, size / 2310 / (150.0 + size / 2310) * 2.31, 2.31) for size in (8, 64, 8 * 2**30)
    }
    reasons = {}
    for names in (None, "eth0"):
        judged = judge(collective("all_reduce", 2, rows, nodes=2, sockets=names), plan_of_mi300x())
        reasons[names] = judged_sizes(judged)[Judgement.FAIL]
    assert "likely TCP instead of RDMA" in reasons[None]
    assert "likely TCP" not in reasons["eth0"]


def test_ranks_of_one_host_use_no_interface():
    judged = judge_text(log(5.0, hosts=("abel1", "abel1")))
    assert not [note for note in judged.notes if "between hosts" in note]


def test_what_is_too_fast_for_one_interface_went_over_the_other():
    judged = judge_text(log(0.857))
    assert "TCP sockets over dis0 between hosts" in judged.notes
    assert Judgement.UNKNOWN not in judged_sizes(judged)


@pytest.mark.parametrize(
    ("network", "stated", "reason"),
    [
        ("Socket", {}, None),
        ("FastSocket", {}, None),
        ("SISCI", {}, "SISCI"),
        ("SISCI", {"source": "abel1:dis0", "target": "abel2:dis0"}, "SISCI"),
        ("IB", {}, "IB"),
    ],
)
def test_a_plugin_network_is_not_judged_as_sockets(network, stated, reason):
    """The bootstrap over dis0 carries no data; "Using network" names what does (NCCL src/plugin/net.cc)."""
    debug = "".join(
        f"{host}:{number}:{number} [0] NCCL INFO {text}\n"
        for number, host in ((100, "abel1"), (200, "abel2"))
        for text in (f"Bootstrap : Using dis0:10.2.0.{number}<0>", f"Using network {network}")
    )
    judged = judge_text(log(0.857, debug), **stated)
    assert ("TCP sockets over dis0 between hosts" in judged.notes) is (reason is None)
    expected = f"the log names network {reason} between the hosts, and no limit is known for it on hosts without"
    unknown = judged_sizes(judged).get(Judgement.UNKNOWN)
    assert unknown == (f"{expected} planned RDMA" if reason else None)
    if reason:
        assert Judgement.PASS not in judged_sizes(judged)


def test_the_user_names_the_interface():
    judged = judge_text(log(0.112), source="abel1:eth0", target="abel2:eth0")
    assert set(judged_sizes(judged)) == {Judgement.PASS}
    above = judge_text(log(0.6), source="abel1:eth0", target="abel2:eth0")
    assert set(judged_sizes(above)) == {Judgement.UNKNOWN}  # no gigabit link carries that


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            # gigabit Ethernet moves at most 0.1187 GB/s; two decimals hide that 0.124 GB/s is more
            [(65536, 600.00, "0.11"), (MIB, 8420.42, "0.12"), (32 * MIB, 268640, "0.12"), (64 * MIB, 537281, "0.12")],
            {
                65536: "larger sizes of this table are above the physical limit: the limit is not that of the measured "
                "hosts or path",
                64 * MIB: "64 MiB in 537,281 µs is 0.125 GB/s, printed as 0.12: above the physical limit (links "
                "and NICs of the GPUs); likely causes: the cluster file describes another cluster",
            },
        ),
        (  # times of another column: the bandwidths are not theirs
            [(65536, 5.01, "0.11"), (MIB, 5.02, "0.12"), (32 * MIB, 5.01, "0.12"), (64 * MIB, 5.03, "0.12")],
            {64 * MIB: "the required 72 % of the reachable limit is reached"},
        ),
    ],
    ids=["times", "other times"],
)
def test_the_time_of_a_row_has_more_digits_than_its_bandwidth(rows, expected):
    text = log(0.12, sockets("eth0", "NCCL_SOCKET_IFNAME set by environment to eth0"))
    head = text[: text.index("error\n") + len("error\n")]
    table = "".join(f"{size} {size // 4} float sum {time} {value} {value} 0\n" for size, time, value in rows)
    judged = judge_text(f"{head}{table}# Avg bus bandwidth    : 0.12\n")
    reasons = {
        row.measurement.size_bytes: row.reason for row in judged.verdicts if row.measurement.metric is Metric.BUSBW
    }
    assert {size: reasons[size] for size in expected} == expected


def test_ends_that_the_log_contradicts_are_refused():
    with pytest.raises(Refusal, match="--to abel2:eth0: no effect: log: the log names its hosts, abel1"):
        judge_text(log(0.112, hosts=("abel1", "abel1")), source="abel1:eth0", target="abel2:eth0")


def test_two_gpus_of_one_host_are_limited_by_their_slots():
    judged = judge_text(log(5.0, hosts=("abel1", "abel1")))
    assert set(judged_sizes(judged)) == {Judgement.PASS}
    assert judge_text(log(2.4, hosts=("abel1", "abel1"))).verdicts[-2].judgement is not Judgement.PASS


@pytest.mark.parametrize(
    "addresses",
    ["0000:04:00.0, 0000:05:00.0", "04:0.0, 05:0.0"],
)
def test_pcie_addresses_of_a_log_name_the_host(addresses):
    (verdict,) = judge(copy_between_gpus(addresses), plan()).verdicts
    assert verdict.judgement is Judgement.PASS
    assert "GPUs as those of abel2: by the PCIe addresses of the log" in verdict.physical.assumptions


def test_hosts_whose_gpus_are_at_other_sockets_are_not_alike():
    (verdict,) = judge(copy_between_gpus("0000:1b:00.0"), plan()).verdicts
    assert verdict.judgement is Judgement.UNKNOWN
    assert verdict.reason == (
        "the GPUs of abel1, abel2 differ in model, slot or socket, and the log names no host: name it with"
        " --from HOST:NIC"
    )
    (named_verdict,) = judge(copy_between_gpus("0000:1b:00.0"), plan(), source="abel1:dis0").verdicts
    assert named_verdict.judgement is Judgement.PASS


def copy_between_gpus(addresses):
    row = Measurement(Metric.BW_AVG, "GB/s", 5.31, None, "GPU0 -> GPU1", 9)
    return Run(
        *("p2pBandwidthLatencyTest", "unidirectional_bandwidth", None, RunStatus.COMPLETE, None, None),
        Parameters(gpu_model="Tesla K20Xm", p2p_enabled=True, gpu_addresses=addresses),
        (row,),
    )


def test_the_rdma_plan_keeps_its_limit_and_names_the_interface_that_was_used():
    from judge_support import GIB

    from wirespeed.benchmarks.judge.nccl_evidence import Evidence
    from wirespeed.results.nccl import Communicator

    communicator = Communicator(
        **dict.fromkeys(Communicator.__dataclass_fields__)
        | {"warnings": (), "environment": {}, "gid_indices": (1,), "nics": ()}
    )
    evidence = Evidence(communicator, network="Socket", nics={"node1": ("eno1",)})
    run = collective("all_reduce", 32, {8 * GIB: (1.0, 1.0, 2.3)}, nodes=4)
    verdict = next(
        verdict
        for verdict in judge(run, plan_of_mi300x(), evidence=evidence).verdicts
        if verdict.measurement.metric is Metric.BUSBW
    )
    assert verdict.judgement is Judgement.FAIL
    assert "TCP sockets over eno1, NCCL did not use RDMA" in verdict.reason
    assert "GID index 1 in use, planned is 3 (`wirespeed explain NIC-05`)" in verdict.reason


def perftest_log(**parameters):
    rows = (Measurement(Metric.BW_AVG, "Gb/s", 390.0, 8 * MIB, None, 9),)
    stated = Parameters(rdma_device="bnxt_re4", path_mtu_bytes=4096, **parameters)
    return Run("perftest", "RDMA_Write BW Test", None, RunStatus.COMPLETE, None, None, stated, rows)


def test_the_gpu_that_a_log_of_perftest_names_is_judged():
    log = perftest_log(memory="rocm", rocm_device_index=2)
    (verdict,) = judge(log, plan_of_mi300x(), source="node1:bnxt_re4", target="node2:bnxt_re5").verdicts
    assumptions = [text for text in verdict.physical.assumptions if "buffer" in text]
    assert assumptions == [
        "the buffer of node1:bnxt_re4 is on GPU2, stated in the log",
        "the buffer of node2:bnxt_re5 is on GPU5, the GPU that it serves",
    ]


def test_ends_that_are_not_the_nic_of_the_log_are_noted():
    note = "the log's NIC is bnxt_re4, but --from and --to name node1:bnxt_re0 and node2:bnxt_re1"
    ends = {"source": "node1:bnxt_re0", "target": "node2:bnxt_re1"}
    assert note in judge(perftest_log(), plan_of_mi300x(), **ends).notes
    fitting = judge(perftest_log(), plan_of_mi300x(), source="node1:bnxt_re4", target="node2:bnxt_re1")
    assert not any("the log's NIC" in text for text in fitting.notes)
