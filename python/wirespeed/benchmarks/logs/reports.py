"""A log in which several processes report: each report is read by itself, and its runs say whose they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from wirespeed.benchmarks.logs.log import Line, by_label
from wirespeed.benchmarks.logs.run_draft import Found


class LineReader(Protocol):
    """Reads a report line by line."""

    def take(self, line: Line) -> None:
        """The next line."""

    def finish(self) -> list[Found]:
        """All runs, after the last line."""


def read_apart(
    lines: Sequence[Line], starts_report: Callable[[str], bool], read: Callable[[list[Line]], Iterable[Found]]
) -> list[Found]:
    """The runs of every process that reports; where several do, the parameter ``label`` says which it was."""
    return [
        found if label is None else _labelled(found, label)
        for label, own in by_label(lines, starts_report)
        for found in read(own)
    ]


def taken(reader: LineReader, lines: Iterable[Line]) -> list[Found]:
    """What a reader makes of these lines."""
    for line in lines:
        reader.take(line)
    return reader.finish()


def _labelled(found: Found, label: str) -> Found:
    return replace(found, run=replace(found.run, parameters={**found.run.parameters, "label": label}))
