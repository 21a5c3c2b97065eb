"""That the simulator runs what devices do once they have the rendered settings.

A device with the planned settings answers every command of its platforms, and the answers are read back: with the
units, roundings and queues that it has. Every quantity of the scenario is compared with that, port by port and class by
class, by rules of this file; none is taken from the plan that the scenario is made from.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from planned_scenarios import build_scenario, resolve_parameters, shown_headroom

from platforms.round_trip import answers
from wirespeed.catalogue import load
from wirespeed.cluster import read_text
from wirespeed.facts import Facts, assemble_facts
from wirespeed.plan import Plan, build
from wirespeed.render.stack import stack
from wirespeed.settings import Congestion, Discipline, Place, Queue, TrafficClass
from wirespeed.units import Duration

EXAMPLES = Path(__file__).parents[2] / "examples"
CATALOGUE = load()
TRAFFIC = "version: 1\ntraffic:\n  - {pattern: permutation, size: 4 kB}\n"
SHARED = EXAMPLES / "mi300x-4node" / "cluster.yaml"
LEAF = r"leaf1: \{model: [^,]+, os: [^,]+,"


def clusters() -> dict[str, str]:
    """Every example, the large ones aside, and one with a leaf of every model and system."""
    files = (path for path in sorted(EXAMPLES.glob("*/cluster*.yaml")) if "scale" not in path.parts[-2])
    texts = {f"{path.parts[-2]} {path.stem}": path.read_text(encoding="utf-8") for path in files}
    for model, switch_model in CATALOGUE.switches.items():
        hosts = min(4, switch_model.ports.value // 8)
        for system in switch_model.lossless_systems:
            text, replaced = re.subn(
                LEAF, f"leaf1: {{model: {model}, os: {system},", SHARED.read_text(encoding="utf-8")
            )
            assert replaced == 1
            text = text.replace("node[1-4]", f"node[1-{hosts}]")
            texts[f"{model} {system}"] = text
            if system == "cumulus":  # the shares of others come with their systems
                shares = f"os: {system}, buffers: {{lossless_share: 90%, lossy_share: 10%}},"
                texts[f"{model} {system} divided"] = text.replace(f"os: {system},", shares)
    return texts


CLUSTERS = clusters()


class Devices:
    """Settings of the devices of a plan; one of each role represents the others."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.compared: Counter[str] = Counter()
        self.first = {role: name for name, role in reversed(plan.roles.items())}.values()
        self._facts: dict[str, Facts] = {}

    def facts(self, name: str) -> Facts:
        if name not in self._facts:
            device = self.plan.devices[name]
            read = (
                entry
                for platform in stack(self.plan, name)
                if platform.kind != "launcher"
                for entry in platform.parse(answers(platform, name, device))
            )
            self._facts[name] = assemble_facts(list(read), devices=[name])
        return self._facts[name]

    def planned_queue(self, place: Place) -> Queue:
        """A queue of a switch port; the only value taken from the plan."""
        (_, port), (_, queue) = place.entities
        return self.plan.switches[place.device].ports[port].queues[queue]

    def value(self, place: Place, path: str) -> Any:
        return self.facts(place.device).value(place, path)

    def reads(self, device: str, path: str) -> bool:
        return any(platform.support(path).read for platform in stack(self.plan, device))

    def compare(self, subject: str, found_value: object, expected: object) -> None:
        assert found_value == expected, subject
        self.compared[subject.partition(" ")[0]] += 1


@pytest.mark.slow
@pytest.mark.parametrize("name", CLUSTERS)
def test_every_quantity_is_that_of_the_device(name: str, tmp_path: Path) -> None:
    plan = build(read_text(CLUSTERS[name], "cluster.yaml"), CATALOGUE)
    scenario, document = build_scenario(plan, tmp_path, TRAFFIC)
    compared = compare_devices(plan, document, scenario.assumed)
    expected = {"pfc", "strict", "weight", "watchdog", "balance"} if plan.switches else set()
    if plan.switches and any(traffic_class.congestion for traffic_class in plan.classes.values()):
        expected |= {"marking", "nic-pfc", "nic-cnp", "nic-congestion"}
    if any(switch.buffers.lossless_share or switch.buffers.lossy_share for switch in plan.switches.values()):
        expected.add("pools")
    if any(entry.name.startswith("headroom of a lossless") for entry in plan.computed):
        expected.add("headroom")
    assert compared.keys() >= expected


USUAL, DIVIDED = "mi300x-4node cluster", "juniper-qfx5240-64od junos"
WRONG = {
    "headroom": ("switch", "headroom", {"rule": "fixed", "bytes": 225_552}),
    "buffer": ("switch", "buffer_bytes", 119_000_000),
    "pools": ("switch", "pools", {"lossless_percent": 66, "lossy_percent": 11}),
    "shared headroom": ("switch", "shared_headroom", {"rule": "share", "percent": 23}),
    "one pool": ("switch", "pools", None),
    "threshold": ("switch", "alpha_exponent", 0),
    "marking": ("marking", "kmax_bytes", 2_098_000),
    "probability": ("marking", "pmax", 0.06),
    "PFC": ("pfc", "lossless_priorities", 0),
    "watchdog": ("pfc", "watchdog", None),
    "strict priorities": ("scheduler", "strict_priorities", 0),
    "weights": ("scheduler", "weights", [50, 50, 50, 49, 50, 50, 50, 50]),
    "balance": ("ecmp", "balance", "adaptive"),
    "CNPs": ("notification", "priority", 6),
    "algorithm": ("congestion", "algorithm", "dcqcn-d"),
    "MTU": ("transport", "mtu_bytes", 1024),
}

OF_DIVIDED = ("pools", "shared headroom", "one pool", "threshold")


@pytest.mark.slow
@pytest.mark.parametrize("subject", WRONG)
def test_a_scenario_with_other_values_does_not_pass(subject: str, tmp_path: Path) -> None:
    section, key, value = WRONG[subject]
    plan = build(read_text(CLUSTERS[DIVIDED if subject in OF_DIVIDED else USUAL], "cluster.yaml"), CATALOGUE)
    scenario, document = build_scenario(plan, tmp_path, TRAFFIC)
    compare_devices(plan, document, scenario.assumed)
    change_count = 0
    for tree in (document["parameters"], *(device["parameters"] for device in document["devices"])):
        if tree.get(section, {}).get(key, value) != value:
            tree[section][key] = value
            change_count += 1
    assert change_count
    with pytest.raises(AssertionError):
        compare_devices(plan, document, scenario.assumed)


def compare_devices(plan: Plan, document: Any, assumptions: tuple[str, ...]) -> Counter[str]:
    """The scenario against one device of each role; the number of comparisons by quantity."""
    devices = Devices(plan)
    nodes = (*plan.hosts, *plan.switches)
    for number, cable in enumerate(plan.cables):
        link = document["links"][number]
        for side, end in enumerate((cable.a, cable.b)):
            if end.device not in devices.first:
                continue
            port = 2 * number + side
            assert nodes[link["ab"[side]]] == end.device
            if end.device in plan.switches:
                switch_port(devices, document, port, Place(end.device).child("port", end.port), assumptions)
            else:
                nic_port(devices, document, port, Place(end.device).child("nic", end.port), link, side)
    return devices.compared


def switch_port(devices: Devices, document: Any, port: int, place: Place, assumptions: tuple[str, ...]) -> None:
    """Classification, queues, marking, PFC, scheduling and watchdog of a switch port."""

    def value(path: str, entity: Place = place) -> Any:
        return devices.value(entity, path)

    switch = Place(place.device)
    pfc = value("port.qos.pfc") or frozenset()
    if devices.reads(place.device, "switch.pfc") and value("switch.pfc", switch) is False:
        pfc = frozenset()
    weights: dict[int, int] = {}
    for traffic_class in devices.plan.classes.values():
        priority = int(traffic_class.priority)
        queue = find_queue(devices, place, traffic_class)
        parameters = resolve_parameters(document, port, priority)
        marking(devices, f"marking {place} priority {priority}", parameters["marking"], queue, assumptions)
        devices.compare(f"pfc {place}", parameters["pfc"]["lossless_priorities"] >> priority & 1, int(priority in pfc))
        assert traffic_class.lossless == (priority in pfc), "a class is paused exactly where it is lossless"
        discipline = value("queue.discipline", queue)
        devices.compare(
            f"strict {place} priority {priority}",
            parameters["scheduler"]["strict_priorities"] >> priority & 1,
            int(discipline is Discipline.STRICT),
        )
        weight = value("queue.weight", queue)
        if discipline is not Discipline.STRICT and weight is not None:
            weights[priority] = weight
            assert parameters["scheduler"]["weights"][priority] == weight, f"weight {place} priority {priority}"
            devices.compared["weight"] += 1
    compare_watchdog(devices, document, port, place)
    compare_buffer(devices, document, port, place)
    mode = value("switch.load_balancing.mode", switch)
    balance = resolve_parameters(document, port, 0)["ecmp"]
    devices.compare(f"balance {place}", balance["balance"], "flow" if mode in (None, "static") else "adaptive")
    if mode == "flowlet" and devices.reads(place.device, "switch.load_balancing.flowlet_gap"):
        gap = value("switch.load_balancing.flowlet_gap", switch)
        devices.compare(f"gap {place}", balance["adaptive_gap_ns"] * 1000, int(gap))
    speed = value("port.link.speed")
    if speed is not None:
        devices.compare(f"speed {place}", document["links"][port // 2]["gbps"] * 10**9, int(speed))


def find_queue(devices: Devices, place: Place, traffic_class: TrafficClass) -> Place:
    """The egress queue that packets of a class wait in, by the maps of the device; all its code points in one, which
    the pause of its priority stops, and whose ingress group sends that pause."""
    maps = {name: devices.value(place, f"port.qos.{name}") for name in ("dscp_tc", "tc_queue", "tc_pg", "pfc_queue")}
    classes = {maps["dscp_tc"][dscp] for dscp in traffic_class.dscp}
    queues = {int(maps["tc_queue"][tc]) for tc in classes}
    assert len(queues) == 1, f"{place}: {queues}"
    (queue,) = queues
    if traffic_class.lossless and maps["pfc_queue"] is not None:
        assert int(maps["pfc_queue"][traffic_class.priority]) == queue
    groups = devices.value(place, "port.qos.pfc_pg")
    if traffic_class.lossless and groups is not None and maps["tc_pg"] is not None:
        assert {int(maps["tc_pg"][tc]) for tc in classes} == {int(groups[traffic_class.priority])}
    return place.child("queue", str(queue))


def marking(devices: Devices, subject: str, found_value: Any, queue: Place, assumptions: tuple[str, ...]) -> None:
    """Bytes, or percent of a buffer that the scenario has had to assume. What a system marks by default is not planned,
    and parameters not to be simulated."""
    if not found_value["enabled"] and devices.planned_queue(queue).ecn.enabled is None:
        return
    if not devices.value(queue, "queue.ecn.enabled"):
        devices.compare(subject, found_value["enabled"], False)
        return
    devices.compare(subject, found_value["enabled"], True)
    probability = devices.value(queue, "queue.ecn.probability")
    devices.compare(subject, found_value["pmax"], (100 if probability is None else probability) / 100)
    low, high = devices.value(queue, "queue.ecn.minimum"), devices.value(queue, "queue.ecn.maximum")
    if low is not None and high is not None:
        devices.compare(subject, (found_value["kmin_bytes"], found_value["kmax_bytes"]), (int(low), int(high)))
        assert found_value["reference_gbps"] is None, "bytes of this port, not of another speed"
        return
    low, high = devices.value(queue, "queue.ecn.minimum_fill"), devices.value(queue, "queue.ecn.maximum_fill")
    assert any(entry.startswith("ECN thresholds of ") for entry in assumptions)
    assert found_value["kmin_bytes"] / found_value["kmax_bytes"] == pytest.approx(low / high, rel=1e-6)
    devices.compared["marking"] += 1


def compare_buffer(devices: Devices, document: Any, port: int, place: Place) -> None:
    """Headroom as the plan shows it to a reader; buffer, cells and slices of as many chips as the ports need."""
    cable = devices.plan.cables[port // 2]
    headroom = shown_headroom(devices.plan, place.device, dict(place.entities)["port"], cable)
    lossless = [class_ for class_ in devices.plan.classes.values() if class_.lossless]
    switch = resolve_parameters(document, port, int(lossless[0].priority) if lossless else 0)["switch"]
    if headroom is not None and lossless:
        parameters = resolve_parameters(document, port, int(lossless[0].priority))["switch"]["headroom"]
        devices.compare(f"headroom {place}", f"{parameters['bytes']:,} B", headroom.partition(" (")[0])
    model = CATALOGUE.switches[devices.plan.switches[place.device].model or ""]
    chip = CATALOGUE.chips.get(model.chip)
    count = -(-model.ports.value * model.speed.value // chip.capacity.value) if chip and chip.capacity else 1
    for key, reading, times in (
        ("buffer_bytes", chip and chip.buffer, count),
        ("slices", chip and chip.slices, count),
        ("cell_bytes", chip and chip.cell, 1),
    ):
        if reading:
            devices.compare(f"{key} {place}", switch[key], int(reading.value) * times)
    compare_pools(devices, place, switch)
    step = devices.value(Place(place.device), "switch.buffers.dynamic_threshold")
    if lossless and step is not None:  # alpha 0 to 10 of the chip, 1/128 to 8
        devices.compare(f"threshold {place}", 2.0 ** switch["alpha_exponent"], 2**step / 128)
    devices.compare(f"voq {place}", switch["architecture"]["rule"] == "voq", bool(chip and chip.credit))


def compare_pools(devices: Devices, place: Place, found_value: Any) -> None:
    """The pools of the buffer, where a device reports them."""
    location = Place(place.device)

    def value(name: str) -> Any:
        path = f"switch.buffers.{name}"
        return devices.value(location, path) if devices.reads(place.device, path) else None

    for name in ("lossless", "lossy"):
        share = value(f"{name}_share")
        if share is not None:
            devices.compare(f"pools {place}", (found_value.get("pools") or {}).get(f"{name}_percent"), share)
    shared, fixed = value("headroom_share"), value("shared_headroom")
    if shared is not None:
        devices.compare(f"pools {place}", found_value.get("shared_headroom"), {"rule": "share", "percent": shared})
    elif fixed is not None:
        devices.compare(f"pools {place}", found_value.get("shared_headroom"), {"rule": "fixed", "bytes": int(fixed)})
    else:
        devices.compare(f"one-headroom {place}", found_value.get("shared_headroom"), None)
    if value("lossless_share") is None and value("lossy_share") is None:
        # Of these systems, only Cumulus Linux creates separate pools: half and half, by its RoCE mode.
        system_pools = {"lossless_percent": 50, "lossy_percent": 50}
        by_itself = devices.plan.switches[place.device].os == "cumulus" and value("lossless")
        devices.compare(f"one-pool {place}", found_value.get("pools"), system_pools if by_itself else None)


def compare_watchdog(devices: Devices, document: Any, port: int, place: Place) -> None:
    """The PFC watchdog, where it drops or forwards."""
    parameters = resolve_parameters(document, port, 0)["pfc"]["watchdog"]

    def value(name: str) -> Any:
        return devices.value(place, f"port.qos.watchdog.{name}")

    action = value("action")
    if not value("enabled") or action is None or action.value not in ("drop", "forward"):
        devices.compare(f"watchdog {place}", parameters, None)
        return
    assert parameters is not None, f"watchdog {place}"
    detect, restore = value("detect"), value("restore")
    poll = devices.value(Place(place.device), "switch.watchdog_poll")
    devices.compare(f"watchdog {place}", parameters["action"], action.value)
    if detect is not None:
        devices.compare(f"watchdog {place}", Duration(parameters["detection_ns"] * 1000), detect)
        devices.compare(f"watchdog {place}", Duration(parameters["restoration_ns"] * 1000), restore or detect)
    if poll is not None:
        devices.compare(f"watchdog {place}", Duration(parameters["poll_ns"] * 1000), poll)


def nic_port(devices: Devices, document: Any, port: int, place: Place, link: Any, side: int) -> None:
    """PFC, scheduling, notification, congestion control, MTU and address of a NIC."""

    def value(name: str) -> Any:
        return devices.value(place, f"nic.{name}")

    def compare(name: str, found_value: object, path: str, expected: object) -> None:
        if devices.reads(place.device, f"nic.{path}") and value(path) is not None:
            devices.compare(f"{name} {place}", found_value, expected)

    lossless = value("qos.pfc")
    parameters = resolve_parameters(document, port, 0)
    compare(
        "nic-pfc", parameters["pfc"]["lossless_priorities"], "qos.pfc", sum(1 << int(entry) for entry in lossless or ())
    )
    data = value("qos.roce_priority")
    priorities = {flow["priority"] for flow in document["flows"]}
    compare("nic-priority", priorities, "qos.roce_priority", {int(data or 0)})
    if data is not None:
        of_data = resolve_parameters(document, port, int(data))
        compare(
            "nic-cnp", of_data.get("notification", {}).get("priority"), "qos.cnp_priority", value("qos.cnp_priority")
        )
        congestion(devices, f"nic-congestion {place}", of_data, place)
    tcs = value("qos.priority_tc")
    disciplines = value("qos.tc_discipline")
    for traffic_class in devices.plan.classes.values():
        if tcs is None or disciplines is None or traffic_class.priority not in tcs:
            continue
        strict = disciplines.get(tcs[traffic_class.priority]) is Discipline.STRICT
        bit = parameters["scheduler"]["strict_priorities"] >> int(traffic_class.priority) & 1
        devices.compare(f"nic-strict {place} priority {traffic_class.priority}", bit, int(strict))
        share = (value("qos.tc_share") or {}).get(tcs[traffic_class.priority])
        if share and not strict:
            assert parameters["scheduler"]["weights"][int(traffic_class.priority)] == share, f"nic-weight {place}"
            devices.compared["nic-weight"] += 1
    compare("nic-mtu", document["parameters"]["transport"].get("mtu_bytes"), "rdma_mtu", value("rdma_mtu"))
    compare("nic-speed", link["gbps"] * 10**9, "link.speed", int(value("link.speed") or 0))
    addresses = value("addresses")
    compare("nic-address", link["addresses"][side], "addresses", addresses and addresses[0].partition("/")[0])


def congestion(devices: Devices, subject: str, found_value: Any, place: Place) -> None:
    """The algorithm that the NIC reports; its parameters by name and value."""
    runs = devices.value(place, "nic.qos.congestion")
    is_enabled = devices.value(place, "nic.qos.ecn")
    algorithm = found_value["congestion"]["algorithm"]
    if is_enabled is False:
        devices.compare(subject, algorithm, "line-rate")
    elif runs is Congestion.DCQCN_D:
        devices.compare(subject, algorithm, "dcqcn-d")
    elif runs is Congestion.DCQCN_P:
        devices.compare(subject, algorithm in ("dcqcn-p", "dcqcn-nvidia", "dcqcn"), True)
    parameters = devices.value(place, "nic.qos.congestion_parameters") or {}
    for name, value in found_value["congestion"].items():
        plain = name.removesuffix("_us").removesuffix("_mbps").removesuffix("_bytes").removesuffix("_percent")
        if name != "algorithm" and plain in parameters:
            devices.compare(subject, int(value), parameters[plain])
