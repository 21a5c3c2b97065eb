"""The geometry of pair matrices: positions of cells, labels and groups. Templates draw it as SVG.

Rows send and columns receive. The shade of a cell is its fraction of its peers' value, so that pairs of different
distance or hardware share a picture. Above `SINGLE` members a square is the median of hosts, leaves or neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from wirespeed.report import wording
from wirespeed.report.panels import Panel, panels
from wirespeed.results.peers import Cell, Kind, Matrix, Member, Suspect

SINGLE = 64
"""Maximum number of rows; a row needs about 16 pixels to be visible."""
SHADES = (0.98, 0.95, 0.9, 0.8, 0.6, 0.3)
"""Lower bound of the fraction of each shade; the last shade is for anything below."""

_SIDE, _LEAST_SIDE, _MOST_SIDE = 520, 8, 34
_LETTER = 7.6  # width of a bold letter of a label
_MOST_LETTERS = 22
_STRIP = 20  # width of the names of groups


@dataclass(frozen=True, slots=True)
class Square:
    """A cell. ``shade`` is h0 … h6, failed or unknown; a ``low`` cell is outlined."""

    x: float
    y: float
    shade: str
    low: bool
    title: str


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a row or column; ``accused`` if this member is a suspect."""

    position: float
    text: str
    title: str
    accused: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Rows and columns of one leaf or host."""

    start: float
    size: float
    text: str


@dataclass(frozen=True, slots=True)
class Heat:
    """One square picture."""

    title: str | None
    description: str
    side: float  # of a cell
    left: float
    top: float
    width: float
    height: float
    squares: tuple[Square, ...]
    rows: tuple[Label, ...]
    columns: tuple[Label, ...]
    groups: tuple[Group, ...]
    values: tuple[Label, ...] = ()  # values next to the rows of single members
    note: str | None = None

    @property
    def right(self) -> float:
        """The right end of the columns."""
        return self.left + self.side * max(1, len(self.columns))

    @property
    def bottom(self) -> float:
        """The lower end of the rows."""
        return self.top + self.side * len(self.rows)


def heats(matrix: Matrix) -> tuple[Heat, ...]:
    """The pictures of a matrix: one, or one for each rail if no cell crosses rails."""
    cells = {(cell.source, cell.target): cell for cell in matrix.cells}
    accused = {suspect.name for suspect in matrix.suspects if suspect.kind in (Kind.HOST, Kind.NIC, Kind.GPU)}
    if all(cell.target is None for cell in matrix.cells):
        return (_single_column(matrix, cells, accused),)
    return tuple(_build_heat(matrix, panel, cells, accused) for panel in panels(matrix))


def legend() -> tuple[tuple[str, str], ...]:
    """Each shade and its meaning."""
    steps = [f"from {wording.percent(minimum).replace('.0', '')}" for minimum in SHADES]
    return (*((f"h{number}", text) for number, text in enumerate(steps)), (f"h{len(SHADES)}", "less"))


def _build_heat(matrix: Matrix, panel: Panel, cells: Mapping[tuple[str, str | None], Cell], accused: set[str]) -> Heat:
    bundles, note = _bundle_rows(panel)
    side = max(_LEAST_SIDE, min(_MOST_SIDE, _SIDE / len(bundles)))
    room = max(_measure_width(bundle.label) for bundle in bundles)
    grouped = _find_groups([bundle.members for bundle in bundles])
    strip = _STRIP if grouped else 0
    left_edge = top = round(room + strip, 1)
    squares = []
    for row, source in enumerate(bundles):
        for column, target in enumerate(bundles):
            ends = [(a.name, b.name) for a in source.members for b in target.members]
            pair_cells = [cells.get(pair) for pair in ends if pair[0] != pair[1] or pair in cells]
            square = _describe_square(pair_cells, source.label, target.label, matrix)
            if square is not None:
                shade, low, title = square
                squares.append(
                    Square(round(left_edge + column * side, 1), round(top + row * side, 1), shade, low, title)
                )
    labels = tuple(
        Label(
            round(top + (number + 0.5) * side, 1),
            _shorten(bundle.label),
            bundle.label,
            any(member.name in accused or member.host in accused for member in bundle.members),
        )
        for number, bundle in enumerate(bundles)
    )
    size = round(left_edge + side * len(bundles) + 1, 1)
    return Heat(
        panel.title,
        _describe_matrix(matrix, panel),
        side,
        left_edge,
        top,
        size,
        size,
        tuple(squares),
        labels,
        labels,
        tuple(Group(round(top + start * side, 1), round(count * side, 1), text) for start, count, text in grouped),
        note=note,
    )


def _single_column(matrix: Matrix, cells: Mapping[tuple[str, str | None], Cell], accused: set[str]) -> Heat:
    """A column of hosts, each with its value."""
    side = _MOST_SIDE * 0.7
    members = matrix.members
    if len(members) > SINGLE:
        slowest = sorted(matrix.cells, key=lambda cell: (cell.fraction is None, cell.fraction or 0.0))[:SINGLE]
        wanted = {cell.source for cell in slowest}
        members = tuple(member for member in members if member.name in wanted)
    note = None if len(members) == len(matrix.members) else f"the {SINGLE} slowest; the table has all"
    labels = [wording.line(member.name) for member in members]
    left_edge = max(map(_measure_width, labels))
    squares, values, rows = [], [], []
    for number, (member, label) in enumerate(zip(members, labels, strict=True)):
        middle = round((number + 0.5) * side, 1)
        rows.append(Label(middle, _shorten(label), label, member.host in accused))
        cell = cells.get((member.name, None))
        square = _describe_square([cell], label, None, matrix)
        if square is not None and cell is not None:
            squares.append(Square(left_edge, round(number * side, 1), *square))
            values.append(Label(middle, _format_value(cell, matrix), square[2], square[1]))
    width = left_edge + side + 8 + max((len(value.text) for value in values), default=0) * _LETTER
    return Heat(
        None,
        _describe_matrix(matrix, Panel(None, matrix.members, tuple(labels))),
        side,
        left_edge,
        0,
        round(width, 1),
        round(side * len(rows) + 1, 1),
        tuple(squares),
        tuple(rows),
        (),
        (),
        tuple(values),
        note,
    )


@dataclass(frozen=True, slots=True)
class _Bundle:
    label: str
    members: tuple[Member, ...]


def _bundle_rows(panel: Panel) -> tuple[list[_Bundle], str | None]:
    """Rows of a picture: members, or, if those are too many, hosts, leaves or neighbours."""
    single = [
        _Bundle(wording.line(label), (member,)) for label, member in zip(panel.labels, panel.members, strict=True)
    ]
    if len(single) <= SINGLE:
        return single, None
    for level, names in (
        ("host", [member.host for member in panel.members]),
        ("leaf", [member.leaf for member in panel.members]),
    ):
        runs = [
            (name, list(group))
            for name, group in groupby(zip(names, panel.members, strict=True), key=lambda entry: entry[0])
        ]
        if None not in names and 1 < len(runs) <= SINGLE:
            bundles = [_Bundle(wording.line(name or ""), tuple(member for _, member in group)) for name, group in runs]
            return bundles, f"a row is all of a {level}, a square their median"
    chunk_size = -(-len(single) // SINGLE)
    chunks = [panel.members[start : start + chunk_size] for start in range(0, len(panel.members), chunk_size)]
    bundles = [_Bundle(wording.line(f"{chunk[0].name} … {chunk[-1].name}"), chunk) for chunk in chunks]
    return bundles, f"a row is {chunk_size} neighbours, a square their median"


def _describe_square(
    cells: Sequence[Cell | None], source: str, target: str | None, matrix: Matrix
) -> tuple[str, bool, str] | None:
    cells_with_data = [cell for cell in cells if cell is not None]
    if not cells_with_data:
        return None if not cells else ("unknown", False, f"{_format_ends(source, target)}: not measured")
    fractions = [cell.fraction for cell in cells_with_data if cell.fraction is not None]
    low = any(cell.low for cell in cells_with_data)
    if len(cells_with_data) == 1:
        cell = cells_with_data[0]
        title = f"{_format_ends(source, target)}: {_format_value(cell, matrix)}"
        if cell.fraction is not None:
            title += f", {wording.percent(cell.fraction)} of its peers ({wording.line(cell.group)})"
        if len(cell.readings) > 1:
            title += f", {len(cell.readings)} readings"
    else:
        title = f"{_format_ends(source, target)}: {len(cells_with_data)} cells"
        if fractions:
            middle, lowest = wording.percent(median(fractions)), wording.percent(min(fractions))
            title += f", median {middle}, lowest {lowest} of their peers"
    if all(cell.value is None for cell in cells_with_data):
        return "failed", low, title
    if not fractions:
        return "unknown", low, title
    return shade(median(fractions)), low, title


def shade(fraction: float) -> str:
    """The shade of a fraction."""
    return f"h{next((number for number, minimum in enumerate(SHADES) if fraction >= minimum), len(SHADES))}"


def _format_value(cell: Cell, matrix: Matrix) -> str:
    if cell.value is None:
        errors = [reading.error for reading in cell.readings if reading.error]
        return f"failed: {_shorten(wording.line(errors[0]))}" if errors else "failed"
    return f"{wording.number(cell.value)} {wording.unit(matrix.unit)}"


def _format_ends(source: str, target: str | None) -> str:
    return source if target is None else f"{source} → {target}"


def _find_groups(rows: Sequence[tuple[Member, ...]]) -> list[tuple[int, int, str]]:
    """Groups of neighbouring rows under one leaf, else on one host, if there are several groups of several rows."""
    for attribute in ("leaf", "host"):
        names: list[str | None] = [getattr(members[0], attribute) for members in rows]
        groups, start = [], 0
        for name, run in groupby(names):
            count = len(list(run))
            groups.append((start, count, wording.line(name or "")))
            start += count
        if 1 < len(groups) < len(rows) and None not in names:
            return groups
    return []


def _describe_matrix(matrix: Matrix, panel: Panel) -> str:
    """A text alternative of the picture; every number is in the table after it."""
    names = {member.name for member in panel.members}
    row_cells = [cell for cell in matrix.cells if cell.source in names]
    low = sum(cell.low for cell in row_cells)
    title = f"{panel.title}: " if panel.title else ""
    return f"{title}{wording.plural(len(row_cells), 'cell')}, {low} slow. {_suspects_sentence(matrix.suspects)}"


def _suspects_sentence(suspects: Sequence[Suspect]) -> str:
    named = ", ".join(wording.line(f"{suspect.kind.value} {suspect.name}") for suspect in suspects[:4])
    return f"Explained by {named}." if named else "Nothing stands out."


def _shorten(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


def _measure_width(text: str) -> float:
    return round(min(len(text), _MOST_LETTERS) * _LETTER + 10, 1)
