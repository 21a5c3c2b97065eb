"""Every setting that a fault may get wrong, on one device: what the scenario then contains, and for which device.

What each of these parameters does in a run is tested beside the core; here it is held that the setting reaches it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from planned_scenarios import ONE_SWITCH, build_scenario, resolve_parameters

from wirespeed.cluster import read, read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build
from wirespeed.simulation.faults.settings import SIMULATED

FABRIC = Path(__file__).parents[2] / "examples" / "arista-leaf-spine" / "cluster.yaml"
SLOTS = """\
version: 1
name: slots
hosts:
  node[1-2]: {model: dell-r6525, os: ubuntu-22.04, nics: 1 x nvidia-mcx623105an-vdat, nvm: {outstanding_reads: 2}}
switches:
  leaf1: {model: arista-7060dx5-64s, os: eos, role: leaf}
cabling: {pattern: by-host, length: 3 m}
addresses: {scheme: link-31, pool: 10.1.0.0/16}
classes:
  roce: {dscp: 26, priority: 3, lossless: true, share: 50%, nic: {buffer: 1, buffer_size: 262016 B}}
  cnp: {dscp: 48, priority: 6, strict: true}
"""
OF_SWITCHES = ("switch", "ecmp", "marking")
OF_HOSTS = ("nic", "transport", "notification", "congestion")
TRAFFIC = "version: 1\ntraffic:\n  - {pattern: permutation, size: 64 kB}\n"


@functools.cache
def plan(name: str) -> Plan:
    match name:
        case "fabric":
            return build(read(FABRIC))
        case "slots":
            return build(read_text(SLOTS, "slots.yaml"))
        case _:
            return build(read_text(ONE_SWITCH.format(model="juniper-qfx5240-64od", system="junos"), "one.yaml"))


@functools.cache
def planned_document(name: str, folder: Path) -> dict[str, Any]:
    return build_scenario(plan(name), folder, TRAFFIC)[1]


def flat(tree: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves by their dotted names."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


@dataclass(frozen=True)
class ScenarioChange:
    """What differs of a scenario: parameters with their new values, and whose ports have them."""

    parameters: dict[str, Any]
    devices: set[str]


def change_setting(name: str, folder: Path, entry: str) -> ScenarioChange:
    before = planned_document(name, folder)
    after = build_scenario(plan(name), folder, f"{TRAFFIC}faults:\n  - {{kind: wrong-setting, {entry}}}\n")[1]
    parameters: dict[str, Any] = {}
    devices = set()
    for number, link in enumerate(before["links"]):
        for port, node in ((2 * number, link["a"]), (2 * number + 1, link["b"])):
            for priority in range(8):
                planned, wrong = (
                    dict(flat(resolve_parameters(document, port, priority))) for document in (before, after)
                )
                of_others = OF_SWITCHES if node < before["hosts"] else OF_HOSTS
                changes = {
                    name: value
                    for name, value in wrong.items()
                    if name.partition(".")[0] not in of_others and planned.get(name, ...) != value
                }
                parameters |= changes
                devices |= {before["node_names"][node]} if changes else set()
    return ScenarioChange(parameters, devices)


ROWS = {
    "switch.pfc": ("fabric", "node: leaf1", "false", {"pfc.lossless_priorities": 0, "switch.headroom.bytes": 237236}),
    "switch.watchdog_poll": ("fabric", "node: leaf1", "100 ms", {"pfc.watchdog.poll_ns": 100000000}),
    "switch.load_balancing.mode": ("junos", "node: leaf1", "per-packet", {"ecmp.adaptive_gap_ns": 0}),
    "switch.load_balancing.flowlet_gap": ("junos", "node: leaf1", "16 us", {"ecmp.adaptive_gap_ns": 16000}),
    "switch.buffers.lossless_share": (
        "junos",
        "node: leaf1",
        "30",
        {"switch.pools.lossless_percent": 30, "marking.kmin_bytes": 12706366, "marking.kmax_bytes": 20792236},
    ),
    "switch.buffers.lossy_share": ("junos", "node: leaf1", "5", {"switch.pools.lossy_percent": 5}),
    "switch.buffers.headroom_share": ("junos", "node: leaf1", "5", {"switch.shared_headroom.percent": 5}),
    "switch.buffers.shared_headroom": (
        "fabric",
        "node: leaf1",
        "10 MB",
        {"switch.shared_headroom.rule": "fixed", "switch.shared_headroom.bytes": 10000000},
    ),
    "switch.buffers.dynamic_threshold": (
        "junos",
        "node: leaf1",
        "5",
        {"switch.alpha_exponent": -2, "marking.kmin_bytes": 6289651, "marking.kmax_bytes": 10292157},
    ),
    "port.cable_length": ("fabric", "node: leaf1", "300 m", {"switch.headroom.bytes": 675640}),
    "port.qos.pfc": ("fabric", "node: leaf1", "[]", {"pfc.lossless_priorities": 0, "switch.headroom.bytes": 237236}),
    "port.qos.watchdog.enabled": ("fabric", "node: leaf1", "false", {"pfc.watchdog": None}),
    "port.qos.watchdog.action": ("fabric", "node: leaf1", "forward", {"pfc.watchdog.action": "forward"}),
    "port.qos.watchdog.detect": ("fabric", "node: leaf1", "300 ms", {"pfc.watchdog.detection_ns": 300000000}),
    "port.qos.watchdog.restore": ("fabric", "node: leaf1", "500 ms", {"pfc.watchdog.restoration_ns": 500000000}),
    "queue.discipline": ("fabric", "node: leaf1, class: roce", "strict", {"scheduler.strict_priorities": 96}),
    "queue.weight": (
        "fabric",
        "node: leaf1, class: roce",
        "10",
        {"scheduler.weights": [50, 10, 10, 10, 10, 10, 10, 10]},
    ),
    "queue.ecn.enabled": ("fabric", "node: leaf1, class: roce", "false", {"marking.enabled": False}),
    "queue.ecn.minimum": ("fabric", "node: leaf1, class: roce", "10 kB", {"marking.kmin_bytes": 10000}),
    "queue.ecn.maximum": ("fabric", "node: leaf1, class: roce", "9 MB", {"marking.kmax_bytes": 9000000}),
    "queue.ecn.minimum_fill": ("junos", "node: leaf1, class: roce", "1", {"marking.kmin_bytes": 508254}),
    "queue.ecn.maximum_fill": ("junos", "node: leaf1, class: roce", "99", {"marking.kmax_bytes": 50317212}),
    "queue.ecn.probability": ("fabric", "node: leaf1, class: roce", "1", {"marking.pmax": 0.01}),
    "nic.qos.pfc": ("fabric", "node: node2", "[]", {"pfc.lossless_priorities": 0}),
    "nic.qos.cnp_priority": ("fabric", "node: node2", "0", {"notification.priority": 0}),
    "nic.qos.ecn": ("fabric", "node: node2", "false", {"congestion.algorithm": "line-rate"}),
    "nic.qos.ecn_priorities": ("fabric", "node: node2", "[4]", {"congestion.algorithm": "line-rate"}),
    "nic.qos.congestion": (
        "fabric",
        "node: node2",
        "dcqcn-d",
        {"congestion.algorithm": "dcqcn-d", "notification.interval_ns": 0},
    ),
    "nic.qos.congestion_parameters": ("fabric", "node: node2", "{g: 3}", {"congestion.g": 3}),
    "nic.qos.priority_tc": ("fabric", "node: node2", "{5: 0}", {"scheduler.strict_priorities": 0}),
    "nic.qos.tc_discipline": ("fabric", "node: node2", "{1: strict}", {"scheduler.strict_priorities": 32}),
    "nic.qos.tc_share": ("fabric", "node: node2", "{1: 5}", {"scheduler.weights": [50, 5, 5, 5, 5, 5, 5, 5]}),
    "nic.qos.buffer_size": (
        "slots",
        "node: node2",
        "{1: 131072 B}",
        {"nic.pipe.receive_buffer_bytes": 131072, "nic.pipe.xoff_bytes": 45382, "nic.pipe.xon_bytes": 36382},
    ),
    "nic.nvm.relaxed_ordering": (
        "slots",
        "node: node2",
        "false",
        {"nic.pipe.pcie.ordered_writes.rule": "measured", "nic.pipe.pcie.ordered_writes.bps": 150000000000},
    ),
    "nic.nvm.outstanding_reads": ("slots", "node: node2", "1", {"nic.pipe.pcie.reads.tags": 1}),
    "pcie.max_payload": ("slots", "node: node2", "128", {"nic.pipe.pcie.max_payload_bytes": 128}),
    "pcie.max_read_request": ("slots", "node: node2", "512", {"nic.pipe.pcie.reads.max_read_request_bytes": 512}),
    "pcie.relaxed_ordering": (
        "slots",
        "node: node2",
        "false",
        {"nic.pipe.pcie.ordered_writes.rule": "measured", "nic.pipe.pcie.ordered_writes.bps": 150000000000},
    ),
}
"""By setting: the cluster, the wrong device, the value, and what the scenario then contains."""
_OF_FLOWS = {"nic.qos.roce_dscp"}


@pytest.mark.parametrize("setting", ROWS)
def test_a_wrong_setting_is_that_of_the_device_alone(setting: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    name, location, value, expected = ROWS[setting]
    found = change_setting(name, tmp_path_factory.getbasetemp(), f"{location}, setting: {setting}, value: {value}")
    assert found.parameters == expected
    assert found.devices == {location.removeprefix("node: ").partition(",")[0]}


def test_every_setting_is_tried() -> None:
    assert set(ROWS) | _OF_FLOWS == set(SIMULATED)


def test_a_pcie_function_is_that_of_its_nic(tmp_path: Path) -> None:
    """By the name of the port; the other NIC of the host has its changes."""
    few_reads = "2 x nvidia-mcx613106a-vdat, nvm: {outstanding_reads: 2}"
    text = ONE_SWITCH.format(model="arista-7060dx5-64s", system="eos").replace(
        "2 x broadcom-bcm957608-p1400gd", few_reads
    )
    fault = "{kind: wrong-setting, port: node2:enp67s0f0np0, setting: pcie.max_read_request, value: 512}"
    _, document = build_scenario(build(read_text(text, "one.yaml")), tmp_path, f"{TRAFFIC}faults:\n  - {fault}\n")
    reads = [resolve_parameters(document, port, 3)["nic"]["pipe"]["pcie"]["reads"] for port in (0, 2, 4, 6)]
    assert [entry["max_read_request_bytes"] for entry in reads] == [4096, 4096, 4096, 512]


def test_data_of_another_dscp_is_in_the_class_of_that(tmp_path: Path) -> None:
    """Of the named NIC: its flows are of priority 0 then, whose queues are lossy."""
    fault = f"{TRAFFIC}faults:\n  - {{kind: wrong-setting, node: node2, setting: nic.qos.roce_dscp, value: 0}}\n"
    flows = build_scenario(plan("fabric"), tmp_path, fault)[1]["flows"]
    assert {(flow["src"] == 1, flow["priority"]) for flow in flows} == {(True, 0), (False, 5)}


def test_an_unset_value_is_not_taken_from_other_devices(tmp_path: Path) -> None:
    """One NIC with DCQCN-P among NICs with DCQCN-D, which send a CNP per mark: its CNPs follow the preset."""
    step = build(
        read_text(ONE_SWITCH.format(model="arista-7060dx5-64s", system="eos").replace("dcqcn-p", "dcqcn-d"), "one.yaml")
    )
    fault = "{kind: wrong-setting, port: node2:enp29s0np0, setting: nic.qos.congestion, value: dcqcn-p}"
    _, document = build_scenario(step, tmp_path, f"{TRAFFIC}faults:\n  - {fault}\n")
    parameters = {port: resolve_parameters(document, port, 3) for port in range(0, 8, 2)}
    assert parameters[4]["congestion"] == {"algorithm": "dcqcn-p"}
    assert [parameters[port]["notification"].get("interval_ns") for port in (0, 2, 4, 6)] == [0, 0, None, 0]


def test_why_a_setting_does_not_act(tmp_path: Path) -> None:
    """A setting without effect is refused with the reason."""
    rows = {
        ("fabric", "nic.nvm.relaxed_ordering, value: false"): "writes with strict ordering in "
        "dell-r740-xeon-5218: not limited (the rate of its CPU is not known)",
        ("fabric", "nic.nvm.outstanding_reads, value: 250"): "others override it",
    }
    for (name, entry), hint in rows.items():
        with pytest.raises(Refusal) as refusal:
            change_setting(name, tmp_path, f"node: node2, setting: {entry}")
        assert str(refusal.value).endswith(f"expected a setting that acts here\n  hint: {hint}")
