"""The column ``error`` (``res`` before 2019) of releases before 2.13: the largest difference of an element.

Such a table counts as failed where an error is above a tolerance for each further rank, by data type (src/common.cu,
DeltaMaxValue and CheckData). The line "Out of bounds values" contains their number; this module is for logs without it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

_IN_PLACE = 1  # group of columns
_TOLERANCES = {"half": 1e-2, "bfloat16": 1e-2, "float": 1e-5, "double": 1e-12}  # integers: none
_MOST_RANKS = 1024  # of a job whose log does not state them
_MAY_BE_UNCHECKED = (None, "sendrecv", "alltoall", "alltoallv")  # reportErrors of their files


ElementErrors = dict[tuple[int, str], tuple[float, str, int]]
"""By group of columns and data type the largest error, its text and the size of its row."""


def list_wrong_data(
    errors: ElementErrors, test: str | None, ranks: int | None, *, reduces: bool
) -> Iterator[tuple[bool, str]]:
    """Whether the tool checks the data, and a text, for each error above the tolerance.

    In place, a test without a reduction may be one that checks no data there.
    """
    for (group, datatype), (error, cell, size) in errors.items():
        tolerance = _TOLERANCES.get(datatype, 0.0) * ((ranks or _MOST_RANKS) - 1)
        if error <= tolerance or (math.isfinite(error) and error - _round(error) <= tolerance):
            continue
        is_checked = group != _IN_PLACE or reduces or test not in _MAY_BE_UNCHECKED
        side = "in-place" if group == _IN_PLACE else "out-of-place"
        of_ranks = f"{ranks} ranks" if ranks else f"up to {_MOST_RANKS} ranks"
        yield is_checked, f"error {cell} {side} at {size} B; tolerated for {datatype} and {of_ranks}: {tolerance:.2g}"


def _round(error: float) -> float:
    """Half of the last digit of an error, which is printed with one."""
    return float(10 ** math.floor(math.log10(error)) / 2)
