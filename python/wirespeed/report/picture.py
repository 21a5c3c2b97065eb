"""The topology as a picture: the position and status of each device, port and cable.

Devices are in rows by role, with hosts at the bottom; ports are ordered by their peers, so that few cables cross.
Above `DETAILED` devices, similar devices become one box, and cables between two boxes one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wirespeed.report import wording
from wirespeed.report.health import URGENCY, Health, describe_status, select_most_urgent
from wirespeed.results.findings import Finding
from wirespeed.results.topology import Edge, Node, Topology

DETAILED = 32
"""Maximum number of devices that are drawn separately."""

_ROWS = ("core", "spine", "leaf", "tor", "host")
_HOSTS = len(_ROWS) - 1
_WIDTH = 1160
_GAP, _GAPS = 24, 300  # gap between two boxes, and maximum sum of gaps in a row
_NARROW, _WIDE = 84, 230
_MOST_BOXES = 16
_MARGIN, _CHARACTER_WIDTH = 14, 6.6  # of text in a box; of the average character at 12 pixels
_NAME_LETTER, _UPRIGHT_LETTER = 9.2, 7.6  # of names at 15 pixels; of vertical ones at 12 pixels
_LABEL_LETTER, _LABEL_HEIGHT = 8.0, 20  # of the label of a cable, at 13 pixels with its margin
_LABEL_PARTS = (0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2)
"""Where the label of a cable may be, as a part of the cable; the first that is free."""
_LINE_HEIGHT, _BEND = 17, 56  # of a line of parts; of a cable between neighbours below their boxes
_SWITCH_HEIGHT, _HEIGHT, _UPRIGHT_HEIGHT, _ROW_GAP = 62, 78, 116, 120


@dataclass(frozen=True, slots=True)
class Port:
    """A port on the edge of a box."""

    x: float
    y: float
    width: float
    status: str
    title: str


@dataclass(frozen=True, slots=True)
class Box:
    """A device, or several similar devices."""

    x: float
    y: float
    width: float
    height: float
    name: str
    model: str
    status: str
    summary: str
    ports: tuple[Port, ...]
    label: str
    parts: tuple[str, ...] = ()

    @property
    def head(self) -> float:
        """The height of the part with name and model."""
        return min(self.height, _HEIGHT)

    @property
    def part_lines(self) -> tuple[tuple[float, str], ...]:
        """The baseline and the text of each line of parts, cut to the width of the box."""
        limit = int((self.width - 2 * _MARGIN) / _CHARACTER_WIDTH)
        texts = [text if len(text) <= limit else f"{text[: limit - 1]}…" for text in self.parts]
        return tuple((self.y + self.head + index * _LINE_HEIGHT, text) for index, text in enumerate(texts))

    @property
    def shape(self) -> str:
        """The layout of its text: ``wide`` side by side, ``tall`` stacked, ``narrow`` vertical."""
        return _choose_shape(self.width)


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable, or all cables between two boxes."""

    x1: float
    y1: float
    x2: float
    y2: float
    status: str
    title: str
    label: str = ""
    label_x: float = 0
    label_y: float = 0

    @property
    def bend(self) -> float:
        """The height to which it curves: the middle, or below both boxes where they are side by side."""
        return (self.y1 + self.y2) / 2 + (_BEND if self.y1 == self.y2 else 0)

    def locate(self, part: float) -> tuple[float, float]:
        """The point of the curve after a part of it: a cubic Bézier curve whose control points are at the bend."""
        remainder = 1 - part
        x = self.x1 * remainder**2 * (1 + 2 * part) + self.x2 * part**2 * (1 + 2 * remainder)
        y = self.y1 * remainder**3 + 3 * self.bend * part * remainder + self.y2 * part**3
        return round(x, 1), round(y, 1)

    def covers(self, cable: Cable) -> bool:
        """Whether the labels of both overlap."""
        width = (len(self.label) + len(cable.label)) / 2 * _LABEL_LETTER
        return abs(self.label_x - cable.label_x) < width and abs(self.label_y - cable.label_y) < _LABEL_HEIGHT


@dataclass(frozen=True, slots=True)
class Picture:
    """The data of the template."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    cables: tuple[Cable, ...]
    description: str
    grouped: bool


def draw(topology: Topology, findings: Sequence[Finding]) -> Picture | None:
    """Draw the picture; None for an empty topology."""
    if not topology.nodes:
        return None
    health = Health(findings)
    grouped = len(topology.nodes) > DETAILED
    groups = _group_devices(topology) if grouped else {node.name: (node,) for node in topology.nodes}
    rectangles = _place_boxes(groups, with_parts=not grouped)
    height = max(y + box_height for _, y, _, box_height in rectangles.values()) + 2
    drawn_cables, ports = (
        _bundle_cables(groups, topology, rectangles, health)
        if grouped
        else _single_cables(topology, rectangles, health)
    )
    if any(cable.y1 == cable.y2 for cable in drawn_cables):
        height += _BEND
    states = {key: _describe_state(nodes, health) for key, nodes in groups.items()}
    labels = _label_boxes(groups, rectangles, {key: summary for key, (_, summary) in states.items()})
    boxes = tuple(
        Box(
            *rectangles[key],
            _format_title(nodes),
            nodes[0].model,
            *states[key],
            ports=ports.get(key, ()),
            label=labels[key],
            parts=() if grouped or rectangles[key][2] < _WIDE else nodes[0].parts,
        )
        for key, nodes in groups.items()
    )
    return Picture(_WIDTH, int(height), boxes, drawn_cables, _describe_picture(groups, topology, health), grouped)


def _choose_shape(width: float) -> str:
    return "narrow" if width < _NARROW else "tall" if width < _WIDE else "wide"


def _label_boxes(
    groups: Mapping[str, tuple[Node, ...]],
    rectangles: Mapping[str, tuple[float, float, float, float]],
    summaries: Mapping[str, str],
) -> dict[str, str]:
    """The name in each box, shortened if a name of its row does not fit beside the summary."""
    rows: dict[float, list[str]] = {}
    for key, (_, y, _, _) in rectangles.items():
        rows.setdefault(y, []).append(key)
    labels: dict[str, str] = {}
    for keys in rows.values():
        letters = min(_count_letters(*rectangles[key][2:], summaries[key]) for key in keys)
        forms = (
            [form(groups[key]) for key in keys] for form in (_format_title, _format_range, _format_ends, _format_count)
        )
        names = next((names for names in forms if max(map(len, names)) <= letters), None)
        names = names or wording.shorten_names([_format_ends(groups[key]) for key in keys], letters)
        labels |= dict(zip(keys, names, strict=True))
    return labels


def _count_letters(width: float, height: float, summary: str) -> int:
    """The letters of a name that fit in a box."""
    shape = _choose_shape(width)
    if shape == "narrow":
        return int((height - _MARGIN) / _UPRIGHT_LETTER)
    summary_width = (len(summary) + 4) * _CHARACTER_WIDTH if shape == "wide" else 0
    return int((width - 2 * _MARGIN - summary_width) / _NAME_LETTER)


def _describe_state(nodes: Sequence[Node], health: Health) -> tuple[str, str]:
    names = [node.name for node in nodes]
    return select_most_urgent(health.device(name) for name in names), health.describe_devices(names)


def _group_devices(topology: Topology) -> Mapping[str, tuple[Node, ...]]:
    """Group similar devices by role, model and peers; only by role and model if those groups are too many."""
    neighbours: dict[str, set[str]] = {node.name: set() for node in topology.nodes}
    roles = {node.name: node.role for node in topology.nodes}
    for edge in topology.edges:
        if roles[edge.a] != roles[edge.b]:
            upper, lower = sorted((edge.a, edge.b), key=lambda name: _find_row(roles[name]))
            neighbours[lower].add(upper)
    fine: dict[str, list[Node]] = {}
    coarse: dict[str, list[Node]] = {}
    for node in topology.nodes:
        kind = f"{node.role} {node.model}"
        fine.setdefault(f"{kind} {sorted(neighbours[node.name])}", []).append(node)
        coarse.setdefault(kind, []).append(node)
    chosen = fine if len(fine) <= _MOST_BOXES else coarse
    return {key: tuple(nodes) for key, nodes in chosen.items()}


def _find_row(role: str) -> int:
    """The row of a role, from the top; an unknown role is directly above the hosts."""
    return _ROWS.index(role) if role in _ROWS else _HOSTS - 1


def _place_boxes(
    groups: Mapping[str, tuple[Node, ...]], *, with_parts: bool
) -> dict[str, tuple[float, float, float, float]]:
    """x, y, width and height of every box: rows fill the width, a single switch spans the devices below it."""
    rows: dict[int, list[str]] = {}
    for key, nodes in groups.items():
        rows.setdefault(_find_row(nodes[0].role), []).append(key)
    rectangles: dict[str, tuple[float, float, float, float]] = {}
    y = 2.0
    for row in sorted(rows):
        keys = rows[row]
        gap = min(_GAP, _GAPS / len(keys))
        width = (_WIDTH - 4 - gap * (len(keys) - 1)) / len(keys)
        height = _UPRIGHT_HEIGHT if width < _NARROW else _HEIGHT if row == _HOSTS or width < _WIDE else _SWITCH_HEIGHT
        lines = max((len(groups[key][0].parts) for key in keys), default=0) if with_parts and width >= _WIDE else 0
        height += lines * _LINE_HEIGHT
        for index, key in enumerate(keys):
            rectangles[key] = (round(2 + index * (width + gap), 1), y, round(width, 1), height)
        y += height + _ROW_GAP
    return rectangles


def _single_cables(
    topology: Topology, rectangles: Mapping[str, tuple[float, float, float, float]], health: Health
) -> tuple[tuple[Cable, ...], Mapping[str, tuple[Port, ...]]]:
    """Draw every cable and its ports."""
    ends: dict[tuple[str, str], list[tuple[float, int, str]]] = {}
    for index, edge in enumerate(topology.edges):
        for device, port, peer in ((edge.a, edge.a_port, edge.b), (edge.b, edge.b_port, edge.a)):
            x, y, width, _ = rectangles[peer]
            side = "below" if y >= rectangles[device][1] else "above"
            ends.setdefault((device, side), []).append((x + width / 2, index, port))
    spots: dict[tuple[str, int], tuple[float, float]] = {}
    ports: dict[str, list[Port]] = {}
    full_width = _full_width_devices(rectangles)
    for (device, side), wanted in sorted(ends.items(), key=lambda entry: entry[0][0] in full_width):
        x, y, width, height = rectangles[device]
        pitch = (width - 16) / len(wanted)
        for rank, (_, cable, port) in enumerate(sorted(wanted)):
            centre = round(x + 8 + pitch * (rank + 0.5), 1)
            if device in full_width:  # it spans its peers: its cables are vertical
                edge = topology.edges[cable]
                centre = spots.get((edge.a if edge.b == device else edge.b, cable), (centre, y))[0]
            spot = (centre, y if side == "above" else y + height)
            status = health.port(device, port)
            title = wording.line(f"{device}:{port}: {describe_status(status)}")
            ports.setdefault(device, []).append(Port(*spot, round(min(14.0, pitch * 0.7), 1), status, title))
            spots[device, cable] = spot
    cables = tuple(
        Cable(*spots[edge.a, index], *spots[edge.b, index], health.cable(edge), _cable_title(edge, health))
        for index, edge in enumerate(topology.edges)
    )
    return _urgent_last(cables), {device: tuple(ports_of_device) for device, ports_of_device in ports.items()}


def _full_width_devices(rectangles: Mapping[str, tuple[float, float, float, float]]) -> set[str]:
    """Devices that are alone in their row."""
    rows: dict[float, list[str]] = {}
    for device, (_, y, _, _) in rectangles.items():
        rows.setdefault(y, []).append(device)
    return {devices[0] for devices in rows.values() if len(devices) == 1}


def _bundle_cables(
    groups: Mapping[str, tuple[Node, ...]],
    topology: Topology,
    rectangles: Mapping[str, tuple[float, float, float, float]],
    health: Health,
) -> tuple[tuple[Cable, ...], Mapping[str, tuple[Port, ...]]]:
    """Draw all cables between two boxes as one line."""
    group_of = {node.name: key for key, nodes in groups.items() for node in nodes}
    bundles: dict[tuple[str, str], list[Edge]] = {}
    for edge in topology.edges:
        upper, lower = sorted((group_of[edge.a], group_of[edge.b]), key=lambda key: (rectangles[key][1], key))
        if upper != lower:
            bundles.setdefault((upper, lower), []).append(edge)
    cables: list[Cable] = []
    for (upper, lower), edges in bundles.items():
        (ux, uy, uw, uh), (lx, ly, lw, _) = rectangles[upper], rectangles[lower]
        status = select_most_urgent(health.cable(edge) for edge in edges)
        label = f"{len(edges):,} × {edges[0].speed}"
        cables.append(
            Cable(ux + uw / 2, uy + uh, lx + lw / 2, ly, status, f"{label}: {describe_status(status)}", label)
        )
    return _urgent_last(_place_labels(cables)), {}


def _place_labels(cables: Iterable[Cable]) -> Iterator[Cable]:
    """Move labels along their cables until none covers another, urgent ones first; one without room is left out.

    Labels between two rows of boxes are on one height as far as possible.
    """
    rows: dict[tuple[float, float], list[Cable]] = {}
    for cable in sorted(cables, key=lambda cable: URGENCY[cable.status]):
        rows.setdefault((cable.y1, cable.y2), []).append(cable)
    for row in rows.values():
        best = max(_LABEL_PARTS, key=lambda part: sum(bool(cable.label) for cable in _choose_parts(row, (part,))))
        yield from _choose_parts(row, (best, *_LABEL_PARTS))


def _choose_parts(cables: Iterable[Cable], parts: Sequence[float]) -> Iterator[Cable]:
    placed: list[Cable] = []
    for cable in cables:
        points = (cable.locate(part) for part in parts)
        candidates = (replace(cable, label_x=x, label_y=y) for x, y in points)
        chosen = next((moved for moved in candidates if not any(moved.covers(label) for label in placed)), None)
        if chosen is None:
            yield replace(cable, label="")
        else:
            placed.append(chosen)
            yield chosen


def _urgent_last(cables: Iterable[Cable]) -> tuple[Cable, ...]:
    """Sort cables so that urgent ones are drawn above others."""
    return tuple(sorted(cables, key=lambda cable: -URGENCY[cable.status]))


def _cable_title(edge: Edge, health: Health) -> str:
    rail = "" if edge.rail is None else f", rail {edge.rail}"
    return wording.line(f"{wording.cable(edge)}, {edge.speed}{rail}: {describe_status(health.cable(edge))}")


def _format_title(nodes: Sequence[Node]) -> str:
    if len(nodes) == 1:
        return nodes[0].name
    return f"{len(nodes):,} × {nodes[0].role}: {nodes[0].name} … {nodes[-1].name}"


def _format_range(nodes: Sequence[Node]) -> str:
    return _format_ends(nodes) if len(nodes) == 1 else f"{len(nodes):,} × {_format_ends(nodes)}"


def _format_ends(nodes: Sequence[Node]) -> str:
    return nodes[0].name if len(nodes) == 1 else f"{nodes[0].name} … {nodes[-1].name}"


def _format_count(nodes: Sequence[Node]) -> str:
    return nodes[0].name if len(nodes) == 1 else f"{len(nodes):,} {nodes[0].role}s"


def _describe_picture(groups: Mapping[str, tuple[Node, ...]], topology: Topology, health: Health) -> str:
    boxes = "; ".join(
        wording.line(f"{_format_title(nodes)} ({nodes[0].role}, {nodes[0].model}): {_describe_state(nodes, health)[1]}")
        for nodes in groups.values()
    )
    return f"{wording.plural(len(topology.edges), 'cable')} between {boxes}"
