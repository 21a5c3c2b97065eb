"""Comparison of peers in a terminal: the matrix as shades if it fits, suspects, and the commands that repeat them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from wirespeed.report import wording
from wirespeed.report.panels import Panel, panels
from wirespeed.results.peers import Cell, CellPattern, Kind, Matrix, PeerGroup, Peers, Suspect
from wirespeed.units import format_percent

_SHADES = "█▓▒░"
_STEPS = (0.95, 0.8, 0.6)  # lower bound of the fraction of each shade except the last
_FAILED, _UNMEASURED, _SELF, _UNCOMPARED = "x", " ", "·", "?"
_EVIDENCE, _GROUPS = 4, 6  # maximum lines of each
_NEXT_STEP = "`wirespeed collect`, then `wirespeed check` compares settings, PCIe slots and cables with the plan"


def peers(result: Peers, console: Console) -> None:
    """Print each matrix, then what was not compared."""
    described: dict[SuspectKey, tuple[Matrix, Suspect]] = {}
    for matrix in result.matrices:
        _print_matrix(matrix, console, described)
        console.print()
    for note in result.notes:
        console.print(Text(f"note: {wording.line(note)}"), soft_wrap=True)
    suspects: dict[SuspectKey, bool] = {}  # one cause may be low in several matrices
    for suspect in (suspect for matrix in result.matrices for suspect in matrix.suspects):
        key = _make_key(suspect)
        suspects[key] = suspects.get(key, False) or suspect.confirmed
    confirmed = sum(suspects.values())
    compared = sum(cell.fraction is not None for matrix in result.matrices for cell in matrix.cells)
    outcome = [wording.plural(len(suspects), "suspect"), f"{confirmed} confirmed"] if suspects else ["no suspect"]
    console.print(f"{wording.plural(compared, 'result')} compared, {', '.join(outcome)}")


SuspectKey = tuple[Kind, str, CellPattern]


def _make_key(suspect: Suspect) -> SuspectKey:
    return suspect.kind, suspect.name, suspect.pattern


def _print_matrix(matrix: Matrix, console: Console, described: dict[SuspectKey, tuple[Matrix, Suspect]]) -> None:
    """Print one matrix; a suspect in ``described`` refers to the matrix with its details."""
    console.print(Text(wording.line(matrix.title), style="bold"), soft_wrap=True)
    _print_picture(matrix, console)
    for group in matrix.groups[:_GROUPS]:
        for number, line in enumerate(_describe_group(group, matrix)):
            console.print(Text(f"{'    ' if number else '  '}{line}"), soft_wrap=True)
    if len(matrix.groups) > _GROUPS:
        console.print(f"  and {len(matrix.groups) - _GROUPS} more groups of equivalent results: see --format json")
    for note in matrix.notes:
        console.print(Text(f"  note: {wording.line(note)}"), soft_wrap=True)
    for suspect in matrix.suspects:
        first = described.setdefault(_make_key(suspect), (matrix, suspect))
        _print_suspect(suspect, matrix, console, None if first[1] is suspect else first)


def _print_picture(matrix: Matrix, console: Console) -> None:
    """Print the squares; rows send, columns receive. Rails are side by side if their rows are the same hosts."""
    cells = {(cell.source, cell.target): cell for cell in matrix.cells}
    is_column = all(cell.target is None for cell in matrix.cells)
    squares = panels(matrix)
    if len(matrix.members) < 2:
        return
    if len({square.labels for square in squares}) == 1:
        lines = _format_square(squares, cells, is_column)
    else:
        lines = [line for square in squares for line in _format_square((square,), cells, is_column)]
    if max(map(len, lines)) + 2 > console.width:
        return
    for line in lines:
        console.print(Text(f"  {line}".rstrip()), soft_wrap=True)
    scale = "  ".join(
        f"{shade} {text}" for shade, text in zip(_SHADES, _describe_scale(matrix.lower_is_better), strict=True)
    )
    uncompared = f"  {_UNCOMPARED} not compared" if any(_UNCOMPARED in line.split() for line in lines) else ""
    row = "" if is_column else "row sends, column receives; "
    measure = "multiple of the peers' median" if matrix.lower_is_better else "share of the peers' median"
    console.print(Text(f"  {row}{measure}: {scale}  {_FAILED} failed{uncompared}", style="dim"), soft_wrap=True)


def _format_square(
    squares: Sequence[Panel], cells: Mapping[tuple[str, str | None], Cell], is_column: bool
) -> list[str]:
    """Format squares side by side, with one label per row."""
    labels = [wording.line(label) for label in squares[0].labels]
    room = max(map(len, labels))
    wide = 1 if is_column else 2 * len(labels) - 1
    titles = [f"{square.title or '':<{wide}}" for square in squares]
    head = [f"{'':<{room}}  {'  '.join(titles)}"] if any(square.title for square in squares) else []
    rows = [
        f"{label:<{room}}  {'  '.join(f'{_format_row(square, row, cells, is_column):<{wide}}' for square in squares)}"
        for row, label in enumerate(labels)
    ]
    return [*head, *rows]


def _format_row(square: Panel, row: int, cells: Mapping[tuple[str, str | None], Cell], is_column: bool) -> str:
    member = square.members[row]
    if is_column:
        return _choose_shade(cells.get((member.name, None)))
    shades = []
    for column_member in square.members:
        cell = cells.get((member.name, column_member.name))
        shades.append(_SELF if column_member is member and cell is None else _choose_shade(cell))
    return " ".join(shades)


def _choose_shade(cell: Cell | None) -> str:
    if cell is None:
        return _UNMEASURED
    if cell.value is None:
        return _FAILED
    if cell.fraction is None:
        return _UNCOMPARED
    fraction = cell.fraction
    return next((shade for shade, minimum in zip(_SHADES, _STEPS, strict=False) if fraction >= minimum), _SHADES[-1])


def _describe_scale(lower_is_better: bool) -> tuple[str, ...]:
    if lower_is_better:
        return (*(f"≤ {1 / step:.2f} ×" for step in _STEPS), "more")
    return (*(f"≥ {format_percent(step, 0)}" for step in _STEPS), "less")


def _describe_group(group: PeerGroup, matrix: Matrix) -> Iterator[str]:
    """What the results of a group are compared with, and from when one is slow."""
    cells = wording.plural(group.cells, "result")
    if group.expected is None or group.spread is None or group.least is None:
        yield wording.line(f"{group.name}: {cells}, too few to compare (at least 4 needed)")
        return
    median = f"{group.statistic} {wording.number(group.expected)} {wording.unit(matrix.unit)}"
    yield wording.line(f"{group.name}: {cells}, {median}")
    spread = f"spread {wording.percent(group.spread)} (robust standard deviation)"
    if group.least <= 0:
        yield f"{spread}: too wide to find a single slow result"
        return
    yield spread
    low = group.expected / group.least if matrix.lower_is_better else group.expected * group.least
    side = "above" if matrix.lower_is_better else "below"
    sign = "÷" if matrix.lower_is_better else "×"
    rule = f" = median {sign} (1 − {format_percent(1 - group.least, 2)})"
    yield f"slow: {side} {wording.quantity(low, matrix.unit)}{rule}"
    if group.margin is not None:
        yield group.margin


def _print_suspect(
    suspect: Suspect, matrix: Matrix, console: Console, described: tuple[Matrix, Suspect] | None = None
) -> None:
    state, style = ("CONFIRMED", "bold red") if suspect.confirmed else ("SUSPECT", "yellow")
    console.print(
        Text.assemble("  ", (f"{state:<9} ", style), (suspect_title(suspect, matrix), "bold")), soft_wrap=True
    )
    if described is not None and described[1].retest == suspect.retest:
        console.print(Text(f"    details above: {wording.line(described[0].title)}"), soft_wrap=True)
        return
    for fact in suspect.because.split("; "):
        console.print(Text(f"    {wording.line(fact)}"), soft_wrap=True)
    if suspect.other_causes:
        console.print(
            Text(f"    other possible causes: {wording.line(', '.join(suspect.other_causes))}"), soft_wrap=True
        )
    for cable in suspect.cables[:_EVIDENCE]:
        console.print(Text(f"    cable: {wording.line(cable)}"), soft_wrap=True)
    for line in suspect.evidence[:_EVIDENCE]:
        console.print(Text(f"    {wording.line(line)}", style="dim"), soft_wrap=True)
    if suspect.results > _EVIDENCE:
        text = f"the {_EVIDENCE} slowest of {suspect.results:,} results of the slow cells"
        console.print(Text(f"    {text}", style="dim"), soft_wrap=True)
    if suspect.confirmed:
        console.print(Text(f"    next: {_NEXT_STEP}"), soft_wrap=True)
    measured = "measured once" if suspect.times == 1 else f"not slow in each of {suspect.times} logs"
    if suspect.retest and not suspect.confirmed:
        console.print(Text(f"    {measured}; repeat to confirm:"))
        for command in suspect.retest:
            console.print(Text(f"      {wording.line(command)}", style="bold"), soft_wrap=True)
    elif not suspect.confirmed:
        text = f"{measured}; to confirm, repeat the measurement and give both logs to `wirespeed bench peers`"
        console.print(Text(f"    {text}"), soft_wrap=True)


def suspect_title(suspect: Suspect, matrix: Matrix) -> str:
    """``host node3 as sender: 54 % of its peers``; for latencies ``host node3: 1.26 × its peers``."""
    plain = suspect.pattern is CellPattern.ALL or suspect.kind is Kind.LEAVES  # the name has both ends
    direction = "" if plain else f" {suspect.pattern.value}"
    if suspect.fraction <= 0:
        ratio = "failed"
    elif matrix.lower_is_better:
        ratio = f"{wording.number(1 / suspect.fraction)} × its peers"
    else:
        ratio = f"{wording.percent(suspect.fraction)} of its peers"
    return wording.line(f"{suspect.kind.value} {suspect.name}{direction}: {ratio}")
