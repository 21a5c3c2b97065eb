r"""A matrix of every node to every other, as sites print it: names above and beside, one number per pair.

The corner states the direction ("from\to", "src/dst", "to\from"), the corner or a line above contains the unit. A
matrix without a unit is reported and skipped. The label is "FROM -> TO"; the diagonal is skipped. A run is complete
when every name above the matrix has its row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.pair_tables import EMPTY, RULE, split_cells
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, RunReader, read_by_process, read_runs
from wirespeed.results.benchmarks import Metric
from wirespeed.results.parameters import FailedPair

LOOKS_FOR = r"the table of pair matrices ('from\to  node1  node2', with its unit, such as Gb/s)"

_SENDER_AND_RECEIVER = (
    ("from", "to"),
    ("src", "dst"),
    ("source", "destination"),
    ("sender", "receiver"),
    ("client", "server"),
)
_SENDERS = frozenset(sender for sender, _ in _SENDER_AND_RECEIVER)
_OPPOSITE_END = {
    end: opposite
    for sender, receiver in _SENDER_AND_RECEIVER
    for end, opposite in ((sender, receiver), (receiver, sender))
}
_SEPARATORS = ("\\", "/", " \\ ", " / ", "->", " -> ")
_CORNER = re.compile(
    rf"({'|'.join(_OPPOSITE_END)})(?: ?[\\/] ?| ?-> ?)(\w+)"
    r"\s*(?:[(\[]([^)\]]*)[)\]])?(?=[\s,|])",
    re.IGNORECASE,
)


def _list_corners() -> Iterator[str]:
    """Every corner: both ends in either order, in the three usual cases, with every separator."""
    for rows_end, columns_end in _OPPOSITE_END.items():
        for change_case in (str.lower, str.capitalize, str.upper):
            for separator in _SEPARATORS:
                yield f"{change_case(rows_end)}{separator}{change_case(columns_end)}"


IDENTIFYING_TEXTS = tuple(_list_corners())

_UNIT = re.compile(r"(?:[(\[]|\bin |, ?)([KMGT]?i?(?:b|B|bit|bits)(?:ps|/s|/sec)|usec|us|ms|ns|µs)(?:[)\]]|\b)")
_RATE = re.compile(r"([KMGT]?)(i?)(bits?|b|B)(?:ps|/s|/sec)")
_TIMES = {"usec": "us", "us": "us", "µs": "us", "ms": "ms", "ns": "ns"}
_FAILED = re.compile(r"(?i:fail(?:ed|ure)?|err(?:or)?|time-?d?-?out|unreachable)")


def read(log: Source) -> list[ReadRun]:
    """Every matrix of node pairs in the log."""
    return read_by_process(
        log.without_debug(), lambda text: _parse_heading(text) is not None, lambda lines: read_runs(_Reader(), lines)
    )


@dataclass(frozen=True, slots=True)
class _Heading:
    """The line above a matrix: whether rows send, the text in brackets in the corner, and the names."""

    rows_send: bool
    corner: str
    names: tuple[str, ...]


def _parse_heading(text: str) -> _Heading | None:
    plain = text.strip(" \t|#")
    match = _CORNER.match(plain)
    if match is None:
        return None
    first, second, corner = match.groups()
    names = split_cells(plain[match.end() :].lstrip(", \t|"), plain)
    if _OPPOSITE_END.get(first.lower()) != second.lower() or len(names) < 2 or len(set(names)) < len(names):
        return None
    return _Heading(first.lower() in _SENDERS, corner or "", tuple(names))


def _find_unit(text: str) -> tuple[Metric, str] | None:
    """The metric and true unit of a text in brackets or after "in"."""
    match = _UNIT.search(text)
    if match is None:
        return None
    if match.group(1) in _TIMES:
        return Metric.LATENCY_AVG, _TIMES[match.group(1)]
    rate = _RATE.fullmatch(match.group(1))
    if rate is None:
        return None
    prefix, binary, letter = rate.groups()
    return Metric.BW_AVG, f"{prefix}{binary}{'B' if letter == 'B' else 'b'}/s"


class _Reader(RunReader):
    """Reads one matrix at a time, with the line above it."""

    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
        self._heading: _Heading | None = None
        self._measure: tuple[Metric, str] | None = None
        self._above = ""
        self._rows: set[str] = set()

    def take(self, line: Line) -> None:
        text = line.text.strip(" \t|")
        if not line.is_complete or not text.strip() or RULE.fullmatch(text):
            return
        heading = _parse_heading(line.text)
        if heading is not None:
            self._begin(line, heading)
        elif not self._read_row(line, text):
            self._close()
            self._above = text

    def _begin(self, line: Line, heading: _Heading) -> None:
        above = self._above
        self._close()
        self._draft = Draft("pair-matrix", line.number)
        if above:
            self._draft.parameters.report_title = above.strip("# ")
        self._heading = heading
        self._measure = _find_unit(f"({heading.corner})") or _find_unit(above)
        if self._measure is None:
            self._draft.notice(line.number, "a matrix without a unit", "one beside it, such as (Gb/s); left out")

    def _close(self) -> None:
        draft, heading = self._draft, self._heading
        self._draft = self._heading = None
        if draft is not None and heading is not None and self._rows:  # prose contains "from/to" too
            draft.complete = self._rows >= set(heading.names)
            self._read_runs.append(draft.finish())
        self._rows, self._above = set(), ""

    def _read_row(self, line: Line, text: str) -> bool:
        draft, heading = self._draft, self._heading
        if draft is None or heading is None:
            return False
        row, *cells = split_cells(text, text) if "|" in text or "," in text else text.split()
        while len(cells) > len(heading.names) and cells[-1] == "":
            cells.pop()  # a separator at the end of a row
        if row not in heading.names and not (
            cells and all(number(cell) is not None or cell in EMPTY or _FAILED.fullmatch(cell) for cell in cells)
        ):
            return False
        if len(cells) != len(heading.names):
            draft.notice(line.number, f"a row of {len(cells)} values", f"{len(heading.names)}; the row is left out")
            return True
        self._rows.add(row)
        for peer_name, cell in zip(heading.names, cells, strict=True):
            self._read_cell(line, row, peer_name, cell)
        return True

    def _read_cell(self, line: Line, row: str, peer_name: str, cell: str) -> None:
        draft, heading = self._draft, self._heading
        if row == peer_name or self._measure is None or draft is None or heading is None:
            return
        label = f"{row} -> {peer_name}" if heading.rows_send else f"{peer_name} -> {row}"
        value = number(cell)
        if _FAILED.fullmatch(cell):
            draft.parameters.failed_pairs = {**draft.parameters.failed_pairs, label: FailedPair(cell, line.number)}
        elif value is None:
            draft.notice(line.number, f"{cell!r} for {label}", "a number; left out")
        else:
            draft.measure(self._measure[0], self._measure[1], value, line.number, label=label)
