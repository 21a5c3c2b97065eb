"""What the devices of a plan are set to, as a scenario's ``parameters`` and ``devices``.

Switches and NICs are set to the values that their platforms can say. What most ports are set to stands in
``parameters``; what differs is an item of ``devices``: of whole nodes where all of their ports agree, else of ports.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wirespeed import _core
from wirespeed.catalogue.model import ChipModel
from wirespeed.plan import End, Plan
from wirespeed.plan.headroom import headroom
from wirespeed.settings import Congestion, Discipline, Nic, Port, Queue, Switch, TrafficClass
from wirespeed.simulation.names import Names

Tree = dict[str, Any]
_PRIORITIES = range(8)

_ALGORITHMS: Mapping[tuple[str, Congestion], str] = {
    ("bnxt_en", Congestion.DCQCN_P): "dcqcn-p",
    ("bnxt_en", Congestion.DCQCN_D): "dcqcn-d",
    ("mlx5_core", Congestion.DCQCN_P): "dcqcn-nvidia",
}
"""What a NIC's driver runs, by the simulator's name; any other runs DCQCN as published, and that is said."""


@dataclass(frozen=True, slots=True)
class Devices:
    """Settings of all devices, and what had to be assumed for them."""

    parameters: Tree
    items: list[Tree]
    assumed: tuple[str, ...]


@dataclass(slots=True)
class _Port:
    """What a port is set to, and some of its priorities."""

    tree: Tree
    lanes: dict[tuple[int, ...], Tree] = field(default_factory=dict)


@dataclass(slots=True)
class _Settings:
    """Trees by node, by port, and by port and priorities; a tree is a partial one of the core's parameters."""

    nodes: dict[int, Tree] = field(default_factory=dict)
    ports: dict[int, Tree] = field(default_factory=dict)
    lanes: dict[tuple[int, ...], dict[int, Tree]] = field(default_factory=dict)


def devices_of(plan: Plan, names: Names) -> Devices:
    """The settings of a plan's devices. ``names`` numbers its nodes and ports."""
    return _Making(plan, names).devices()


class _Making:
    """Collects settings and assumptions."""

    def __init__(self, plan: Plan, names: Names) -> None:
        self._plan, self._names = plan, names
        self._preset: Tree = json.loads(_core.preset("roce"))
        self._assumed: dict[str, None] = {}
        self._switches, self._hosts = _Settings(), _Settings()
        self._made: dict[tuple[object, ...], _Port] = {}
        self._texts: dict[int, str] = {}

    def devices(self) -> Devices:
        for name, switch in self._plan.switches.items():
            self._switches.nodes[self._names.node(name)] = self._buffer(switch)
        for port, _, end in self._names.ports():
            settings = self._switches if end.device in self._plan.switches else self._hosts
            made = self._port(end)
            settings.ports[port] = made.tree
            for priorities, tree in made.lanes.items():
                settings.lanes.setdefault(priorities, {})[port] = tree
        if self._plan.switches:
            self._unsaid()
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

    def _port(self, end: End) -> _Port:
        """Settings of a port, made once for those that the plan gives the same objects: it keeps them, so that an
        identity means one thing."""
        key: tuple[object, ...]
        switch = self._plan.switches.get(end.device)
        if switch is None:
            nic = self._plan.hosts[end.device].nics[end.port]
            key = (id(nic.qos), nic.model, nic.driver.name)
            if key not in self._made:
                self._made[key] = self._nic(nic)
            return self._made[key]
        port = switch.ports[end.port]
        key = (
            id(port.qos),
            id(port.queues),
            port.link.speed,
            port.link.mtu,
            port.cable_length,
            switch.chip,
            switch.pfc,
        )
        if key not in self._made:
            self._made[key] = self._switch_port(switch, port)
        return self._made[key]

    def _assume(self, text: str) -> None:
        self._assumed.setdefault(text)

    def _buffer(self, switch: Switch) -> Tree:
        """What is one for a whole switch."""
        chip = self._plan.hardware.chips.get(switch.chip or "")
        usual, name = self._preset["switch"], switch.chip or switch.model or "a switch of no known model"
        found: Tree = {"buffer_bytes": _value(chip, "buffer"), "cell_bytes": _value(chip, "cell")}
        found["slices"] = _value(chip, "slices")
        share = chip.share.value if chip and chip.share else None
        found["alpha_exponent"] = None if share is None else round(math.log2(share))
        for key, value in found.items():
            if value is None:
                found[key] = usual[key]
                self._assume(f"{key} of {name} is {usual[key]:,}: the catalogue has none")
        if switch.buffers.dynamic_threshold is not None:
            self._assume(f"the dynamic threshold of {name}, which its platform counts its own way, is the chip's")
        if (switch.chip or "").startswith("jericho"):
            self._assume(f"{name} queues at ingress; here it is a shared-buffer switch")
        if switch.load_balancing.mode not in (None, "static"):
            self._assume(f"load balancing {switch.load_balancing.mode} of {name} is a hash of each flow here")
        return {"switch": found}

    def _unsaid(self) -> None:
        """What no plan says of its switches."""
        usual = self._preset
        self._assume(f"switch latency is {usual['switch']['latency_ns']} ns: the catalogue has none")
        self._assume("the ECMP hash is one of the simulator's own: vendors do not publish theirs")
        self._assume(
            f"guarantee of a priority group {usual['switch']['reserve_bytes']:,} bytes, XON "
            f"{usual['switch']['xon_offset_bytes']:,} bytes below the threshold: those of the preset"
        )
        self._assume("the buffer of a switch is one pool, whatever its platform divides it into")

    def _switch_port(self, switch: Switch, settings: Port) -> _Port:
        queues = {int(one.priority): self._queue(settings, one) for one in self._plan.classes.values()}
        strict = [priority for priority, queue in queues.items() if queue and queue.discipline is Discipline.STRICT]
        weights = {priority: queue.weight for priority, queue in queues.items() if queue and queue.weight}
        lossless = sorted(int(one) for one in settings.qos.pfc or ())
        if switch.pfc is False:
            lossless = []
        made = _Port(
            {
                "pfc": {"lossless_priorities": _bits(lossless)},
                "scheduler": {"strict_priorities": _bits(strict), "weights": _weights(weights)},
            }
        )
        for priority, queue in queues.items():
            tree = self._marking(switch, queue)
            if tree is not None:
                made.lanes[priority,] = {"marking": tree}
        if lossless:
            size = self._headroom(switch, settings, len(lossless))
            rule: Tree = {"rule": "computed", "percent": 100} if size is None else {"rule": "fixed", "bytes": size}
            group = tuple(lossless)
            made.lanes[group] = _over(made.lanes.get(group, {}), {"switch": {"headroom": rule}})
        return made

    def _queue(self, port: Port, one: TrafficClass) -> Queue | None:
        """The egress queue of a class, by the maps of the port."""
        qos = port.qos
        found = [qos.tc_queue[tc] for dscp, tc in (qos.dscp_tc or {}).items() if dscp in one.dscp and qos.tc_queue]
        return port.queues.get(str(int(found[0]))) if found else None

    def _marking(self, switch: Switch, queue: Queue | None) -> Tree | None:
        if queue is None or not queue.ecn.enabled:
            return None
        ecn = queue.ecn
        low, high = ecn.minimum, ecn.maximum
        if low is None or high is None:
            if ecn.minimum_fill is None or ecn.maximum_fill is None:
                return None
            whole = self._fair_share(switch)
            text = f"a queue of {switch.chip or switch.model} that marks by percent fills {whole:,} bytes"
            self._assume(f"{text}: what one alone may take of the free buffer")
            low_bytes, high_bytes = whole * ecn.minimum_fill // 100, whole * ecn.maximum_fill // 100
        else:
            low_bytes, high_bytes = int(low), int(high)
        probability = 100 if ecn.probability is None else ecn.probability
        return {
            "enabled": True,
            "kmin_bytes": low_bytes,
            "kmax_bytes": high_bytes,
            "pmax": probability / 100,
            "reference_gbps": None,
        }

    def _fair_share(self, switch: Switch) -> int:
        """A S / (1 + A): where the dynamic threshold meets one queue alone (Choudhury and Hahne, 1998)."""
        node = self._buffer(switch)["switch"]
        alpha = 2.0 ** node["alpha_exponent"]
        return int(node["buffer_bytes"] / node["slices"] * alpha / (1 + alpha))

    def _headroom(self, switch: Switch, port: Port, lossless: int) -> int | None:
        """Of a lossless group: what the plan computes. None where it cannot."""
        speed, length, mtu = port.link.speed, port.cable_length, port.link.mtu
        if speed is None or length is None or mtu is None:
            self._assume("headroom of ports whose cable has no known length is computed by the simulator")
            return None
        chip = self._plan.hardware.chips.get(switch.chip or "")
        cables = {cable.cable for cable in self._plan.cables}
        model = self._plan.hardware.cables.get(next(iter(cables)) or "") if len(cables) == 1 else None
        return int(headroom(speed, length, mtu, lossless, chip, model).size)

    def _nic(self, nic: Nic) -> _Port:
        qos = nic.qos
        lossless = [int(one) for one in qos.pfc or ()]
        strict: list[int] = []
        weights: dict[int, int] = {}
        for one in self._plan.classes.values():
            tc = (qos.priority_tc or {}).get(one.priority)
            discipline = (qos.tc_discipline or {}).get(tc) if tc is not None else None
            share = (qos.tc_share or {}).get(tc) if tc is not None else None
            if discipline is Discipline.STRICT:
                strict.append(int(one.priority))
            elif share or one.share:
                weights[int(one.priority)] = share or one.share or 1
        made = _Port(
            {
                "pfc": {"lossless_priorities": _bits(lossless)},
                "scheduler": {"strict_priorities": _bits(strict), "weights": _weights(weights)},
            }
        )
        slowed = [int(one) for one in qos.ecn_priorities or ()]
        if not slowed and qos.roce_priority is not None:
            slowed = [int(qos.roce_priority)]
        algorithm = self._algorithm(nic)
        tree: Tree = {"congestion": {"algorithm": algorithm}}
        notification: Tree = {}
        if qos.cnp_priority is not None:
            notification["priority"] = int(qos.cnp_priority)
        if algorithm == "dcqcn-d":
            notification["interval_ns"] = 0  # 957608-AN210: in this mode every marked packet has its CNP
        if notification:
            tree["notification"] = notification
        if slowed:
            made.lanes[tuple(slowed)] = tree
        others = tuple(priority for priority in _PRIORITIES if priority not in slowed)
        made.lanes[others] = {"congestion": {"algorithm": "line-rate"}}
        return made

    def _algorithm(self, nic: Nic) -> str:
        if nic.qos.congestion is None or nic.qos.ecn is False:
            return "line-rate"
        model = self._plan.hardware.nics.get(nic.model or "")
        driver = nic.driver.name or (model.driver if model else None) or ""
        known = _ALGORITHMS.get((driver, nic.qos.congestion))
        if known is None:
            self._assume(f"{nic.qos.congestion} of {nic.model or 'a NIC'} is DCQCN as published")
            return "dcqcn"
        self._assume(f"parameters of {known} are the simulator's: the NIC's own are not in the plan")
        return known

    def _base(self) -> Tree:
        """What most ports are set to."""
        base: Tree = {}
        for trees in (self._hosts.ports, self._switches.ports):  # of a switch where there is one
            base = _over(base, _usual(trees.values()))
        base = _over(base, _usual(self._switches.nodes.values()))
        lossless = _bits([int(one.priority) for one in self._plan.classes.values() if one.lossless])
        for priorities, trees in (*self._hosts.lanes.items(), *self._switches.lanes.items()):
            for section in ("congestion", "notification", "headroom"):
                if section == "headroom" and _bits(priorities) == lossless:
                    base = _over(base, _only(_usual(trees.values()), "switch"))
                elif _bits(priorities) & lossless and section != "headroom":
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

    def _differing(self, tree: Tree, base: Tree) -> str:
        if id(tree) not in self._texts:
            self._texts[id(tree)] = json.dumps(_differing(tree, base))
        return self._texts[id(tree)]

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
            text = self._differing(tree, base)
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


def _value(chip: ChipModel | None, name: str) -> int | None:
    found = getattr(chip, name) if chip else None
    return None if found is None else int(found.value)


def _bits(priorities: Iterable[int]) -> int:
    return sum(1 << priority for priority in set(priorities))


def _weights(weights: Mapping[int, int]) -> list[int]:
    """Of all priorities; those that nobody uses have the least, so that a turn is no longer than it must be."""
    least = min(weights.values(), default=1)
    return [weights.get(priority, least) for priority in _PRIORITIES]


def _usual(trees: Iterable[Tree]) -> Tree:
    """The tree that occurs most often, the first of equals; nothing of none."""
    all_of_them = list(trees)
    texts = {id(tree): json.dumps(tree) for tree in {id(tree): tree for tree in all_of_them}.values()}
    counts = Counter(texts[id(tree)] for tree in all_of_them)
    found: Tree = json.loads(counts.most_common(1)[0][0]) if counts else {}
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
