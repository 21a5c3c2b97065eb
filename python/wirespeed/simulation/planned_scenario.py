"""Convert plan and traffic to a scenario: every device as rendered, every cable, every queue pair.

Values that the simulator needs and the plan does not contain are those of the preset. They are listed in
`Scenario.assumed`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

from wirespeed import __version__
from wirespeed.errors import Problem, Refusal
from wirespeed.input_files import read_input
from wirespeed.plan import Cable, Plan
from wirespeed.plan.headroom import NS_PER_M
from wirespeed.results.simulation_types import Fault, Source
from wirespeed.simulation import scenario_types as form
from wirespeed.simulation.devices import build_devices
from wirespeed.simulation.faults import (
    CableFault,
    build_rules,
    check,
    find_priority,
    list_unknown_places,
    turn_cables,
    wrongly_set,
)
from wirespeed.simulation.nics import DriverNames
from wirespeed.simulation.plan_names import Names, number_plan
from wirespeed.simulation.workload import Flow, Protocol, Traffic, list_unknown_senders, read_traffic, spread_flows
from wirespeed.simulation.workload.fault_entries import WrongSetting

PRESET = "roce"
"""Preset for values that the plan does not contain."""


class _Connection(TypedDict):
    priority: int
    service: NotRequired[form.Service]
    udp_source_port: NotRequired[int]


class _Ports(TypedDict):
    src_port: int
    dst_port: int


class _Verb(TypedDict, total=False):
    verb: form.Verb


_Posted = tuple[list[form.Flow], list[form.QueuePair], list[form.Operation]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario made from a plan, ready for the core."""

    text: str
    """JSON, which can be saved and run without the plan."""
    names: Names
    assumed: tuple[str, ...]
    """Assumptions for values that the plan does not contain."""
    settings: tuple[Fault, ...]
    """Wrong settings of the traffic file."""

    @property
    def sha256(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class PlannedScenario:
    """A scenario and where it comes from."""

    scenario: Scenario
    source: Source


def plan_scenario(cluster: Path, plan: Plan, traffic: Path, seed: int, driver_names: DriverNames) -> PlannedScenario:
    """The scenario of the traffic file on the plan of the cluster file; ``driver_names``: names of the NICs' drivers.

    Raises:
        Refusal: the traffic cannot be read, or does not fit the plan.
    """
    traffic_entries = read_traffic(
        traffic, lambda names: [*list_unknown_senders(plan, names), *list_unknown_places(plan, names)]
    )
    digest = hashlib.sha256(read_input(cluster)).hexdigest()
    origin = f"from {cluster.name} (sha256 {digest}) and {traffic.name} (sha256 {traffic_entries.sha256})"
    scenario = build_plan_scenario(
        plan, traffic_entries, seed, f"{origin}, seed {seed}, wirespeed {__version__}", driver_names
    )
    source = Source(
        plan=plan.name,
        cluster=cluster.name,
        cluster_sha256=digest,
        catalogue=__version__,
        traffic=traffic.name,
        traffic_sha256=traffic_entries.sha256,
        scenario_sha256=scenario.sha256,
    )
    return PlannedScenario(scenario, source)


def build_plan_scenario(plan: Plan, traffic: Traffic, seed: int, origin: str, driver_names: DriverNames) -> Scenario:
    """The scenario of traffic on a plan.

    ``origin`` names the source files, ``seed`` selects permutations, ``driver_names`` are those of the NICs' drivers.

    Raises:
        Refusal: the traffic does not fit the plan.
    """
    flows = _check_traffic(plan, traffic, seed)
    planned, plan = plan, turn_cables(wrongly_set(plan, traffic, driver_names), traffic.faults)
    names = number_plan(plan)
    devices = build_devices(plan, names, driver_names, traffic)
    rules = build_rules(plan, traffic, names, devices)
    links, assumed = _build_links(plan, names, rules.links)
    sockets, unknown = _build_sockets(plan, flows)
    assumed = (*assumed, *devices.assumed, *unknown)
    posted, connected, operations = _post_flows(flows, [find_priority(planned, plan, flow) for flow in flows], names)
    document: form.Scenario = {
        "name": f"{plan.name} (traffic {traffic.name})",
        "desc": origin,
        "assumed": list(assumed),
        "hosts": len(plan.hosts),
        "switches": len(plan.switches),
        "node_names": list(names.nodes),
        "links": [*links],
        "flows": posted,
        "queue_pairs": connected,
        "operations": operations,
        "parameters": {**_build_framing(links), **sockets, **devices.parameters},
        "devices": [*devices.items, *rules.devices],
        "faults": rules.items,
    }
    nonempty = {key: value for key, value in document.items() if value != []}
    return Scenario(_format_document(nonempty), names, assumed, tuple(_wrong_settings(traffic, names)))


def _check_traffic(plan: Plan, traffic: Traffic, seed: int) -> tuple[Flow, ...]:
    """The flows of traffic whose entries and faults fit the plan; the problems of both are reported together."""
    flows: tuple[Flow, ...] = ()
    problems: list[Problem] = []
    try:
        flows = spread_flows(plan, traffic, seed)
    except Refusal as refusal:
        problems += refusal.problems
    try:
        check(plan, traffic)
    except Refusal as refusal:
        problems += refusal.problems
    if problems:
        raise Refusal(problems)
    return flows


def _wrong_settings(traffic: Traffic, names: Names) -> Iterator[Fault]:
    for fault in traffic.faults:
        if isinstance(fault, WrongSetting):
            place = fault.port or fault.node or ""
            value = fault.value if isinstance(fault.value, str) else json.dumps(fault.value)
            value = "none" if fault.value == [] else value
            of_class = f" of {fault.traffic_class}" if fault.traffic_class else ""
            node = names.node(place.partition(":")[0])
            yield Fault(fault.kind, place, (node,), (), 0.0, None, f"{fault.setting}{of_class} = {value}")


def _build_links(
    plan: Plan, names: Names, faults_by_cable: Mapping[int, CableFault]
) -> tuple[list[form.Cable], tuple[str, ...]]:
    """Every cable: ends, rate, delay, addresses of NICs, and faults."""
    links = [
        _build_link(plan, names, cable, faults_by_cable.get(number, {})) for number, cable in enumerate(plan.cables)
    ]
    assumed = []
    unknown = sum(cable.length is None for cable in plan.cables)
    if unknown:
        assumed.append(f"delay of {unknown:,} of {len(plan.cables):,} cables: 0 ns (no length in the cluster file)")
    if any(cable.cable is None and cable.length is not None for cable in plan.cables):
        assumed.append(f"delay of cables without a known model: {NS_PER_M:g} ns/m (fibre)")
    return links, tuple(assumed)


def _build_link(plan: Plan, names: Names, cable: Cable, fault: CableFault) -> form.Cable:
    gbps = int(cable.speed) / 1e9
    link: form.Cable = {
        "a": names.node(cable.a.device),
        "b": names.node(cable.b.device),
        "gbps": int(gbps) if gbps == int(gbps) else gbps,
        "delay_ns": _delay_ns(plan, cable),
    }
    link["port_names"] = [cable.a.port, cable.b.port]
    addresses = [_find_address(plan, end.device, end.port) for end in (cable.a, cable.b)]
    if any(addresses):
        link["addresses"] = addresses
    return {**link, **fault}


def _build_framing(links: Sequence[form.Cable]) -> form.Parameters:
    """The IP version of the addresses. Frames are not tagged: a VLAN only joins a leaf's port to a host, and leaves
    route between each other."""
    addresses = [address for link in links for address in link.get("addresses", ()) if address]
    return {"framing": {"ip": "ipv6"}} if any(":" in address for address in addresses) else {}


def _build_sockets(plan: Plan, flows: Sequence[Flow]) -> tuple[form.Parameters, tuple[str, ...]]:
    """The MTU of the interfaces, for TCP and UDP flows."""
    if all(flow.protocol is Protocol.RDMA for flow in flows):
        return {}, ()
    mtus = {nic.link.mtu for host in plan.hosts.values() for nic in host.nics.values() if nic.link.mtu}
    if not mtus:
        return {}, ("MTU for TCP and UDP: preset value (not in the cluster file)",)
    several = ", ".join(map(str, sorted(mtus)))
    differing = (f"MTU for TCP and UDP: {min(mtus)} bytes, the smallest of {several}",) if len(mtus) > 1 else ()
    return {"sockets": {"mtu_bytes": min(mtus)}}, differing


def _delay_ns(plan: Plan, cable: Cable) -> int:
    model = plan.hardware.cables.get(cable.cable or "")
    per_m = model.delay_ns_per_m.value if model else NS_PER_M
    return round(per_m * int(cable.length or 0) / 1000)


def _find_address(plan: Plan, device: str, port: str) -> str | None:
    """The source address of a NIC's RoCEv2 packets; switches have none in a scenario."""
    host = plan.hosts.get(device)
    nic = host.nics.get(port) if host else None
    return nic.addresses[0].partition("/")[0] if nic and nic.addresses else None


def _post_flows(flows: Sequence[Flow], priorities: Sequence[int], names: Names) -> _Posted:
    """Queue pairs with one message become flows; others become queue pairs with operations."""
    posted: list[form.Flow] = []
    connected: list[form.QueuePair] = []
    operations: list[form.Operation] = []
    for flow, priority in zip(flows, priorities, strict=True):
        source, target = names.nic(flow.source), names.nic(flow.target)
        connection: _Connection = {"priority": priority}
        if flow.protocol is not Protocol.RDMA:
            connection["service"] = "tcp" if flow.protocol is Protocol.TCP else "udp"
        if flow.udp_source_port is not None:
            connection["udp_source_port"] = flow.udp_source_port
        if flow.messages == 1:
            entry: form.Flow = {"src": source.node, "dst": target.node, "bytes": flow.size}
            if flow.start_ns:
                entry["start_ns"] = flow.start_ns
            ports: _Ports = {"src_port": source.index, "dst_port": target.index}
            posted.append({**entry, **_format_verb(flow), **ports, **connection})
            continue
        # Data goes from source to target, so the target posts reads.
        connected.append(
            {"a": source.node, "b": target.node, "a_port": source.index, "b_port": target.index, **connection}
        )
        operations += _list_messages(flow, len(connected) - 1, len(operations))
    return posted, connected, operations


def _format_verb(flow: Flow) -> _Verb:
    return {"verb": cast(form.Verb, flow.verb)} if flow.protocol is Protocol.RDMA and flow.verb != "write" else {}


def _list_messages(flow: Flow, queue_pair: int, first: int) -> Iterator[form.Operation]:
    for number in range(flow.messages):
        time_ns = flow.start_ns + (flow.every_ns or 0) * number
        operation: form.Operation = {"queue_pair": queue_pair, "bytes": flow.size}
        if flow.verb == "read":
            operation["side"] = "b"
        operation = {**operation, **_format_verb(flow)}
        if time_ns:
            operation["at_ns"] = time_ns
        if flow.every_ns is None and number:
            operation["after"] = [first + number - 1]
        yield operation


def _format_document(document: Mapping[str, Any]) -> str:
    """JSON for readers: one list item or section of parameters per line."""

    def format_json(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    lines = []
    for key, value in document.items():
        if isinstance(value, list) and key != "node_names":
            body = ",\n".join(f"    {format_json(element)}" for element in value)
            lines.append(f"  {format_json(key)}: [\n{body}\n  ]")
        elif isinstance(value, dict):
            body = ",\n".join(f"    {format_json(name)}: {format_json(section)}" for name, section in value.items())
            lines.append(f"  {format_json(key)}: {{\n{body}\n  }}")
        else:
            lines.append(f"  {format_json(key)}: {format_json(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
