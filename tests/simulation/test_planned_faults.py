"""Faults by the names of a cluster: what they are in a scenario, what a run shows, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from fault_files import CLUSTER, NIC, ran, scenario
from planned_scenarios import build_scenario, traffic
from small_scenarios import wirespeed

from wirespeed.cli.exit import Exit
from wirespeed.cluster import read
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build
from wirespeed.simulation.result_folder import open_folder

FABRIC = CLUSTER.parent
TRAFFIC = "version: 1\ntraffic:\n  - {pattern: permutation, size: 64 kB, queue_pairs: 8}\nfaults:\n"
TIMES = "detection: 10 us, convergence: 0.2 ms"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return build(read(FABRIC / "cluster.yaml"))


def faults(plan: Plan, folder: Path, entry: str) -> list[dict[str, object]]:
    _, document = build_scenario(plan, folder, f"{TRAFFIC}  - {{{entry}}}\n")
    return document["faults"]


def test_a_device_is_its_node(plan: Plan, tmp_path: Path) -> None:
    (fault,) = faults(plan, tmp_path, f"kind: link-down, node: spine1, start: 1.5 us, until: 3 ms, {TIMES}")
    node = [*plan.hosts, *plan.switches].index("spine1")
    times = {"from_ns": 1500, "until_ns": 3_000_000, "detection_ns": 10_000, "convergence_ns": 200_000}
    assert fault == {"kind": "link-down", "node": node, **times}


def test_a_port_is_its_cable_by_either_end(plan: Plan, tmp_path: Path) -> None:
    for number, cable in enumerate(plan.cables):
        for end in (cable.a, cable.b):
            (fault,) = faults(plan, tmp_path, f"kind: link-down, port: {end.device}:{end.port}, {TIMES}")
            times = {"detection_ns": 10_000, "convergence_ns": 200_000}
            assert fault == {"kind": "link-down", "link": number, **times}


def test_without_faults_the_scenario_has_none(plan: Plan, tmp_path: Path) -> None:
    _, document = build_scenario(plan, tmp_path, TRAFFIC.removesuffix("faults:\n"))
    assert "faults" not in document


CABLE = "port: leaf1:Ethernet1/1"  # that of node1, cable 0
FAR = f"port: node3:{NIC}"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            f"kind: bit-errors, {CABLE}, ber: 2e-4, fec: rs-544, floor_ber: 1e-12, until: 5 us",
            {"kind": "bit-errors", "until_ns": 5000, "link": 0, "ber": 2e-4, "fec": "rs-544", "floor_ber": 1e-12},
        ),
        ("kind: miswired, ports: [leaf1:Ethernet1/1, leaf2:Ethernet1/1]", {"kind": "miswired", "links": [0, 2]}),
        (f"kind: stuck-nic, {FAR}, start: 1 us", {"kind": "stuck-nic", "from_ns": 1000, "node": 2}),
        (f"kind: stuck-nic, {FAR}, class: roce", {"kind": "stuck-nic", "node": 2, "priority": 5}),
        (
            f"kind: slow-receiver, {FAR}, rate: 2.5 Gb/s, receive_buffer: 1 MB",
            {"kind": "slow-receiver", "node": 2, "gbps": 2.5},
        ),
        (f"kind: cnp-loss, {CABLE}, probability: 25%", {"kind": "cnp-loss", "link": 0, "probability": 0.25}),
        (f"kind: cnp-delay, {FAR}, delay: 3 ms", {"kind": "cnp-delay", "node": 2, "delay_ns": 3_000_000}),
    ],
)
def test_every_kind_is_one_of_the_scenario(tmp_path: Path, entry: str, expected: dict[str, object]) -> None:
    assert scenario(tmp_path, entry)["faults"] == [expected]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (f"kind: frame-loss, {CABLE}, probability: 0.001", {"loss": 0.001}),
        (f"kind: pfc-loss, {CABLE}, start: 7 us", {"pfc_lost_from_ns": 7000}),
    ],
)
def test_what_is_a_matter_of_the_cable(tmp_path: Path, entry: str, expected: dict[str, object]) -> None:
    healthy, scenario_text = scenario(tmp_path), scenario(tmp_path, entry)
    assert scenario_text["links"][0] == healthy["links"][0] | expected
    assert scenario_text["links"][1:] == healthy["links"][1:]
    assert "faults" not in scenario_text


def test_a_slow_receiver_has_a_receive_buffer(tmp_path: Path) -> None:
    """1 MB, less 52,684 bytes that a 100 Gb/s cable of 3 m brings after an XOFF, less an MTU of 9,000."""
    scenario_text = scenario(tmp_path, f"kind: slow-receiver, {FAR}, rate: 1 Gb/s, receive_buffer: 1 MB")
    bytes_ = {"receive_buffer_bytes": 1_000_000, "xoff_bytes": 947_316, "xon_bytes": 938_316}
    pipe = {"gbps": 100, "latency_ns": 0, **bytes_}
    assert scenario_text["devices"][-1] == {"ports": [4], "parameters": {"nic": {"pipe": pipe}}}


KINDS = (
    "link-down or bit-errors or frame-loss or pfc-loss or miswired or stuck-nic or slow-receiver or cnp-loss or "
    "cnp-delay or wrong-setting"
)
PORT = "a port with a cable, such as node1:ens7f0np0"
WRONG = "kind: wrong-setting"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            f"kind: link-down, node: spin1, {TIMES}",
            "found the node 'spin1'; expected a host or switch of the cluster\n  hint: did you mean 'spine1'?",
        ),
        (
            f"kind: link-down, port: spine1:Ethernet99/1, {TIMES}",
            f"found the port 'spine1:Ethernet99/1'; expected {PORT}",
        ),
        (f"kind: link-down, {TIMES}", "found neither node nor port; expected one of the two"),
        (
            f"kind: link-down, node: spine1, port: 'spine1:Ethernet1/1', {TIMES}",
            "found node and port; expected one of the two",
        ),
        (
            f"kind: link-down, node: spine1, start: 2 us, until: 2 us, {TIMES}",
            "found until 2 µs; expected a time after its start, 2000 ns",
        ),
        (
            f"kind: link-down, node: spine1, start: 2000000 s, {TIMES}",
            "found start 2,000,000.0 s; expected at most 1,000,000 s",
        ),
        (CABLE, "missing key 'kind'"),
        ("kind: cnp-los", f"found kind: 'cnp-los'; expected {KINDS}\n  hint: did you mean 'cnp-loss'?"),
        (
            "kind: link-down, node: leaf1, convergence: 1 ms",
            "missing key 'detection' (time from the failure until the ports report link down (optics, debounce"
            " timers))\n  hint: add a value such as `detection: 10 us`",
        ),
        (f"kind: cnp-loss, {CABLE}", "missing key 'probability' (probability that a CNP is lost)"),
        (
            f"kind: cnp-loss, {CABLE}, probability: 1, brr: 2",
            "found the unknown key 'brr'; expected one of kind, port, probability, start, until",
        ),
        (
            f"kind: frame-loss, {CABLE}, probability: 110%",
            "found probability: '110%'; expected a share from 0 to 1, such as 1e-5 or 0.1%",
        ),
        (
            f"kind: bit-errors, {CABLE}, ber: 1e-5, fec: rs544",
            "found fec: 'rs544'; expected none or rs-528 or rs-544 or rs-544-interleaved\n"
            "  hint: did you mean 'rs-544'?",
        ),
        (
            f"kind: cnp-delay, {CABLE}, delay: 1 us",
            "found the port 'leaf1:Ethernet1/1' of a switch; expected a NIC with a cable, such as node1:ens7f0np0",
        ),
        (
            f"kind: stuck-nic, {FAR}, class: rocee",
            "found the class 'rocee'; expected one of roce, cnp, default\n  hint: did you mean 'roce'?",
        ),
        (
            f"kind: slow-receiver, {FAR}, rate: 1 Gb/s, receive_buffer: 60 kB",
            "found 60,000 bytes; expected at least 61,684\n  hint: the headroom of its cable and an MTU",
        ),
        ("kind: miswired, ports: [leaf1:Ethernet1/1]", "found 1 ports; expected two"),
        (
            f"kind: miswired, ports: [leaf1:Ethernet1/1, node1:{NIC}]",
            "found both ends of a cable; expected ports of two cables",
        ),
        (
            f"kind: frame-loss, {CABLE}, probability: 1}}\n  - {{kind: frame-loss, port: node1:{NIC}, probability: 1",
            f"6: found node1:{NIC}, whose cable an earlier frame-loss has; expected each cable once",
        ),
        (f"{WRONG}, node: leaf1, setting: port.qos.pcf, value: []", "hint: did you mean 'port.qos.pfc'?"),
        (
            f"{WRONG}, node: leaf1, setting: port.link.mtu, value: 1500",
            "found port.link.mtu, which the simulator does not know; expected one of switch.pfc, ",
        ),
        (
            f"{WRONG}, node: leaf1, setting: nic.qos.ecn, value: false",
            "found nic.qos.ecn at leaf1; expected something that has a nic",
        ),
        (
            f"{WRONG}, node: leaf1, setting: port.qos.pfc, value: [9]",
            "found port.qos.pfc: ['9']; expected a whole number, 0 to 7",
        ),
        (
            f"{WRONG}, node: leaf1, setting: queue.ecn.maximum, value: much",
            "found queue.ecn.maximum: 'much'; expected a size such as ",
        ),
        (
            f"{WRONG}, node: leaf1, setting: port.qos.watchdog.action, value: dorp",
            "found port.qos.watchdog.action: 'dorp'; expected drop or forward or alert or errdisable",
        ),
        (
            f"{WRONG}, {FAR}, setting: nic.qos.roce_dscp, value: 32",
            "found nic.qos.roce_dscp 32, as planned; expected another value",
        ),
        (
            f"{WRONG}, node: leaf1, setting: queue.ecn.minimum, value: 7 MB",
            "found queue.ecn.minimum 7 MB; expected at most 750 kB, the lowest queue.ecn.maximum of leaf1\n"
            "  hint: to use this value, change queue.ecn.maximum in an entry before this one",
        ),
        (
            f"{WRONG}, {CABLE}, setting: queue.ecn.maximum, value: 100 kB",
            "found queue.ecn.maximum 100 kB; expected at least 250 kB, queue.ecn.minimum of leaf1:Ethernet1/1\n"
            "  hint: to use this value, change queue.ecn.minimum in an entry before this one",
        ),
        (
            f"{WRONG}, node: leaf1, class: default, setting: queue.ecn.enabled, value: false",
            "found queue.ecn.enabled false; expected a setting that acts here\n  hint: others override it",
        ),
    ],
)
def test_what_does_not_fit(plan: Plan, tmp_path: Path, entry: str, message: str) -> None:
    with pytest.raises(Refusal) as refusal:
        faults(plan, tmp_path, entry)
    text = str(refusal.value)
    assert text.startswith(f"{tmp_path / 'traffic.yaml'}:")
    assert message in text


def test_a_cable_that_loses_frames_is_the_named_one(tmp_path: Path) -> None:
    assert ran(tmp_path).by_port("ports", "lost") == {}
    for entry in (
        f"kind: frame-loss, {CABLE}, probability: 0.1%",
        f"kind: bit-errors, {CABLE}, ber: 1e-7, fec: none",
        f"kind: cnp-loss, {CABLE}, probability: 1",
    ):
        lost_packets = ran(tmp_path, entry).by_port("ports", "lost")
        assert lost_packets, entry
        assert set(lost_packets) <= {"leaf1:Ethernet1/1", f"node1:{NIC}"}, entry


def test_a_nic_that_pauses_is_the_named_one(tmp_path: Path) -> None:
    assert ran(tmp_path).summary.pfc_pauses == 0
    for entry in (
        f"kind: stuck-nic, port: node1:{NIC}, until: 300 us",
        f"kind: slow-receiver, port: node1:{NIC}, rate: 10 Gb/s, receive_buffer: 1 MB",
    ):
        result = ran(tmp_path, entry)
        assert set(result.by_port("queues", "xoff_sent")) == {f"node1:{NIC}"}
        assert set(result.by_port("queues", "paused_ps")) == {"leaf1:Ethernet1/1"}
        assert result.summary.drops == 0


FAST = [f"{WRONG}, node: node{number}, setting: nic.qos.ecn, value: false" for number in (2, 3, 4)]
"""Without congestion control leaf1 pauses its uplinks."""


def test_pauses_are_lost_on_the_named_cable(tmp_path: Path) -> None:
    well = ran(tmp_path, *FAST)
    assert set(well.by_port("queues", "xoff_sent")) == {"leaf1:Ethernet30/1", "leaf1:Ethernet31/1"}
    assert len(well.by_port("queues", "xoff_received")) == 2
    result = ran(tmp_path, *FAST, "kind: pfc-loss, port: leaf1:Ethernet30/1")
    assert set(result.by_port("queues", "xoff_sent")) == {"leaf1:Ethernet30/1", "leaf1:Ethernet31/1"}
    (other_port,) = result.by_port("queues", "xoff_received")
    assert frozenset({other_port, "leaf1:Ethernet31/1"}) in result.cables()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("leaf1:Ethernet1/1", "leaf2:Ethernet1/1"),
        (f"node1:{NIC}", f"node3:{NIC}"),
        ("leaf1:Ethernet1/1", f"node3:{NIC}"),
        (f"node3:{NIC}", "leaf1:Ethernet1/1"),
    ],
)
def test_each_port_has_the_others_cable(tmp_path: Path, first: str, second: str) -> None:
    """Whichever ends are named, and by the names that the ports have, not those of the cables' plan."""
    entries = (f"kind: miswired, ports: [{first}, {second}]", f"kind: cnp-delay, port: node1:{NIC}, delay: 1 us")
    planned, scenario_text = ran(tmp_path), ran(tmp_path, *entries)
    changed = {first: second, second: first}
    assert scenario_text.cables() == {frozenset(changed.get(end, end) for end in cable) for cable in planned.cables()}
    assert scenario_text.cables() != planned.cables()
    assert planned.summary.completed == 3
    assert scenario_text.summary.completed < 3
    assert scenario_text.summary.unroutable > 0


def test_a_fault_is_of_the_cable_that_is_in_the_port(tmp_path: Path) -> None:
    """leaf1:Ethernet1/1 has the cable of node3 then, which loses its traffic."""
    wrong = "kind: miswired, ports: [leaf1:Ethernet1/1, leaf2:Ethernet1/1]"
    lost_packets = ran(tmp_path, wrong, f"kind: frame-loss, {CABLE}, probability: 1").by_port("ports", "lost")
    assert set(lost_packets) == {"leaf1:Ethernet1/1", f"node3:{NIC}"}


def test_a_switch_without_pfc_drops(tmp_path: Path) -> None:
    well = ran(tmp_path, *FAST)
    assert {name.partition(":")[0] for name in well.by_port("queues", "xoff_sent")} == {"leaf1"}
    assert well.summary.drops == 0
    for setting in ("port.qos.pfc, value: []", "switch.pfc, value: false"):
        result = ran(tmp_path, *FAST, f"{WRONG}, node: leaf1, setting: {setting}")
        assert result.by_port("queues", "xoff_sent") == {}
        assert {name.partition(":")[0] for name in result.by_port("ports", "drops")} == {"leaf1"}


def test_a_switch_with_other_thresholds_marks_otherwise(tmp_path: Path) -> None:
    def marks(*entries: str) -> dict[str, int]:
        return ran(tmp_path, *entries).by_port("queues", "ecn_marks")

    leaf = f"{WRONG}, node: leaf1, class: roce, setting: queue.ecn"
    well = marks()
    assert set(well) == {"leaf1:Ethernet1/1"}
    assert marks(f"{leaf}.enabled, value: false") == {}
    late = marks(f"{leaf}.maximum, value: 60 MB", f"{leaf}.minimum, value: 50 MB")
    assert late == {}
    other_port_marks = marks(f"{WRONG}, port: leaf1:Ethernet2/1, setting: queue.ecn.enabled, value: false")
    assert other_port_marks == well


def test_a_nic_with_another_dscp_is_in_another_class(tmp_path: Path) -> None:
    """Its data leaves by the queue of priority 0, which is lossy and does not mark; that of the others as before."""
    result = ran(tmp_path, f"{WRONG}, port: node2:{NIC}, setting: nic.qos.roce_dscp, value: 0")
    packet_counts = [
        (row["priority"], row["frames"])
        for row in result.result.tables["queues"].to_pylist()
        if row["port"] == 1 and row["frames"] and row["priority"] != 6
    ]
    assert packet_counts == [(0, 1954), (5, 2 * 1954)]


def test_a_nic_without_dcqcn_does_not_slow_down(tmp_path: Path) -> None:
    def took(*entries: str) -> list[int]:
        rows = ran(tmp_path, *entries).result.tables["flows"].to_pylist()
        return [row["end_ps"] for row in rows]

    well = took()
    end_times = took(f"{WRONG}, port: node2:{NIC}, setting: nic.qos.ecn, value: false")
    assert end_times[0] < well[0] * 0.9
    assert end_times[1] > well[1] * 0.99
    assert end_times[2] > well[2] * 0.99


def test_a_failed_spine_carries_nothing_and_is_called_by_its_name(tmp_path: Path) -> None:
    target = tmp_path / "out"
    traffic_file = traffic(tmp_path, f"{TRAFFIC}  - {{kind: link-down, node: spine1, start: 5 us, {TIMES}}}\n")
    result = wirespeed(FABRIC / "cluster.yaml", "-t", str(traffic_file), "-o", str(target), "--format", "json")
    assert result.returncode == Exit.PASSED, result.stderr
    summary = json.loads(result.stdout)
    assert summary["completed"] == summary["flows"] == 32
    assert summary["drops"] > 0
    assert summary["losses"] > 0
    device = dict(
        zip(*pq.read_table(target / "names.parquet", columns=["port", "device"]).to_pydict().values(), strict=True)
    )
    frames = dict(
        zip(*pq.read_table(target / "ports.parquet", columns=["port", "frames"]).to_pydict().values(), strict=True)
    )
    through = {name: sum(frames[port] for port in frames if device[port] == name) for name in ("spine1", "spine2")}
    assert 0 < through["spine1"] < through["spine2"] / 2
    network = open_folder(target).network()
    assert network.names == ("node1", "node2", "node3", "node4", "leaf1", "leaf2", "spine1", "spine2")
    assert {network.names[node] for node in network.switches} == {"leaf1", "leaf2", "spine1", "spine2"}
