"""Settings of a plan's devices, as ``parameters`` and ``devices`` of a scenario.

Switches (`switches.py`) and NICs (`nics.py`) have the values that their platforms can configure. The settings of most
ports are in ``parameters``; deviations are items of ``devices``: for whole nodes if all of their ports agree, otherwise
for ports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from wirespeed.plan import End, Plan
from wirespeed.settings import DistinctValues, NicQos, PortQos, Queue
from wirespeed.simulation import scenario_types as form
from wirespeed.simulation.host_pipe import build_pipes
from wirespeed.simulation.nics import DriverNames, PortSettings, bits, nic_port
from wirespeed.simulation.parameters import (
    Text,
    difference,
    find_most_common,
    from_text,
    merge,
    select_section,
    to_text,
)
from wirespeed.simulation.plan_names import Names
from wirespeed.simulation.switches import Switches
from wirespeed.simulation.workload import Traffic


@dataclass(frozen=True, slots=True)
class Devices:
    """Settings of all devices, and the assumptions made for them."""

    parameters: form.Parameters
    items: list[form.Device]
    assumed: tuple[str, ...]


class _Targets(TypedDict, total=False):
    nodes: list[int]
    ports: list[form.Port]
    priorities: list[int]


@dataclass(slots=True)
class _Settings:
    """Parameters by node, by port, and by priorities and port."""

    nodes: dict[int, Text] = field(default_factory=dict)
    ports: dict[int, Text] = field(default_factory=dict)
    priorities: dict[tuple[int, ...], dict[int, Text]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Port:
    """Parameters of a port, and of some of its priorities."""

    parameters: Text
    of_priorities: dict[tuple[int, ...], Text]


def build_devices(plan: Plan, names: Names, driver_names: DriverNames, traffic: Traffic | None = None) -> Devices:
    """The settings of a plan's devices.

    ``names`` numbers its nodes and ports, ``driver_names`` are the names of the NICs' drivers, ``traffic`` may contain
    more about NICs.

    Raises:
        Refusal: the traffic file does not fit; with its line.
    """
    return _DeviceBuilder(plan, names, driver_names, traffic).devices()


class _DeviceBuilder:
    """Collects settings and assumptions."""

    def __init__(self, plan: Plan, names: Names, driver_names: DriverNames, traffic: Traffic | None) -> None:
        self._plan, self._names, self._driver_names, self._traffic = plan, names, driver_names, traffic
        self._assumed: dict[str, None] = {}
        self._of_switches = Switches(plan, self._add_assumption)
        self._switches, self._hosts = _Settings(), _Settings()
        self._nic_qos: DistinctValues[NicQos] = DistinctValues()
        self._port_qos: DistinctValues[PortQos] = DistinctValues()
        self._queues: DistinctValues[Mapping[str, Queue]] = DistinctValues()
        self._ports_by_form: dict[tuple[object, ...], _Port] = {}
        self._differences: dict[tuple[Text, Text], Text] = {}
        self._below: dict[Text, Text] = {}
        self._piped: dict[tuple[Text, Text], Text] = {}

    def devices(self) -> Devices:
        for name, switch in self._plan.switches.items():
            self._switches.nodes[self._names.node(name)] = to_text(self._of_switches.node(name, switch))
        for port, _, end in self._names.ports():
            settings = self._switches if end.device in self._plan.switches else self._hosts
            port_settings = self._build_port(end)
            settings.ports[port] = port_settings.parameters
            for priorities, text in port_settings.of_priorities.items():
                settings.priorities.setdefault(priorities, {})[port] = text
        for port, pipe in build_pipes(self._plan, self._names, self._traffic, self._add_assumption).items():
            self._hosts.ports[port] = self._add_pipe(self._hosts.ports[port], pipe)
        if self._plan.switches:
            self._of_switches.assume_hash()
        parameters = self._find_common_settings()
        base = to_text(parameters)
        items = [
            *self._node_items(self._switches.nodes, base),
            *self._port_items(self._switches.ports, base, None),
            *self._port_items(self._hosts.ports, base, None),
        ]
        for settings in (self._switches, self._hosts):
            for priorities, texts in settings.priorities.items():
                items += self._port_items(texts, base, priorities)
        return Devices(parameters, items, tuple(self._assumed))

    def _build_port(self, end: End) -> _Port:
        """Settings of a port, computed once for ports with equal settings in the plan."""
        key: tuple[object, ...]
        switch = self._plan.switches.get(end.device)
        if switch is None:
            nic = self._plan.hosts[end.device].nics[end.port]
            key = (self._nic_qos.number(nic.qos), nic.model, nic.driver.name, nic.link.speed)
            if key not in self._ports_by_form:
                self._ports_by_form[key] = _convert_port(
                    nic_port(self._plan, nic, self._driver_names, self._add_assumption)
                )
            return self._ports_by_form[key]
        port = switch.ports[end.port]
        key = (
            *(self._port_qos.number(port.qos), self._queues.number(port.queues)),
            *(port.link.speed, port.link.mtu, port.cable_length),
            *(switch.model, switch.chip, switch.os, switch.buffers, switch.pfc, switch.watchdog_poll),
            self._plan.latencies.get(end.device),
        )
        if key not in self._ports_by_form:
            self._ports_by_form[key] = _convert_port(self._of_switches.port(end.device, switch, port))
        return self._ports_by_form[key]

    def _add_pipe(self, text: Text, pipe: form.Pipe | None) -> Text:
        """The settings of a NIC port with its path to memory."""
        addition = to_text({"nic": {"pipe": pipe}})
        if (text, addition) not in self._piped:
            self._piped[text, addition] = to_text({**from_text(text), **from_text(addition)})
        return self._piped[text, addition]

    def _add_assumption(self, text: str) -> None:
        self._assumed.setdefault(text)

    def _find_common_settings(self) -> form.Parameters:
        """The settings of most ports."""
        base: form.Parameters = {}
        for ports in (self._hosts.ports, self._switches.ports):  # the settings of switch ports, if there are any
            base = merge(base, find_most_common(ports.values()))
        base = merge(base, find_most_common(self._switches.nodes.values()))
        lossless = bits(
            [int(traffic_class.priority) for traffic_class in self._plan.classes.values() if traffic_class.lossless]
        )
        for priorities, ports in (*self._hosts.priorities.items(), *self._switches.priorities.items()):
            for section in ("congestion", "notification", "headroom"):
                if section == "headroom" and bits(priorities) == lossless:
                    usual = find_most_common(ports.values()).get("switch", {})
                    base = merge(base, {"switch": {"headroom": usual["headroom"]}} if usual else {})
                elif bits(priorities) & lossless and section != "headroom":
                    base = merge(base, select_section(find_most_common(ports.values()), section))
        base = merge(base, {"marking": {"enabled": False}} if self._plan.switches else {})
        return merge(base, {"transport": self._build_transport()})

    def _build_transport(self) -> form.Transport:
        mtus = {nic.rdma_mtu for host in self._plan.hosts.values() for nic in host.nics.values() if nic.rdma_mtu}
        transport: form.Transport = {}
        if mtus:
            transport["mtu_bytes"] = min(mtus)
        if len(mtus) > 1:
            self._add_assumption(
                f"path MTU: {min(mtus)} bytes for all, the smallest of {', '.join(map(str, sorted(mtus)))}"
            )
        lossless = [
            int(traffic_class.priority) for traffic_class in self._plan.classes.values() if traffic_class.lossless
        ]
        if lossless:
            transport["priority"] = lossless[0]
        return transport

    def _node_base(self, node: int, base: Text) -> Text:
        """The settings of a node's ports before any item for the ports."""
        of_node = self._switches.nodes.get(node)
        if of_node is None:
            return base
        if of_node not in self._below:
            self._below[of_node] = to_text(merge(from_text(base), from_text(of_node)))
        return self._below[of_node]

    def _subtract_base(self, text: Text, base: Text) -> Text:
        if (text, base) not in self._differences:
            self._differences[text, base] = to_text(difference(from_text(text), from_text(base)))
        return self._differences[text, base]

    def _node_items(self, texts: Mapping[int, Text], base: Text) -> list[form.Device]:
        groups: dict[Text, list[int]] = {}
        for node, text in texts.items():
            groups.setdefault(self._subtract_base(text, base), []).append(node)
        return [
            {"nodes": nodes, "parameters": parameters}
            for text, nodes in groups.items()
            if (parameters := from_text(text))
        ]

    def _port_items(
        self, texts: Mapping[int, Text], base: Text, priorities: tuple[int, ...] | None
    ) -> list[form.Device]:
        """Items for ports with different settings, or for whole nodes if all their ports are equal."""
        of_nodes: dict[int, dict[Text, list[int]]] = {}
        for port, text in texts.items():
            node = self._names.node(self._names.ends[port].device)
            different = self._subtract_base(text, self._node_base(node, base))
            of_nodes.setdefault(node, {}).setdefault(different, []).append(port)
        nodes: dict[Text, list[int]] = {}
        ports: dict[Text, list[int]] = {}
        for node, of_text in of_nodes.items():
            for text, node_ports in of_text.items():
                if len(of_text) == 1:
                    nodes.setdefault(text, []).append(node)
                else:
                    ports.setdefault(text, []).extend(node_ports)
        limited: _Targets = {} if priorities is None else {"priorities": list(priorities)}
        items: list[form.Device] = []
        places: list[tuple[Text, _Targets]] = []
        for text, numbers in nodes.items():
            places.append((text, {"nodes": numbers}))
        for text, numbers in ports.items():
            places.append((text, {"ports": [*numbers]}))
        for text, target in places:
            if parameters := from_text(text):
                items.append({**target, **limited, "parameters": parameters})
        return items


def _convert_port(settings: PortSettings) -> _Port:
    return _Port(
        to_text(settings.parameters),
        {priorities: to_text(parameters) for priorities, parameters in settings.of_priorities.items()},
    )
