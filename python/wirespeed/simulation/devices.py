"""What the devices of a plan are set to, as a scenario's ``parameters`` and ``devices``.

Switches (`switches.py`) and NICs (`nics.py`) are set to the values that their platforms can say. What most ports are
set to stands in ``parameters``; what differs is an item of ``devices``: of whole nodes where all of their ports agree,
else of ports.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from wirespeed.identity import Identity
from wirespeed.plan import End, Plan
from wirespeed.simulation import scenario_types as form
from wirespeed.simulation.host_pipe import pipes_of
from wirespeed.simulation.nics import PortSettings, Words, bits, nic_port
from wirespeed.simulation.parameters import difference, merge, most_common, only
from wirespeed.simulation.plan_names import Names
from wirespeed.simulation.switches import Switches
from wirespeed.simulation.workload import Traffic


@dataclass(frozen=True, slots=True)
class Devices:
    """Settings of all devices, and what had to be assumed for them."""

    parameters: form.Parameters
    items: list[form.Device]
    assumed: tuple[str, ...]


class _Where(TypedDict, total=False):
    nodes: list[int]
    ports: list[form.Port]
    priorities: list[int]


@dataclass(slots=True)
class _Settings:
    """Parameters by node, by port, and by priorities and port."""

    nodes: dict[int, form.Parameters] = field(default_factory=dict)
    ports: dict[int, form.Parameters] = field(default_factory=dict)
    priorities: dict[tuple[int, ...], dict[int, form.Parameters]] = field(default_factory=dict)


def devices_of(plan: Plan, names: Names, words: Words, traffic: Traffic | None = None) -> Devices:
    """The settings of a plan's devices.

    ``names`` numbers its nodes and ports, ``words`` are those of the NICs' platforms, ``traffic`` may say more of NICs.

    Raises:
        Refused: what it says does not fit; with its line.
    """
    return _Making(plan, names, words, traffic).devices()


class _Making:
    """Collects settings and assumptions."""

    def __init__(self, plan: Plan, names: Names, words: Words, traffic: Traffic | None) -> None:
        self._plan, self._names, self._words, self._traffic = plan, names, words, traffic
        self._assumed: dict[str, None] = {}
        self._of_switches = Switches(plan, self._assume)
        self._switches, self._hosts = _Settings(), _Settings()
        self._made: dict[tuple[object, ...], PortSettings] = {}
        self._texts: dict[tuple[Identity[form.Parameters], Identity[form.Parameters]], str] = {}
        self._below: dict[int, form.Parameters] = {}
        self._same: dict[str, form.Parameters] = {}
        self._piped: dict[tuple[Identity[form.Parameters], Identity[form.Pipe | None]], form.Parameters] = {}

    def devices(self) -> Devices:
        for name, switch in self._plan.switches.items():
            self._switches.nodes[self._names.node(name)] = self._of_switches.node(name, switch)
        for port, _, end in self._names.ports():
            settings = self._switches if end.device in self._plan.switches else self._hosts
            made = self._port(end)
            settings.ports[port] = made.parameters
            for priorities, tree in made.of_priorities.items():
                settings.priorities.setdefault(priorities, {})[port] = tree
        for port, pipe in pipes_of(self._plan, self._names, self._traffic, self._assume).items():
            self._hosts.ports[port] = self._with_pipe(self._hosts.ports[port], pipe)
        if self._plan.switches:
            self._of_switches.unsaid()
        base = self._base()
        items = [
            *self._node_items(self._switches.nodes, base),
            *self._port_items(self._switches.ports, base, None),
            *self._port_items(self._hosts.ports, base, None),
        ]
        for settings in (self._switches, self._hosts):
            for priorities, trees in settings.priorities.items():
                items += self._port_items(trees, base, priorities)
        return Devices(base, items, tuple(self._assumed))

    def _port(self, end: End) -> PortSettings:
        """Settings of a port, made once for those that the plan gives the same objects: it keeps them, so that an
        identity means one thing."""
        key: tuple[object, ...]
        switch = self._plan.switches.get(end.device)
        if switch is None:
            nic = self._plan.hosts[end.device].nics[end.port]
            key = (Identity(nic.qos), nic.model, nic.driver.name, nic.link.speed)
            if key not in self._made:
                self._made[key] = nic_port(self._plan, nic, self._words, self._assume)
            return self._made[key]
        port = switch.ports[end.port]
        key = (
            *(Identity(port.qos), Identity(port.queues), port.link.speed, port.link.mtu, port.cable_length),
            *(switch.model, switch.chip, switch.os, switch.buffers, switch.pfc, switch.watchdog_poll),
            self._plan.latencies.get(end.device),
        )
        if key not in self._made:
            self._made[key] = self._of_switches.port(end.device, switch, port)
        return self._made[key]

    def _with_pipe(self, tree: form.Parameters, pipe: form.Pipe | None) -> form.Parameters:
        """A NIC port with what is between it and memory, made once for each two."""
        key = (Identity(tree), Identity(pipe))
        if key not in self._piped:
            self._piped[key] = {**tree, "nic": {"pipe": pipe}}
        return self._piped[key]

    def _assume(self, text: str) -> None:
        self._assumed.setdefault(text)

    def _base(self) -> form.Parameters:
        """What most ports are set to."""
        base: form.Parameters = {}
        for trees in (self._hosts.ports, self._switches.ports):  # of a switch where there is one
            base = merge(base, most_common(trees.values()))
        base = merge(base, most_common(self._switches.nodes.values()))
        lossless = bits([int(one.priority) for one in self._plan.classes.values() if one.lossless])
        for priorities, trees in (*self._hosts.priorities.items(), *self._switches.priorities.items()):
            for section in ("congestion", "notification", "headroom"):
                if section == "headroom" and bits(priorities) == lossless:
                    usual = most_common(trees.values()).get("switch", {})
                    base = merge(base, {"switch": {"headroom": usual["headroom"]}} if usual else {})
                elif bits(priorities) & lossless and section != "headroom":
                    base = merge(base, only(most_common(trees.values()), section))
        base = merge(base, {"marking": {"enabled": False}} if self._plan.switches else {})
        return merge(base, {"transport": self._transport()})

    def _transport(self) -> form.Transport:
        mtus = {nic.rdma_mtu for host in self._plan.hosts.values() for nic in host.nics.values() if nic.rdma_mtu}
        found: form.Transport = {}
        if mtus:
            found["mtu_bytes"] = min(mtus)
        if len(mtus) > 1:
            self._assume(
                f"path MTUs differ ({', '.join(map(str, sorted(mtus)))} bytes): the smallest value is used for all"
            )
        lossless = [int(one.priority) for one in self._plan.classes.values() if one.lossless]
        if lossless:
            found["priority"] = lossless[0]
        return found

    def _under(self, node: int, base: form.Parameters) -> form.Parameters:
        """What the ports of a node are set to before any item of theirs."""
        if node not in self._below:
            own = self._switches.nodes.get(node, {})
            self._below[node] = self._same.setdefault(json.dumps(own), merge(base, own))
        return self._below[node]

    def _differing(self, tree: form.Parameters, base: form.Parameters) -> str:
        key = Identity(tree), Identity(base)
        if key not in self._texts:
            self._texts[key] = json.dumps(difference(tree, base))
        return self._texts[key]

    def _node_items(self, trees: Mapping[int, form.Parameters], base: form.Parameters) -> list[form.Device]:
        groups: dict[str, list[int]] = {}
        for node, tree in trees.items():
            groups.setdefault(self._differing(tree, base), []).append(node)
        return [{"nodes": nodes, "parameters": json.loads(text)} for text, nodes in groups.items() if json.loads(text)]

    def _port_items(
        self, trees: Mapping[int, form.Parameters], base: form.Parameters, priorities: tuple[int, ...] | None
    ) -> list[form.Device]:
        """Items of the ports that differ, of whole nodes where all ports of the node are set to the same."""
        of_nodes: dict[int, dict[str, list[int]]] = {}
        for port, tree in trees.items():
            node = self._names.node(self._names.ends[port].device)
            text = self._differing(tree, self._under(node, base))
            of_nodes.setdefault(node, {}).setdefault(text, []).append(port)
        nodes: dict[str, list[int]] = {}
        ports: dict[str, list[int]] = {}
        for node, found in of_nodes.items():
            for text, own in found.items():
                if len(found) == 1:
                    nodes.setdefault(text, []).append(node)
                else:
                    ports.setdefault(text, []).extend(own)
        limited: _Where = {} if priorities is None else {"priorities": list(priorities)}
        items: list[form.Device] = []
        places: list[tuple[str, _Where]] = []
        for text, numbers in nodes.items():
            places.append((text, {"nodes": numbers}))
        for text, numbers in ports.items():
            places.append((text, {"ports": [*numbers]}))
        for text, where in places:
            if parameters := json.loads(text):
                items.append({**where, **limited, "parameters": parameters})
        return items
