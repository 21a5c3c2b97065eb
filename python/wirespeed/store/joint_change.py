"""Places measured alike, taken together: did all of them change, and which of them changed unlike the others.

A campaign often holds one run of each pair. Of one such pair nothing can be said by itself; but two hundred pairs tell
how much a pair changes for no reason, and whether all of them moved one way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from wirespeed.results.campaign_history import Difference, Together
from wirespeed.results.series import Better, Series, better
from wirespeed.store.significance import MAD_TO_SIGMA, benjamini_hochberg, median, middle, signed_ranks, unimodal

ENOUGH: Final = 6
"""Places from which on all of them can show a change: signed ranks of five cannot fall below 2/2^5 = 0.06."""

ENOUGH_ALIKE: Final = 20
"""Places from which on their spread says what is unlike them: below, it is off by more than a quarter.

The standard error of a median absolute deviation of n normal values is 1.17 / sqrt(2 n) of it (Rousseeuw and Croux,
JASA 88 (1993), section 1: an efficiency of 37 %).
"""


@dataclass(frozen=True, slots=True)
class Alike:
    """A measurement that was taken at several places: one of its series, and which it is of those that are compared."""

    series: Series
    indices: tuple[int, ...]
    changes: tuple[float, ...]  # relative


def alike(series: Sequence[Series], changes: Sequence[float | None]) -> list[Alike]:
    """The series that differ in their place alone, by what they measure; without those whose change is not known."""
    found: dict[tuple[object, ...], list[int]] = {}
    for index, one in enumerate(series):
        if changes[index] is not None:
            name = (one.metric, one.size_bytes, one.test, one.tool, one.ranks, one.unit, one.workload)
            found.setdefault(name, []).append(index)
    return [
        Alike(series[own[0]], tuple(own), tuple(change for index in own if (change := changes[index]) is not None))
        for own in found.values()
    ]


def unlike(families: Sequence[Alike], count: int) -> list[float | None]:
    """For each of ``count`` series the probability to change so unlike the others; None where few are like it."""
    found: list[float | None] = [None] * count
    for family in families:
        if len(family.indices) < ENOUGH_ALIKE:
            continue
        changes = family.changes
        typical = median(changes)
        sigma = MAD_TO_SIGMA * middle(sorted([abs(change - typical) for change in changes]))
        if sigma == 0:
            continue
        for index, change in zip(family.indices, changes, strict=True):
            found[index] = unimodal((change - typical) / sigma)
    return found


def together(families: Sequence[Alike], significance: float, at_least: float) -> tuple[Together, ...]:
    """Every measurement that was taken at several places, what got worse first."""
    enough = [family for family in families if len(family.indices) >= ENOUGH]
    found = [signed_ranks(family.changes) for family in enough]
    adjusted = benjamini_hochberg(found)
    said = [
        _said(family, p, one, significance, at_least) for family, p, one in zip(enough, found, adjusted, strict=True)
    ]
    return tuple(sorted(said, key=_order))


def _said(family: Alike, p: float, adjusted: float, significance: float, at_least: float) -> Together:
    change, way = median(family.changes), better(family.series.metric)
    difference = Difference.NONE
    if adjusted <= significance and abs(change) >= at_least:
        improved = (change > 0) == (way is Better.HIGHER)
        difference = Difference.BETTER if improved else Difference.WORSE
        difference = Difference.CHANGED if way is Better.NEITHER else difference
    placeless = replace(family.series, where=None, place=None)
    ends = min(family.changes), max(family.changes)
    return Together(placeless, len(family.changes), difference, change, *ends, p, adjusted)


_RANK = {name: rank for rank, name in enumerate(Difference)}


def _order(one: Together) -> tuple[object, ...]:
    of = one.series
    size = -1 if of.size_bytes is None else of.size_bytes
    what = (of.tool, of.test or "", str(of.workload), of.metric.value, size, of.ranks or 0)
    return (_RANK[one.difference], -abs(one.change), *what)
