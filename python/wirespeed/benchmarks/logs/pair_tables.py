"""Cells of tables of every node to every other, and tables that lack the corner with the direction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from wirespeed.benchmarks.logs.numbers import number

RULE = re.compile(r"[-=+| :]{3,}")
"""A line between rows."""
EMPTY = frozenset({"-", "--", "x", "X", "n/a", "N/A", "na", "NA", "", "."})
"""Cells without a value."""


def lacks_corner(lines: Sequence[str]) -> bool:
    r"""Whether these lines contain a matrix of nodes without a corner such as ``from\to``."""
    plain = [text for line in lines if (text := line.strip(" \t|")) and not RULE.fullmatch(text)]
    return any(_is_matrix_row(heading, row) for heading, row in pairwise(plain))


def _is_matrix_row(heading: str, row: str) -> bool:
    names = split_cells(heading, heading)
    name, *cells = split_cells(row, row) or [""]
    return (
        len(cells) > 1
        and len(names) in (len(cells), len(cells) + 1)
        and name in names
        and all(number(cell) is not None or cell in EMPTY for cell in cells)
    )


def split_cells(text: str, whole: str) -> list[str]:
    """The cells of a line, separated by bars, commas, or spaces, whichever the whole line uses."""
    separator = next((candidate for candidate in ("|", ",") if candidate in whole), None)
    return [cell.strip() for cell in text.split(separator)] if separator else text.split()
