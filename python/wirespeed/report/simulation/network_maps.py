"""Maps of the network: the pause time of each cable direction, and the state of all ports at one time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, pairwise

from wirespeed.report import wording
from wirespeed.report.simulation import color_scale
from wirespeed.report.simulation.axes import bytes_unit, shorten, time_unit
from wirespeed.report.simulation.layout import HostDirection, Layout, LinkDirection, layout
from wirespeed.results.simulation_types import Fault
from wirespeed.results.simulation_view import LEVELS, Animation, SimulationView

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_LABELED = 3
"""Number of ports whose names are written at their lines."""
_LETTER, _LABEL_HEIGHT, _LETTERS_OF_LABEL = 6.6, 16, 32
_SHARES = (0.5, 0.35, 0.65, 0.2, 0.8)
"""Positions of a name along its line, the preferred one first."""
_TOP = 8
"""Number of ports that are listed beside the map."""
KINDS = {
    "queue": "queue depth, % of the deepest queue of the run",
    "load": "link utilization, % of the line rate",
    "paused": "time paused, %",
}


@dataclass(frozen=True, slots=True)
class Label:
    """A name in a picture: the center of its background, and the width."""

    x: float
    y: float
    width: float
    name: str
    height: float = _LABEL_HEIGHT

    def overlaps(self, x: float, y: float, width: float, height: float) -> bool:
        """Whether it covers a part of a rectangle with this center."""
        return 2 * abs(self.x - x) < self.width + width and 2 * abs(self.y - y) < self.height + height


@dataclass(frozen=True, slots=True)
class Map:
    """A map of the network with a color per port."""

    layout: Layout
    shade: Mapping[int, str]
    title: Mapping[int, str]
    description: str
    faults: tuple[Fault, ...]
    named: Mapping[int, str] = field(default_factory=dict)
    """Names by port that are written at their lines."""

    @property
    def labels(self) -> list[Label]:
        """Names on their lines, where they cover neither each other nor a box."""
        labels: list[Label] = []
        for direction in self.layout.directions:
            if direction.port in self.named:
                places = self._list_places(direction, shorten(self.named[direction.port], _LETTERS_OF_LABEL))
                labels.append(next(place for place in places if self._is_free(place, labels)))
        return labels

    def _list_places(self, direction: LinkDirection, name: str) -> Iterator[Label]:
        """Places along the line, then below its center."""
        width = round(len(name) * _LETTER + 8, 1)
        numbers = [float(number) for number in re.findall(r"-?[0-9.]+", direction.path)]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        heights = chain(((share, 0.0) for share in _SHARES), ((0.5, step * _LABEL_HEIGHT) for step in count(1)))
        for share, lower in heights:
            x, y = _find_point(points, share)
            x = max(width / 2, min(x, self.layout.width - width / 2))
            yield Label(round(x, 1), round(y + lower, 1), width, name)

    def _is_free(self, place: Label, labels: Sequence[Label]) -> bool:
        boxes = ((box.middle, box.y + box.height / 2, box.width, box.height) for box in self.layout.boxes)
        rectangles = chain(boxes, ((label.x, label.y, label.width, label.height) for label in labels))
        return not any(place.overlaps(*rectangle) for rectangle in rectangles)

    @property
    def directions(self) -> list[LinkDirection]:
        """Cable directions; dark ones are last, and so drawn above the others."""
        return sorted(
            self.layout.directions, key=lambda direction: (self.shade.get(direction.port, "h0"), direction.port)
        )

    @property
    def host_directions(self) -> tuple[HostDirection, ...]:
        """Cells of hosts."""
        return self.layout.host_directions

    @property
    def faulty(self) -> frozenset[int]:
        """Nodes with a fault."""
        return frozenset(node for fault in self.faults for node in fault.nodes)

    @property
    def faulty_ports(self) -> frozenset[int]:
        """Both ends of cables with a fault."""
        return frozenset(2 * link + end for fault in self.faults for link in fault.links for end in (0, 1))


@dataclass(frozen=True, slots=True)
class Player:
    """An animation in a page: one picture, and the data of all others."""

    picture: Map
    frame: int
    moment: str
    frames: int
    top: tuple[tuple[str, str], ...]
    data: str
    left_out: int


def _find_point(points: Sequence[tuple[float, float]], share: float) -> tuple[float, float]:
    """The point at a share of a line, or of a quadratic curve if there is a control point."""
    while len(points) > 1:
        points = [(a + share * (c - a), b + share * (d - b)) for (a, b), (c, d) in pairwise(points)]
    return points[0]


def pause_map(run: SimulationView) -> Map | None:
    """Build the map of pauses; None if no port was paused."""
    paused = run.pauses.ports
    if not paused:
        return None
    end = run.summary.end_us * 1e6
    share = {entry.port: entry.total_ps / end for entry in paused}
    unit, size = time_unit(paused[0].total_ps)
    title = {
        entry.port: f"{run.network.link_name(entry.port)}: {wording.plural(entry.pauses, 'pause')}, "
        f"{wording.number(entry.total_ps / size)} {unit}, {wording.percent(entry.total_ps / end)} of the run"
        for entry in paused
    }
    longest = "; ".join(title[entry.port] for entry in paused[:3])
    described = f"{wording.plural(len(paused), 'paused port')}. Longest: {longest}."
    arrangement = layout(run.network, {entry.port: float(entry.total_ps) for entry in paused})
    return Map(
        arrangement,
        {port: color_scale.shade(port_share) for port, port_share in share.items()},
        title,
        described,
        run.summary.faults,
        {entry.port: run.network.port_names[entry.port] for entry in paused[:_LABELED]},
    )


def player(run: SimulationView) -> Player | None:
    """Build the player; None if no port was sampled."""
    animation = run.animation
    if animation is None:
        return None
    frames = len(animation.starts)
    peaks = [max((levels[frame] for levels in animation.queue.values()), default=0) for frame in range(frames)]
    peak_frame = peaks.index(max(peaks))
    busy = {port: float(sum(levels)) for port, levels in animation.queue.items()}
    arrangement = layout(run.network, busy)
    state = {port: color_scale.shade(levels[peak_frame] / (LEVELS - 1)) for port, levels in animation.queue.items()}
    title = {port: run.network.link_name(port) for port in run.network.ports}
    unit, size = time_unit(animation.end)
    moment = f"{wording.number(animation.starts[peak_frame] / size)} {unit}"
    picture = Map(arrangement, state, title, f"Queue depth of all ports at the peak ({moment}).", run.summary.faults)
    return Player(
        picture,
        peak_frame,
        moment,
        frames,
        _list_deepest_queues(run, animation, peak_frame),
        _encode_animation(run, animation),
        animation.left_out,
    )


def _list_deepest_queues(run: SimulationView, animation: Animation, frame: int) -> tuple[tuple[str, str], ...]:
    deepest = sorted(
        (port for port, levels in animation.queue.items() if levels[frame]),
        key=lambda port: (-animation.queue[port][frame], port),
    )
    unit, size = bytes_unit(animation.most_queue_bytes)
    maximum = animation.most_queue_bytes / size / (LEVELS - 1)
    return tuple(
        (run.network.port_names[port], f"{wording.number(animation.queue[port][frame] * maximum)} {unit}")
        for port in deepest[:_TOP]
    )


def _encode_animation(run: SimulationView, animation: Animation) -> str:
    """The data of the script: one letter per level, without characters that HTML interprets."""
    unit, size = time_unit(animation.end)
    byte_unit, byte_size = bytes_unit(animation.most_queue_bytes)
    named = {
        "times": [round(start / size, 3) for start in animation.starts],
        "unit": unit,
        "most": animation.most_queue_bytes / byte_size,
        "mostUnit": byte_unit,
        "from": color_scale.MINIMUMS,
        "top": _TOP,
        "names": {str(port): wording.clean(run.network.port_names[port]) for port in _list_ports(animation)},
        **{kind: _encode_levels(getattr(animation, kind)) for kind in KINDS},
    }
    text = json.dumps(named, ensure_ascii=True, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _list_ports(animation: Animation) -> list[int]:
    return sorted({*animation.queue, *animation.load, *animation.paused})


def _encode_levels(levels: Mapping[int, tuple[int, ...]]) -> dict[str, str]:
    return {str(port): "".join(_LETTERS[level] for level in port_levels) for port, port_levels in levels.items()}
