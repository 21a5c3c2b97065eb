"""Matrices between GPUs and CPUs, as several tools print them: a line of columns, then a row for each device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft
from wirespeed.results.benchmarks import Metric

_EMPTY = frozenset({"N/A", "NA", "-"})  # cells that the tools leave out


@dataclass(slots=True)
class Matrix:
    """A matrix while its rows are read.

    ``label`` names a cell by its row and column; ``rows`` is the number of rows it must have.
    """

    columns: Sequence[str]
    rows: int
    metric: Metric
    unit: str
    label: Callable[[str, str], str | None]
    size: int | None = None
    rows_read: set[str] = field(default_factory=set)

    @property
    def is_whole(self) -> bool:
        """Whether every row was read."""
        return len(self.rows_read) >= self.rows

    def take(self, draft: Draft, row: str, cells: Sequence[str], line: int) -> None:
        """Measure the cells of a row; note a cell that is neither a number nor left out by the tool."""
        if row in self.rows_read:
            draft.notice(line, f"row {row} repeated", "one row for each device; the row is left out")
            return
        if len(cells) != len(self.columns):
            draft.notice(line, f"a row of {len(cells)} cells", f"{len(self.columns)} cells; the row is left out")
            return
        self.rows_read.add(row)
        unread = []
        for column, cell in zip(self.columns, cells, strict=True):
            value = number(cell)
            if value == 0 and row == column:
                continue  # nvbandwidth until 0.1 prints 0.00 where it copies nothing
            if value is not None:
                draft.measure(self.metric, self.unit, value, line, self.size, self.label(row, column))
            elif cell not in _EMPTY:
                unread.append(cell)
        if unread:
            draft.notice(line, f"{', '.join(unread)} in row {row}", "numbers; left out")


def indices(cells: Sequence[str]) -> bool:
    """Whether cells are device numbers, as in the column line of a matrix."""
    return bool(cells) and all(cell.isdecimal() and len(cell) <= 4 for cell in cells) and len(set(cells)) == len(cells)
