"""Positions of nodes: hosts at the bottom, above them the switches by their distance from a host.

Many hosts become small cells under their switch, one for each cable. Of very many switches in a row, the most active
ones are drawn.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from wirespeed.report.simulation.axes import shorten
from wirespeed.results.simulation_view import Network

WIDTH = 1160
_HOSTS_IN_A_ROW = 40
_MOST_IN_A_ROW = 160
_MARGIN, _TIER_GAP, _BOX, _WIDEST = 8, 104, 28, 132
_CELL, _CELL_HEIGHT, _GAP = 16.0, 7.0, 2.0
_LETTER, _FEWEST_LETTERS = 6.8, 6  # width of a letter; letters of a shortened name
_ARC = 74
"""Space above a row whose switches are cabled to each other."""


@dataclass(frozen=True, slots=True)
class Box:
    """A node."""

    node: int
    x: float
    y: float
    width: float
    height: float
    label: str
    name: str

    @property
    def middle(self) -> float:
        """The horizontal center."""
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class LinkDirection:
    """One direction of a cable, from the port that sends."""

    port: int
    path: str


@dataclass(frozen=True, slots=True)
class HostDirection:
    """One direction of a host's cable in a cell: the left half is for sent, the right half for received data."""

    port: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of all nodes."""

    boxes: tuple[Box, ...]
    directions: tuple[LinkDirection, ...]
    host_directions: tuple[HostDirection, ...]
    height: float
    left_out: int
    """Switches that are not drawn."""
    width: int = WIDTH


def layout(network: Network, busy: Mapping[int, float]) -> Layout:
    """Place all nodes; ``busy`` is the activity of each port."""
    tiers, left_out = _assign_rows(network, busy)
    top = max(tiers, default=0)
    in_a_row = len(tiers.get(0, ())) <= _HOSTS_IN_A_ROW
    boxes: dict[int, Box] = {}
    order = _order_rows(network, tiers)
    above = _ARC if _needs_arcs(network, order, top) else 2
    for tier, nodes in order.items():
        if tier > 0 or in_a_row:
            boxes.update(_place_row(network, nodes, above + (top - tier) * (_BOX + _TIER_GAP)))
    directions = _link_directions(network, boxes)
    bottom: float = above + top * (_BOX + _TIER_GAP) + _BOX
    host_directions: list[HostDirection] = []
    if not in_a_row:
        host_directions = _place_cells(network, boxes, order)
        bottom = max((direction.y + direction.height for direction in host_directions), default=bottom)
    return Layout(tuple(boxes.values()), tuple(directions), tuple(host_directions), round(bottom + 4, 1), left_out)


def _assign_rows(network: Network, busy: Mapping[int, float]) -> tuple[dict[int, list[int]], int]:
    """Nodes by tier, and the number of switches that are not drawn."""
    tiers: dict[int, list[int]] = defaultdict(list)
    for node, tier in sorted(_measure_distances(network).items()):
        tiers[tier].append(node)
    weight: dict[int, float] = defaultdict(float)
    for port, activity in busy.items():
        weight[network.node(port)] += activity
        weight[network.peer(port)] += activity
    left_out = 0
    for tier, nodes in tiers.items():
        if tier > 0 and len(nodes) > _MOST_IN_A_ROW:
            left_out += len(nodes) - _MOST_IN_A_ROW
            tiers[tier] = sorted(sorted(nodes, key=lambda node: (-weight[node], node))[:_MOST_IN_A_ROW])
    return dict(tiers), left_out


def _measure_distances(network: Network) -> dict[int, int]:
    """The distance of each node from the nearest host; hosts that are cabled to each other directly are in two rows."""
    neighbors = _find_neighbours(network)
    distances = {node: 0 for node in range(len(network.names)) if node not in network.switches}
    queue = deque(distances)
    while queue:
        node = queue.popleft()
        for peer in neighbors[node]:
            if peer not in distances:
                distances[peer] = distances[node] + 1
                queue.append(peer)
    for node in network.switches:
        distances.setdefault(node, 1)  # no host reaches it
    if not network.switches:
        for cable in network.cables:
            if distances[cable.a] == 0:
                distances[cable.b] = 1
    return distances


def _find_neighbours(network: Network) -> dict[int, list[int]]:
    neighbors: dict[int, list[int]] = defaultdict(list)
    for cable in network.cables:
        neighbors[cable.a].append(cable.b)
        neighbors[cable.b].append(cable.a)
    return neighbors


def _order_rows(network: Network, tiers: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    """Sort each row by its peers in the row below, so that few cables cross."""
    neighbors = _find_neighbours(network)
    middles: dict[int, float] = {}
    order: dict[int, list[int]] = {}
    for tier in sorted(tiers):
        nodes = list(tiers[tier])

        def middle(node: int) -> float:
            below = [middles[peer] for peer in neighbors[node] if peer in middles]
            return sum(below) / len(below) if below else 0.0

        if tier > 0:
            nodes.sort(key=lambda node: (middle(node), node))
        order[tier] = nodes
        middles.update({node: (position + 0.5) / len(nodes) for position, node in enumerate(nodes)})
    return order


def _place_row(network: Network, nodes: Sequence[int], y: float) -> dict[int, Box]:
    slot = (WIDTH - 2 * _MARGIN) / len(nodes)
    width = round(min(slot * 0.82, _WIDEST), 1)
    labels = _label_row([network.names[node] for node in nodes], int((width - 6) / _LETTER))
    boxes = {}
    for position, node in enumerate(nodes):
        name = network.names[node]
        x = round(_MARGIN + (position + 0.5) * slot - width / 2, 1)
        boxes[node] = Box(node, x, y, width, _BOX, labels[position], name)
    return boxes


def _label_row(names: Sequence[str], letters: int) -> list[str]:
    """Labels of a row with this maximum number of letters.

    They are the names, the names without what all of them begin with, names without their middle, or nothing.
    """
    begin = _find_common_start(names)
    for labels in (list(names), [name.removeprefix(begin) for name in names]):
        if all(0 < len(label) <= letters for label in labels):
            return labels
    if letters >= _FEWEST_LETTERS:
        return [shorten(name, letters) for name in names]
    return [""] * len(names)


def _find_common_start(names: Sequence[str]) -> str:
    """What all names begin with, except digits of their numbers."""
    shared = (a for a, b in takewhile(lambda pair: pair[0] == pair[1], zip(min(names), max(names), strict=False)))
    return re.sub(r"[0-9]+$", "", "".join(shared))


def _link_directions(network: Network, boxes: Mapping[int, Box]) -> list[LinkDirection]:
    """Both directions of each cable between two boxes, each on its right side."""
    ends: dict[int, list[tuple[float, int]]] = defaultdict(list)
    drawn_ports = [port for port in network.ports if network.node(port) in boxes and network.peer(port) in boxes]
    for port in drawn_ports:
        ends[network.node(port)].append((boxes[network.peer(port)].middle, port))
    spots: dict[int, float] = {}
    for node, ports_of_node in ends.items():
        box = boxes[node]
        pitch = (box.width - 4) / len(ports_of_node)
        spots |= {port: box.x + 2 + (rank + 0.5) * pitch for rank, (_, port) in enumerate(sorted(ports_of_node))}
    return [LinkDirection(port, _draw_path(network, boxes, spots, port)) for port in drawn_ports]


def _needs_arcs(network: Network, order: Mapping[int, Sequence[int]], tier: int) -> bool:
    """Whether nodes of a row are connected that are not neighbours."""
    positions = {node: position for position, node in enumerate(order.get(tier, ()))}
    ends = ((positions.get(cable.a), positions.get(cable.b)) for cable in network.cables)
    return any(a is not None and b is not None and abs(a - b) != 1 for a, b in ends)


def _draw_path(network: Network, boxes: Mapping[int, Box], spots: Mapping[int, float], port: int) -> str:
    start, end = boxes[network.node(port)], boxes[network.peer(port)]
    x1, x2 = spots[port], spots[network.peer_port(port)]
    if start.y == end.y:
        return _draw_same_row(boxes, start, end, x1, x2)
    down = start.y < end.y
    y1, y2 = (start.y + start.height, end.y) if down else (start.y, end.y + end.height)
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    aside = 1.9
    dx, dy = -(y2 - y1) / length * aside, (x2 - x1) / length * aside
    return f"M{x1 + dx:.1f} {y1 + dy:.1f} L{x2 + dx:.1f} {y2 + dy:.1f}"


def _draw_same_row(boxes: Mapping[int, Box], start: Box, end: Box, x1: float, x2: float) -> str:
    """Draw a cable within a row: a straight line to a neighbour, an arc to others."""
    right = start.x < end.x
    low, high = sorted((start.middle, end.middle))
    if not any(box.y == start.y and low < box.middle < high for box in boxes.values()):
        y = start.y + start.height / 2 + (1.9 if right else -1.9)
        start_x, end_x = (start.x + start.width, end.x) if right else (start.x, end.x + end.width)
        return f"M{start_x:.1f} {y:.1f} L{end_x:.1f} {y:.1f}"
    lift = min(24 + abs(x1 - x2) * 0.1, 2 * _ARC - 12) + (0 if right else 8)
    return f"M{x1:.1f} {start.y:.1f} Q{(x1 + x2) / 2:.1f} {start.y - lift:.1f} {x2:.1f} {end.y:.1f}"


def _place_cells(network: Network, boxes: Mapping[int, Box], order: Mapping[int, Sequence[int]]) -> list[HostDirection]:
    """A cell for each cable of a host, under its switch."""
    positions = {node: position for position, node in enumerate(order.get(0, ()))}
    ports_by_switch: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for port in network.ports:
        if network.node(port) in positions and network.peer(port) in boxes:
            ports_by_switch[network.peer(port)].append((positions[network.node(port)], port))
    slots: dict[float, int] = defaultdict(int)
    for box in boxes.values():
        slots[box.y] += 1
    host_directions = []
    for switch, ports in ports_by_switch.items():
        box = boxes[switch]
        slot = (WIDTH - 2 * _MARGIN) / slots[box.y] * 0.9
        columns = max(int(slot // (_CELL + _GAP)), 1)
        width = min(_CELL, slot / columns - _GAP if slot > 6 else slot)
        left_edge = box.middle - (min(columns, len(ports)) * (width + _GAP) - _GAP) / 2
        for position, (_, port) in enumerate(sorted(ports)):
            x = left_edge + position % columns * (width + _GAP)
            y = box.y + box.height + 8 + position // columns * (_CELL_HEIGHT + _GAP)
            half = round(width / 2, 1)
            host_directions.append(HostDirection(port, round(x, 1), round(y, 1), half, _CELL_HEIGHT))
            peer = network.peer_port(port)
            host_directions.append(HostDirection(peer, round(x + half, 1), round(y, 1), half, _CELL_HEIGHT))
    return host_directions
