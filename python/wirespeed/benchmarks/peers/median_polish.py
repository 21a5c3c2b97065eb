"""Tukey's median polish: split a table into effects of its rows and of its columns.

J. W. Tukey, Exploratory Data Analysis, 1977, chapter 11. Cells may be missing, as the diagonal of a pair matrix is.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from statistics import median
from typing import TypeVar

_Name = TypeVar("_Name", bound=Hashable)
_ROUNDS = 10  # Tukey stops after two to four; further rounds change no printed digit


def polish(table: Mapping[tuple[_Name, _Name], float]) -> tuple[dict[_Name, float], dict[_Name, float]]:
    """Additive effects of rows and columns, each around a median of 0."""
    rows: dict[_Name, list[_Name]] = {}
    columns: dict[_Name, list[_Name]] = {}
    for row, column in table:
        rows.setdefault(row, []).append(column)
        columns.setdefault(column, []).append(row)
    of_row, of_column = dict.fromkeys(rows, 0.0), dict.fromkeys(columns, 0.0)
    for _ in range(_ROUNDS):
        previous = (dict(of_row), dict(of_column))
        for row, across in rows.items():
            of_row[row] = median(table[row, column] - of_column[column] for column in across)
        for column, down in columns.items():
            of_column[column] = median(table[row, column] - of_row[row] for row in down)
        _centre(of_column)
        if previous == (of_row, of_column):
            break
    _centre(of_row)
    return of_row, of_column


def _centre(effects: dict[_Name, float]) -> None:
    middle = median(effects.values()) if effects else 0.0
    for name in effects:
        effects[name] -= middle
