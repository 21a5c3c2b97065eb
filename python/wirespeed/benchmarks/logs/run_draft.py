"""A run while its log is read, the result of a reader, and logs in which several processes report."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Protocol

from wirespeed.benchmarks.logs.log import Line, split_by_label
from wirespeed.errors import Problem
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters

_VALUE = attrgetter("value")
_MEASUREMENT = partial(tuple.__new__, Measurement)  # without a call for each: a large log has millions
MAX_ERRORS = 6
"""Error messages of a run that are reported."""
_MAX_MISSING = 4  # sizes that a notice names
_MAX_SWEEP = 100_000  # sizes; more cannot be the header of a table that anyone prints


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A run, the line it starts on, and the notices of lines that were not understood.

    ``last_line`` is that of an application's output, in which other rows of numbers are not results; else None.
    ``follow_line`` is the line after the rows where only its output shows that the log does not end there; else None.
    """

    line: int
    run: Run
    notices: tuple[Problem, ...] = ()
    last_line: int | None = None
    follow_line: int | None = None


@dataclass(slots=True)
class Draft:
    """A run while its lines are read. ``has_table``: the tool prints numbers, so that none of them means a cut log."""

    tool: str
    line: int
    test: str | None = None
    version: str | None = None
    ranks: int | None = None
    complete: bool = False
    has_table: bool = True
    parameters: Parameters = field(default_factory=Parameters)
    measurements: list[Measurement] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)

    def measure(
        self,
        metric: Metric,
        unit: str,
        value: float | int,
        line: int,
        size: int | None = None,
        label: str | None = None,
    ) -> None:
        """Add one number as printed, with its true unit."""
        self.measurements.append(Measurement(metric, unit, value, size, label, line))

    def measure_row(
        self, kinds: Sequence[tuple[Metric, str, str | None]], values: Sequence[float | int], line: int, size: int
    ) -> None:
        """Add the numbers of a row; each kind is metric, unit and label."""
        self.measure_rows(kinds, values, (line,), (size,))

    def measure_rows(
        self,
        kinds: Sequence[tuple[Metric, str, str | None]],
        values: Sequence[float | int],
        lines: Sequence[int],
        sizes: Sequence[int],
    ) -> None:
        """Add the numbers of rows, row by row; a row has a line, a size, and a number of each kind."""
        metrics, units, labels = zip(*kinds, strict=True)
        rows = len(sizes)
        columns = zip(
            metrics * rows,
            units * rows,
            values,
            [size for size in sizes for _ in kinds],
            labels * rows,
            [line for line in lines for _ in kinds],
            strict=True,
        )
        self.measurements += map(_MEASUREMENT, columns)

    def notice(self, line: int, found: str, expected: str = "") -> None:
        """Note that a part of the log was left out."""
        self.notices.append(Problem(f"line {line}", found, expected))

    def fail(self, message: str) -> None:
        """Note an error message of the tool, each once."""
        message = " ".join(message.split())
        if message and message not in self.errors:
            self.errors.append(message)

    def finish(self, status: RunStatus | None = None) -> ReadRun:
        """The finished run. Failed when it has errors, complete when its end was seen, truncated otherwise."""
        if status is None:
            is_complete = self.complete and (self._has_results() or not self.has_table)
            status = RunStatus.COMPLETE if is_complete else RunStatus.TRUNCATED
            status = RunStatus.FAILED if self.errors else status
        error = "; ".join(self.errors[:MAX_ERRORS]) or None
        self._drop_negative()
        run = Run(
            tool=self.tool,
            test=self.test,
            version=self.version,
            status=status,
            error=error,
            ranks=self.ranks,
            parameters=self.parameters,
            measurements=tuple(self.measurements),
        )
        return ReadRun(self.line, run, tuple(self.notices))

    def _has_results(self) -> bool:
        """Whether anything was measured; a page that masks the results may leave the numbers of wrong elements."""
        return any(measurement.metric is not Metric.WRONG for measurement in self.measurements)

    def _drop_negative(self) -> None:
        """Remove negative numbers with a notice: benchmarks measure no negative values."""
        if min(map(_VALUE, self.measurements), default=0) >= 0:
            return
        for measurement in self.measurements:
            if measurement.value < 0:
                self.notice(
                    measurement.line,
                    f"{measurement.metric} {measurement.value} {measurement.unit}",
                    "a number that is not negative",
                )
        self.measurements = [measurement for measurement in self.measurements if measurement.value >= 0]


class LineReader(Protocol):
    """Reads a report line by line."""

    def take(self, line: Line) -> None:
        """Take the next line."""

    def end_run(self) -> None:
        """End the open run, if there is one, at a heading; what precedes a run stays."""

    def finish(self) -> list[ReadRun]:
        """All runs, after the last line."""


class RunReader(ABC):
    """A reader with at most one open run."""

    def __init__(self) -> None:
        self._read_runs: list[ReadRun] = []

    def finish(self) -> list[ReadRun]:
        """All runs, after the last line."""
        self._close()
        return self._read_runs

    def end_run(self) -> None:
        """End the open run, if there is one, at a heading; what precedes a run stays."""
        self._close()

    @abstractmethod
    def _close(self) -> None:
        """End the open run, if there is one."""


_HEADING = re.compile(r"(?:#{2,6}|={3,})[ \t]+(?!OSU\b|backtrace\b|Printing statistics\b)[^\W_].*")
"""A heading of Markdown, or a text after equals signs; not those of UCX (src/ucs/debug/debug.c) and sockperf."""


def is_heading(text: str) -> bool:
    """Whether a line is a heading that a person or a script wrote between the outputs of runs: ``## run 2``."""
    return text.startswith(("##", "===")) and _HEADING.match(text) is not None


def line_matcher(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    """Whether a line, without the space around it, begins with a pattern."""
    return lambda text: pattern.match(text.strip()) is not None


def read_by_process(
    lines: Sequence[Line], starts_report: Callable[[str], bool], read: Callable[[list[Line]], Iterable[ReadRun]]
) -> list[ReadRun]:
    """The runs of every process that reports; where several do, the parameter ``process_label`` names it."""
    return [
        read_run if label is None else _set_process_label(read_run, label)
        for label, report in split_by_label(lines, starts_report)
        for read_run in read(report)
    ]


def read_runs(reader: LineReader, lines: Iterable[Line]) -> list[ReadRun]:
    """Read lines with a reader and return its runs. A heading of the file ends a run."""
    for line in lines:
        if is_heading(line.text):
            reader.end_run()
        reader.take(line)
    return reader.finish()


def _set_process_label(read_run: ReadRun, label: str) -> ReadRun:
    read_run.run.parameters.process_label = label
    return read_run


def find_missing_rows(draft: Draft, row_count: int) -> tuple[str, str] | None:
    """What a report with this number of rows contains, and what its options require; None where both agree.

    nccl-tests, src/common.cu, TimeTest: one row for each size from minBytes to maxBytes, for each type, operation and
    root.
    """
    sizes = _list_sizes(draft.parameters)
    if not sizes or row_count % len(sizes) == 0:
        return None
    measured = {measurement.size_bytes for measurement in draft.measurements}
    missing = [size for size in sizes if size not in measured]
    rows = f"{row_count} whole {'row' if row_count == 1 else 'rows'} of {len(sizes)} sizes"
    if len(missing) == len(sizes) - row_count:  # a collective may round the sizes that it prints
        rows += f"; none of {', '.join(f'{size} B' for size in missing[:_MAX_MISSING])}"
        rows += ", …" if len(missing) > _MAX_MISSING else ""
    return rows, f"a row for each size from {sizes[0]} B (minBytes) to {sizes[-1]} B (maxBytes)"


def _list_sizes(parameters: Parameters) -> list[int]:
    """The sizes from minBytes to maxBytes; none where the options do not bound them."""
    size, maximum = parameters.min_message_bytes, parameters.max_message_bytes
    factor, step = parameters.message_step_factor or 1, parameters.message_step_bytes or 0
    if size is None or maximum is None or (factor < 2 and step < 1) or (factor > 1 and size < 1):
        return []
    sizes: list[int] = []
    while size <= maximum and len(sizes) < _MAX_SWEEP:
        sizes.append(size)
        size = size * factor if factor > 1 else size + step
    return sizes if size > maximum else []
