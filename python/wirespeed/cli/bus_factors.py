"""The bus factor of a stored series."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirespeed.results.series import Series


def find_bus_factor(series: Series) -> float | None:
    """The bus factor of a collective; None where the log does not name it, or its shares are uneven."""
    from wirespeed.limits.group import Collective, bus_factor, find_collective

    collective = find_collective(series.test or "")
    if collective in (None, Collective.HYPERCUBE, Collective.ALL_TO_ALL_V) or not series.ranks:
        return None
    return bus_factor(collective, series.ranks)
