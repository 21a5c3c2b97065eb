"""What the devices of a plan are set to, as a scenario's ``parameters`` and ``devices``.

Switches (`switches.py`) and NICs (`nics.py`) are set to the values that their platforms can say. What most ports are
set to stands in ``parameters``; what differs is an item of ``devices``: of whole nodes where all of their ports agree,
else of ports.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wirespeed.identity import Identity
from wirespeed.plan import End, Plan
from wirespeed.simulation.host_pipe import pipes_of
from wirespeed.simulation.names import Names
from wirespeed.simulation.nics import PortSettings, Tree, Words, bits, nic_port
from wirespeed.simulation.switches import Switches
from wirespeed.simulation.workload import Traffic


@dataclass(frozen=True, slots=True)
class Devices:
    """Settings of all devices, and what had to be assumed for them."""

    parameters: Tree
    items: list[Tree]
    assumed: tuple[str, ...]


@dataclass(slots=True)
class _Settings:
    """Trees by node, by port, and by port and priorities; a tree is a partial one of the core's parameters."""

    nodes: dict[int, Tree] = field(default_factory=dict)
    ports: dict[int, Tree] = field(default_factory=dict)
    lanes: dict[tuple[int, ...], dict[int, Tree]] = field(default_factory=dict)


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
        self._texts: dict[tuple[Identity[Tree], Identity[Tree]], str] = {}
        self._below: dict[int, Tree] = {}
        self._same: dict[str, Tree] = {}
        self._piped: dict[tuple[Identity[Tree], Identity[Tree | None]], Tree] = {}

    def devices(self) -> Devices:
        for name, switch in self._plan.switches.items():
            self._switches.nodes[self._names.node(name)] = self._of_switches.node(name, switch)
        for port, _, end in self._names.ports():
            settings = self._switches if end.device in self._plan.switches else self._hosts
            made = self._port(end)
            settings.ports[port] = made.tree
            for priorities, tree in made.lanes.items():
                settings.lanes.setdefault(priorities, {})[port] = tree
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
            for priorities, trees in settings.lanes.items():
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

    def _with_pipe(self, tree: Tree, pipe: Tree | None) -> Tree:
        """A NIC port with what is between it and memory, made once for each two."""
        key = (Identity(tree), Identity(pipe))
        if key not in self._piped:
            self._piped[key] = {**tree, "nic": {"pipe": pipe}}
        return self._piped[key]

    def _assume(self, text: str) -> None:
        self._assumed.setdefault(text)

    def _base(self) -> Tree:
        """What most ports are set to."""
        base: Tree = {}
        for trees in (self._hosts.ports, self._switches.ports):  # of a switch where there is one
            base = _over(base, _usual(trees.values()))
        base = _over(base, _usual(self._switches.nodes.values()))
        lossless = bits([int(one.priority) for one in self._plan.classes.values() if one.lossless])
        for priorities, trees in (*self._hosts.lanes.items(), *self._switches.lanes.items()):
            for section in ("congestion", "notification", "headroom"):
                if section == "headroom" and bits(priorities) == lossless:
                    usual = _usual(trees.values()).get("switch", {})
                    base = _over(base, {"switch": {"headroom": usual["headroom"]}} if usual else {})
                elif bits(priorities) & lossless and section != "headroom":
                    base = _over(base, _only(_usual(trees.values()), section))
        base = _over(base, {"marking": {"enabled": False}} if self._plan.switches else {})
        return _over(base, {"transport": self._transport()})

    def _transport(self) -> Tree:
        mtus = {nic.rdma_mtu for host in self._plan.hosts.values() for nic in host.nics.values() if nic.rdma_mtu}
        found: Tree = {}
        if mtus:
            found["mtu_bytes"] = min(mtus)
        if len(mtus) > 1:
            self._assume(f"path MTUs differ ({', '.join(map(str, sorted(mtus)))} bytes): all have the least")
        lossless = [int(one.priority) for one in self._plan.classes.values() if one.lossless]
        if lossless:
            found["priority"] = lossless[0]
        return found

    def _under(self, node: int, base: Tree) -> Tree:
        """What the ports of a node are set to before any item of theirs."""
        if node not in self._below:
            own = self._switches.nodes.get(node, {})
            self._below[node] = self._same.setdefault(json.dumps(own), _over(base, own))
        return self._below[node]

    def _differing(self, tree: Tree, base: Tree) -> str:
        key = Identity(tree), Identity(base)
        if key not in self._texts:
            self._texts[key] = json.dumps(_differing(tree, base))
        return self._texts[key]

    def _node_items(self, trees: Mapping[int, Tree], base: Tree) -> list[Tree]:
        groups: dict[str, list[int]] = {}
        for node, tree in trees.items():
            groups.setdefault(self._differing(tree, base), []).append(node)
        return [{"nodes": nodes, "parameters": json.loads(text)} for text, nodes in groups.items() if json.loads(text)]

    def _port_items(self, trees: Mapping[int, Tree], base: Tree, priorities: tuple[int, ...] | None) -> list[Tree]:
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
        items: list[Tree] = []
        for key, groups in (("nodes", nodes), ("ports", ports)):
            for text, which in groups.items():
                if parameters := json.loads(text):
                    only = {} if priorities is None else {"priorities": list(priorities)}
                    items.append({key: which, **only, "parameters": parameters})
        return items


def _usual(trees: Iterable[Tree]) -> Tree:
    """The tree that occurs most often, the first of equals; nothing of none.

    Without what another tree does not say: there it is that of the preset, not of the others.
    """
    all_of_them = list(trees)
    texts = {Identity(tree): json.dumps(tree) for tree in {Identity(tree): tree for tree in all_of_them}.values()}
    counts = Counter(texts[Identity(tree)] for tree in all_of_them)
    found: Tree = json.loads(counts.most_common(1)[0][0]) if counts else {}
    for text in counts:
        for section, values in json.loads(text).items():
            if section in found:
                found[section] = {key: value for key, value in found[section].items() if key in values}
    return found


def _over(base: Tree, tree: Tree) -> Tree:
    """Sections laid over others."""
    return {**base, **{section: {**base.get(section, {}), **values} for section, values in tree.items()}}


def _only(tree: Tree, section: str) -> Tree:
    return {section: tree[section]} if section in tree else {}


def _differing(tree: Tree, base: Tree) -> Tree:
    """What of a tree the base has not."""
    found: Tree = {}
    for section, values in tree.items():
        usual = base.get(section, {})
        changed = {key: value for key, value in values.items() if key not in usual or usual[key] != value}
        if section == "congestion" and changed:
            changed = values  # an algorithm comes with all of its parameters
        if changed:
            found[section] = changed
    return found
