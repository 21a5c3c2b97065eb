from dataclasses import replace

import pytest
from judge_support import CLUSTER, GIB, MIB, find_verdict, judgements, perftest, plan

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.benchmarks.judge.verdict import compute_roundings
from wirespeed.catalogue import load
from wirespeed.catalogue.model import SourcedValue
from wirespeed.cluster import read
from wirespeed.errors import Refusal
from wirespeed.plan import build
from wirespeed.results.benchmarks import Measurement, Metric, RunStatus
from wirespeed.results.verdicts import Judgement

BIDIRECTIONAL = "RDMA_Write Bidirectional BW Test"

UNKNOWN_NIC = "the log's NIC mlx5_0 is not in mi300x-4node: name it with --from HOST:NIC"


@pytest.mark.parametrize(
    ("value", "judgement"),
    [
        (392.15, Judgement.PASS),
        (375.0, Judgement.PASS),
        (330.0, Judgement.WARN),
        (230.0, Judgement.FAIL),
        (0.0, Judgement.FAIL),
        (393.0, Judgement.UNKNOWN),
        (3000.0, Judgement.UNKNOWN),
    ],
)
def test_average_bandwidth_one_way(value, judgement):
    verdict = find_verdict(judge(perftest({MIB: value}), plan()))
    assert verdict.judgement is judgement
    assert verdict.physical.value == pytest.approx(392.15, abs=0.01)
    assert verdict.physical.bottleneck == "line rate × RoCEv2 framing"


def test_both_directions_have_different_limits():
    verdict = find_verdict(judge(perftest({8 * MIB: 774.97}, test=BIDIRECTIONAL), plan()))
    assert verdict.judgement is Judgement.PASS
    assert verdict.physical.value == pytest.approx(784.30, abs=0.01)
    assert verdict.reachable.value == pytest.approx(776.30, abs=0.01)
    assert verdict.fraction_of_reachable == pytest.approx(0.998, abs=0.001)


def test_a_peak_is_shown_and_never_judged():
    verdict = find_verdict(judge(perftest({MIB: 500.0}, metric=Metric.BW_PEAK), plan()))
    assert verdict.judgement is Judgement.SKIP
    assert verdict.reason == (
        "peak: perftest's best window counts data already in flight, so it is shown and not judged"
    )
    assert verdict.fraction_of_physical == pytest.approx(1.275, abs=0.001)


def test_mebibytes_are_compared_as_mebibytes():
    verdict = find_verdict(judge(perftest({MIB: 46700.0}, unit="MiB/s"), plan()))
    assert verdict.judgement is Judgement.PASS
    assert verdict.physical.unit == "MiB/s"
    assert verdict.physical.value == pytest.approx(46747.7, abs=1)


def without_rate():
    """The plan with a NIC whose message rate the catalogue does not know."""
    model = "broadcom-bcm957608-p1400gd"
    nics = {**plan().hardware.nics, model: plan().hardware.nics[model].model_copy(update={"message_rate": None})}
    return replace(plan(), hardware=replace(plan().hardware, nics=nics))


def test_small_messages_are_not_failed_where_no_rate_is_known():
    rows = {2: 0.06, 4096: 115.0, 65536: 380.0, MIB: 391.0}
    run = perftest(rows)
    rates = [Measurement(Metric.MSG_RATE, "Mpps", rate, size, None, 9) for size, rate in ((2, 4.0), (4096, 3.5))]
    judged = judge(replace(run, measurements=(*run.measurements, *rates)), without_rate())
    assert judgements(judged, Metric.BW_AVG) == {
        2: Judgement.SKIP,
        4096: Judgement.SKIP,
        65536: Judgement.PASS,
        MIB: Judgement.PASS,
    }
    reason = "small messages are limited by the message rate (highest rate in this table: 4 million messages/s)"
    assert find_verdict(judged, 2).reason == reason
    assert judged.notes == (f"2 B to 4 KiB not judged: {reason}",)


@pytest.mark.parametrize(
    ("size", "value", "limit", "judgement"),
    [
        # 4 million messages per second in one direction by the catalogue, in Gb/s; pass from 63 %, warn from 50 %
        (64, 2.0, 4e6 * 64 * 8 / 1e9, Judgement.PASS),
        (64, 1.25, 4e6 * 64 * 8 / 1e9, Judgement.WARN),
        (64, 1.0, 4e6 * 64 * 8 / 1e9, Judgement.FAIL),
        (64, 3.0, 4e6 * 64 * 8 / 1e9, Judgement.PASS),  # faster than published, not than the line
        (4096, 60.0, 4e6 * 4096 * 8 / 1e9, Judgement.FAIL),
        (8192, 100.0, 391.4, Judgement.SKIP),  # between rate and line
    ],
)
def test_small_messages_against_the_rate_of_the_catalogue(size, value, limit, judgement):
    verdict = find_verdict(judge(perftest({size: value, MIB: 391.0}), plan()), size)
    assert verdict.judgement is judgement
    assert verdict.reachable.value == pytest.approx(limit, rel=1e-3)
    assert (verdict.reachable.bottleneck == "message rate") is (size < 8192)


def test_both_directions_have_twice_the_rate():
    verdict = find_verdict(judge(perftest({64: 4.0, MIB: 775.0}, bidirectional=True), plan()), 64)
    assert verdict.reachable.value == pytest.approx(8e6 * 64 * 8 / 1e9)


def test_a_dip_below_the_plateau_is_left_to_the_plateau():
    judged = judge(perftest({65536: 222.0, 8 * MIB: 391.0}), plan())
    assert find_verdict(judged, 65536).judgement is Judgement.SKIP
    assert (
        find_verdict(judged, 65536).reason
        == "sizes below 2 MiB (25 % of the largest size) can fail only at a dip or a step of the curve"
    )
    assert find_verdict(judged, 8 * MIB).judgement is Judgement.PASS
    assert judged.notes == (
        "64 KiB not judged: sizes below 2 MiB (25 % of the largest size) can fail only at a dip or a step of the curve",
    )


def test_a_dip_above_a_size_that_passes_is_named():
    judged = judge(perftest({65536: 380.9, MIB: 241.9, 8 * MIB: 391.0}), plan())
    assert find_verdict(judged, MIB).judgement is Judgement.SKIP
    assert judged.notes == (
        "1 MiB not judged: 62 % of the reachable limit, although 64 KiB passes; sizes below 2 MiB "
        "(25 % of the largest size) can fail only at a dip or a step of the curve",
    )


def test_sizes_above_one_that_passes_are_one_note():
    judged = judge(perftest({65536: 380.9, 131072: 241.9, 262144: 246.5, 8 * MIB: 391.0}), plan())
    assert judged.notes == (
        "128 KiB to 256 KiB not judged: 62 % to 63 % of the reachable limit, although smaller sizes pass; sizes below "
        "2 MiB (25 % of the largest size) can fail only at a dip or a step of the curve",
    )


def test_the_usual_single_size_is_judged():
    assert find_verdict(judge(perftest({65536: 392.0}), plan())).judgement is Judgement.PASS


def test_every_assumption_is_written_out():
    bound = find_verdict(judge(perftest({MIB: 390.0}, test=BIDIRECTIONAL), plan())).reachable
    assert bound.assumptions == (
        "the log names bnxt_re0 but no host: node1:bnxt_re0 is used; the other end is assumed similar",
        "no VLAN tag between host and switch",
        "PCIe MaxPayload 256 bytes (usual value; not collected)",
        "one acknowledgement for every 2 data packets; both directions are loaded",
    )


def test_the_path_mtu_of_the_log_counts():
    verdict = find_verdict(judge(perftest({MIB: 369.0}, path_mtu_bytes=1024), plan()))
    assert verdict.physical.value == pytest.approx(370.34, abs=0.01)
    assert verdict.judgement is Judgement.WARN  # the plan has 4096
    assert verdict.reason.startswith("path MTU 1024 in use, planned is 4096")


def test_the_gids_of_the_log_name_both_ends():
    gid = "00:00:00:00:00:00:00:00:00:00:255:255:10:01:00:{}"
    run = perftest({MIB: 390.0}, local_gid=gid.format("01"), remote_gid=gid.format("25"))
    assert find_verdict(judge(run, plan())).physical.assumptions[0] == (
        "the log contains the GIDs of node1:bnxt_re0 and node2:bnxt_re4"
    )


def test_the_gid_index_of_the_log_is_compared_with_the_plan():
    """Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, prints index 1; the plan has row 3."""
    notes = {index: judge(perftest({MIB: 390.0}, gid_index=index), plan()).notes for index in (1, 3)}
    note = "GID index 1 in use, planned is 3 (`wirespeed explain NIC-05`)"
    assert (note in notes[1], [text for text in notes[3] if "GID" in text]) == (True, [])


def test_a_link_local_gid_is_noted_at_any_index():
    """The form of perftest, which prints the bytes of a GID in decimal."""
    gid = "254:128:00:00:00:00:00:00:170:187:204:255:254:221:238:01"
    (note,) = (note for note in judge(perftest({MIB: 390.0}, local_gid=gid), plan()).notes if "GID" in note)
    assert note == "a GID in use, a link-local IPv6 address, planned is 3 (`wirespeed explain NIC-05`)"
    (note,) = (
        note for note in judge(perftest({MIB: 390.0}, local_gid=gid, gid_index=3), plan()).notes if "GID" in note
    )
    assert note.startswith("GID index 3 in use, a link-local IPv6 address")


def test_a_gid_outside_the_plan_is_noted():
    gid = "00:00:00:00:00:00:00:00:00:00:255:255:10:{}:00:{}"
    run = perftest({MIB: 390.0}, local_gid=gid.format("119", "01"), remote_gid=gid.format("01", "25"))
    notes = [note for note in judge(run, plan()).notes if "GID" in note]
    assert notes == [
        f"local GID 10.119.0.1 is not an address of the cluster {plan().name} (`wirespeed explain NIC-05`)"
    ]


def test_a_gid_of_another_nic_is_noted():
    gid = "00:00:00:00:00:00:00:00:00:00:255:255:10:01:00:{}"
    run = perftest({MIB: 390.0}, local_gid=gid.format("03"), remote_gid=gid.format("25"), rdma_device="bnxt_re0")
    notes = [note for note in judge(run, plan()).notes if "GID" in note]
    assert notes == ["the log's NIC is bnxt_re0, but its local GID 10.1.0.3 is that of node1:bnxt_re1"]


def test_more_queue_pairs_than_the_nic_has_are_noted():
    """Linux mlx5_core takes at most 2^18 queue pairs in its default profile (main.c, handle_hca_cap)."""
    mlx5 = build(read(CLUSTER.parents[1] / "esnet-400g" / "cluster.yaml"), load())
    notes = {
        count: judge(perftest({MIB: 190.0}, queue_pairs=count, rdma_device="mlx5_0"), mlx5).notes
        for count in (262144, 262145)
    }
    assert not [note for note in notes[262144] if "queue pairs" in note]
    (note,) = (note for note in notes[262145] if "queue pairs" in note)
    assert note.startswith("262,145 queue pairs in the log, but NVIDIA ConnectX-")


def test_a_buffer_on_a_gpu_adds_its_slot():
    judged = judge(perftest({MIB: 390.0}, memory="rocm"), plan(), source="node1:bnxt_re0", target="node2:bnxt_re4")
    assert [term.name for term in find_verdict(judged).physical.terms] == [
        "line rate × RoCEv2 framing",
        "NIC slot of node1:bnxt_re0",
        "PCIe slot of GPU0 (near node1:bnxt_re0)",
        "NIC slot of node2:bnxt_re4",
        "PCIe slot of GPU4 (near node2:bnxt_re4)",
    ]


def test_a_narrow_slot_binds():
    node = plan().hosts["node2"]
    nic = node.nics["enp159s0np0"]
    function = node.pcie[nic.pcie]
    narrow = replace(node, pcie={**node.pcie, nic.pcie: replace(function, link=replace(function.link, width=8))})
    narrow_plan = replace(plan(), hosts={**plan().hosts, "node2": narrow})
    run = perftest({MIB: 228.0})
    ends = {"source": "node1:bnxt_re0", "target": "node2:enp159s0np0"}
    designed, as_found = find_verdict(judge(run, plan(), **ends)), find_verdict(judge(run, narrow_plan, **ends))
    assert (designed.judgement, designed.fraction_of_reachable) == (Judgement.FAIL, pytest.approx(0.581, abs=0.001))
    assert (as_found.judgement, as_found.fraction_of_reachable) == (Judgement.PASS, pytest.approx(0.989, abs=0.001))
    assert as_found.physical.bottleneck == "NIC slot of node2:bnxt_re4"


@pytest.mark.parametrize(
    ("parameters", "ends", "reason"),
    [
        ({"rdma_device": "mlx5_0"}, {}, UNKNOWN_NIC),
        ({"link_type": "IB"}, {}, "the link of the log is InfiniBand, not RoCE"),
        ({"second_port": True}, {}, "the test added two ports of a NIC; limits are for one"),
        (
            {},
            {"source": "node1:bnxt_re0", "target": "node1:enp29s0np0"},
            "both ends are node1:bnxt_re0: a loopback has no cable to judge",
        ),
    ],
)
def test_without_a_limit_the_verdict_is_unknown(parameters, ends, reason):
    verdict = find_verdict(judge(perftest({MIB: 100.0}, **parameters), plan(), **ends))
    assert (verdict.judgement, verdict.reason, verdict.physical) == (Judgement.UNKNOWN, reason, None)


def test_above_the_physical_limit_states_what_is_likely():
    verdict = find_verdict(judge(perftest({MIB: 450.0}), plan()))
    assert verdict.judgement is Judgement.UNKNOWN
    assert verdict.reason == (
        "above the physical limit (line rate × RoCEv2 framing); likely causes: client and server on one host, so "
        "that nothing crossed the wire; a faster NIC than the cluster file names; the cluster file describes another "
        "cluster"
    )
    reason = find_verdict(judge(perftest({MIB: 3000.0}), plan())).reason
    assert "bits read as bytes: the values are 4 or more times the limit" in reason


def test_above_the_physical_limit_between_two_hosts_is_not_on_one_host():
    run = perftest({MIB: 450.0}, local_gid=mapped_gid("10.1.0.1"), remote_gid=mapped_gid("10.1.0.17"))
    assert find_verdict(judge(run, plan())).reason == (
        "above the physical limit (line rate × RoCEv2 framing); likely causes: a faster NIC than the cluster file "
        "names; the cluster file describes another cluster"
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "node1/bnxt_re0",
            "--from: found 'node1/bnxt_re0'; expected HOST:NIC, such as node1:enp29s0np0\n"
            "  hint: did you mean 'node1:bnxt_re0'?",
        ),
        (
            "bnxt_re0",
            "--from: found 'bnxt_re0'; expected HOST:NIC, such as node1:enp29s0np0\n"
            "  hint: name its host: node1:bnxt_re0, node2:bnxt_re0 and 2 more",
        ),
        ("nic0", "--from: found 'nic0'; expected HOST:NIC, such as node1:enp29s0np0"),
        (
            "nod1:bnxt_re0",
            "--from: found host 'nod1'; expected a host of mi300x-4node\n  hint: did you mean 'node1'?",
        ),
        (
            "node1:bnxt_re9",
            "--from: found NIC 'bnxt_re9'; expected a NIC of node1\n  hint: did you mean 'bnxt_re7'?",
        ),
    ],
)
def test_refused(name, message):
    with pytest.raises(Refusal) as refusal:
        judge(perftest({MIB: 390.0}), plan(), source=name)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("status", "error", "notes"),
    [
        (
            RunStatus.FAILED,
            "Completion with error at client",
            (
                "the values are usable: perftest prints a row after all its iterations, and the error came later",
                "no cause of this error is known",
            ),
        ),
        (RunStatus.TRUNCATED, None, ("the log is truncated: only the results that it contains are judged",)),
    ],
)
def test_the_end_of_a_run_is_stated_once(status, error, notes):
    judged = judge(replace(perftest({MIB: 390.0}), status=status, error=error), plan())
    assert (judged.status, judged.error) == (status, error)
    assert judged.notes == notes


def test_a_message_of_no_bytes_is_shown():
    assert find_verdict(judge(perftest({0: 0.0}), plan())).reason == "an empty message has no bandwidth"


def test_a_run_without_bandwidth_reports_it():
    assert judge(perftest({}), plan()).notes == ("the log contains no bandwidth to judge",)


def test_a_truncated_run_without_results_has_one_note():
    judged = judge(replace(perftest({}), status=RunStatus.TRUNCATED), plan())
    assert judged.notes == ("the log is truncated: it contains no result to judge",)


def mapped_gid(address):
    return ":".join(["00"] * 10 + ["255", "255"] + [f"{int(octet):02d}" for octet in address.split(".")])


def unique_local(last):
    return ":".join(["253"] + ["00"] * 14 + [f"{last:02d}"])


@pytest.mark.parametrize(
    ("local", "remote", "limit"),
    [
        (mapped_gid("10.1.0.1"), mapped_gid("10.1.0.17"), 392.15),
        (unique_local(1), unique_local(2), 390.28),  # 20 bytes more of header in each packet
        (":".join(["254", "128"] + ["00"] * 13 + ["01"]), None, 392.15),  # link-local: as planned
    ],
)
def test_the_gids_of_the_log_state_which_ip_carried_it(local, remote, limit):
    run = perftest({MIB: 380.0}, local_gid=local, remote_gid=remote)
    assert find_verdict(judge(run, plan())).physical.value == pytest.approx(limit, abs=0.01)


def test_an_address_of_the_cluster_on_a_nic_it_has_not_is_another_cluster():
    run = perftest(
        {MIB: 380.0}, rdma_device="mlx5_0", local_gid=mapped_gid("10.1.0.1"), remote_gid=mapped_gid("10.1.0.17")
    )
    verdict = find_verdict(judge(run, plan()))
    assert verdict.judgement is Judgement.UNKNOWN
    assert verdict.reason == UNKNOWN_NIC


def test_a_table_of_large_messages_does_not_show_the_message_rate():
    run = perftest({MIB: 391.0, 2 * MIB: 391.5, 8 * MIB: 391.9})
    rates = [
        Measurement(Metric.MSG_RATE, "Mpps", rate, size * MIB, None, 9)
        for size, rate in ((1, 0.0466), (2, 0.0233), (8, 0.0058))
    ]
    judged = judge(replace(run, measurements=(*run.measurements, *rates)), plan())
    assert set(judgements(judged, Metric.BW_AVG).values()) == {Judgement.PASS}


def test_a_narrow_uplink_of_the_pcie_switch_binds_host_memory_and_not_its_gpu():
    host = plan().hosts["node1"]
    above = "switch1"
    narrow = replace(host.pcie[above], link=replace(host.pcie[above].link, width=8))
    narrow_plan = replace(plan(), hosts={**plan().hosts, "node1": replace(host, pcie={**host.pcie, above: narrow})})
    verdict = find_verdict(judge(perftest({MIB: 200.0}), narrow_plan))
    assert verdict.physical.bottleneck == f"PCIe uplink {above} of node1"
    assert verdict.physical.value == pytest.approx(32 * 8 * 128 / 130 * 256 / 280, rel=1e-4)
    assert find_verdict(judge(perftest({MIB: 390.0}, memory="rocm"), narrow_plan)).judgement is Judgement.PASS


def test_relaxed_ordering_is_noted_where_its_impact_is_not_known():
    verdict = find_verdict(judge(perftest({MIB: 300.0}, pcie_relaxed_ordering=False), plan()))
    assert (
        "PCIe relaxed ordering is off at node1:bnxt_re0: what its CPU then reaches is not known"
        in verdict.reachable.assumptions
    )


def esnet():
    return build(read(CLUSTER.parents[1] / "esnet-400g" / "cluster.yaml"), load())


@pytest.mark.parametrize(("setting", "reachable"), [(True, 196.07), (False, 150.0)])
def test_ordered_writes_have_a_limit_where_it_was_measured(setting, reachable):
    """An EPYC that reaches 200 Gb/s with relaxed ordering and 150 without (openucx/ucx 8062)."""
    esnet_plan = esnet()
    host, settings = next(iter(esnet_plan.hosts.items()))
    nic = next(iter(settings.nics.values()))
    run = perftest({MIB: 149.0}, rdma_device=nic.rdma_device or "eth100", pcie_relaxed_ordering=setting)
    name = f"{host}:{next(iter(settings.nics))}"
    verdict = find_verdict(judge(run, esnet_plan, source=name, target=name.replace(host, list(esnet_plan.hosts)[-1])))
    assert verdict.reachable.value == pytest.approx(reachable, abs=0.01)
    assert verdict.physical.value == pytest.approx(196.07, abs=0.01)
    assert (verdict.reachable.bottleneck == f"ordered PCIe writes on {host}") is (not setting)


def with_memory(built_plan, channels):
    """The same cluster with this number of memory channels in each socket."""
    servers = {
        name: server.model_copy(
            update={
                "memory": server.memory.model_copy(update={"channels": SourcedValue(value=channels, source="a test")})
            }
        )
        if server.memory
        else server
        for name, server in built_plan.hardware.servers.items()
    }
    return replace(built_plan, hardware=replace(built_plan.hardware, servers=servers))


@pytest.mark.parametrize(
    ("channels", "size", "memory", "binding"),
    [
        (8, 16 * GIB, "host", "line rate × RoCEv2 framing"),
        (1, 16 * GIB, "host", "memory of node1"),  # 716.8 Gb/s of both sockets, both directions
        (1, 64 * MIB, "host", "line rate × RoCEv2 framing"),  # caches may hold it
        (1, 16 * GIB, "rocm", "line rate × RoCEv2 framing"),
    ],
)
def test_memory_binds_what_caches_cannot_hold(channels, size, memory, binding):
    memory_plan = with_memory(plan(), channels)
    run = perftest({size: 700.0}, bidirectional=True, memory=memory)
    assert find_verdict(judge(run, memory_plan)).physical.bottleneck == binding


@pytest.mark.parametrize("name", ["node1", "node1:"])
def test_a_host_without_nic_is_refused_with_its_nics(name):
    with pytest.raises(Refusal) as refusal:
        judge(perftest({MIB: 390.0}), plan(), source=name)
    assert str(refusal.value).startswith(
        f"--from: found {name!r}; expected HOST:NIC, such as node1:enp29s0np0\n"
        "  hint: its NICs are enp29s0np0 (bnxt_re0), "
    )


def test_two_frequencies_of_the_cpus_have_a_note():
    """perftest, src/get_clock.c: "Conflicting CPU frequency values detected"."""
    judged = judge(perftest({MIB: 391.8}, cpu_frequency_conflict="1499.964000 != 2250.000000"), plan())
    assert any("two CPU frequencies, 1500 and 2250 MHz" in note for note in judged.notes)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.09, 0.1, 0.1], [0.005, 0.005, 0.005]),  # 0.10 in a column of two decimals
        ([9.41, 94.1, 941.0], [0.005, 0.05, 0.5]),  # three digits, as iperf3 prints them
        ([9.3, 11.25], [0.005, 0.005]),  # 9.30
        ([0.1], [0.05]),
    ],
)
def test_the_last_digit_of_a_value_is_that_of_its_column(values, expected):
    rows = {line: Measurement(Metric.BUSBW, "GB/s", value, 2**line, None, line) for line, value in enumerate(values)}
    assert list(compute_roundings(rows).values()) == pytest.approx(expected)


@pytest.mark.parametrize(("smaller", "judgement"), [(198.255, Judgement.UNKNOWN), (198.2, Judgement.PASS)])
def test_a_value_above_the_physical_limit_is_unknown_although_its_last_digits_are_zero(smaller, judgement):
    """The limit is 392.16 Gb/s: 392.200 is above it, 392.2 may be 392.15."""
    judged = judge(perftest({MIB: smaller, 2 * MIB: 392.2}), plan())
    assert find_verdict(judged, 2 * MIB).judgement is judgement


@pytest.mark.parametrize(
    ("rate", "parameters", "is_noted"),
    [
        pytest.param(235.0, {}, True, id="AN210, question 8"),
        pytest.param(390.0, {}, False, id="line rate"),
        pytest.param(235.0, {"memory": "rocm"}, False, id="GPU memory"),
    ],
)
def test_slow_host_memory_beside_gpus_can_have_a_reason_in_the_bios(rate, parameters, is_noted):
    """Broadcom 957608-AN210, section 5.1, question 8: 235 Gb/s where GPU memory has the line rate."""
    notes = judge(perftest({MIB: rate}, **parameters), plan()).notes
    assert [note for note in notes if "PCI-17" in note] == [
        "memory interleaving disabled in the BIOS of a host can be the reason, if the same test between GPUs is faster "
        "(`wirespeed explain PCI-17`)"
    ] * is_noted
