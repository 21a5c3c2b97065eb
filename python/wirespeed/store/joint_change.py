"""Joint change of places with the same measurement: did all of them change, and which changed differently.

A campaign often holds one run of each pair. One such pair proves nothing; but two hundred pairs
show how much a pair changes by chance, and whether all of them changed in one direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from wirespeed.results.campaign_history import Difference, JointChange
from wirespeed.results.series import Better, Series, better
from wirespeed.store.significance import MAD_TO_SIGMA, benjamini_hochberg, median, middle, signed_ranks, unimodal

MIN_PAIRS: Final = 6
"""Places from which on all of them can show a change: signed ranks of five cannot fall below 2/2^5 = 0.06."""

ENOUGH_OF_FAMILY: Final = 20
"""Number of places from which on their spread identifies outliers: below, it is off by more than a quarter.

The standard error of a median absolute deviation of n normal values is 1.17 / sqrt(2 n) of it (Rousseeuw and Croux,
JASA 88 (1993), section 1: an efficiency of 37 %).
"""


@dataclass(frozen=True, slots=True)
class Family:
    """A measurement that was taken at several places: one of its series, and which it is of those that are compared."""

    series: Series
    indices: tuple[int, ...]
    changes: tuple[float, ...]  # relative


def families_of(series: Sequence[Series], changes: Sequence[float | None]) -> list[Family]:
    """The series that differ in their place alone, by what they measure; without those whose change is not known."""
    found: dict[tuple[object, ...], list[int]] = {}
    for index, member in enumerate(series):
        if changes[index] is not None:
            name = (
                member.metric,
                member.size_bytes,
                member.test,
                member.tool,
                member.ranks,
                member.unit,
                member.workload,
            )
            found.setdefault(name, []).append(index)
    return [
        Family(
            series[members[0]],
            tuple(members),
            tuple(change for index in members if (change := changes[index]) is not None),
        )
        for members in found.values()
    ]


def outlier_probabilities(families: Sequence[Family], count: int) -> list[float | None]:
    """For each of ``count`` series the probability to change so unlike the others; None where few are like it."""
    found: list[float | None] = [None] * count
    for family in families:
        if len(family.indices) < ENOUGH_OF_FAMILY:
            continue
        changes = family.changes
        typical = median(changes)
        sigma = MAD_TO_SIGMA * middle(sorted([abs(change - typical) for change in changes]))
        if sigma == 0:
            continue
        for index, change in zip(family.indices, changes, strict=True):
            found[index] = unimodal((change - typical) / sigma)
    return found


def joint_differences(families: Sequence[Family], significance: float, at_least: float) -> tuple[JointChange, ...]:
    """Every measurement that was taken at several places, what got worse first."""
    enough = [family for family in families if len(family.indices) >= MIN_PAIRS]
    found = [signed_ranks(family.changes) for family in enough]
    adjusted = benjamini_hochberg(found)
    differences = [
        _describe(family, p, adjusted_p, significance, at_least)
        for family, p, adjusted_p in zip(enough, found, adjusted, strict=True)
    ]
    return tuple(sorted(differences, key=_order))


def _describe(family: Family, p: float, adjusted: float, significance: float, at_least: float) -> JointChange:
    change, preference = median(family.changes), better(family.series.metric)
    difference = Difference.NONE
    if adjusted <= significance and abs(change) >= at_least:
        improved = (change > 0) == (preference is Better.HIGHER)
        difference = Difference.BETTER if improved else Difference.WORSE
        difference = Difference.CHANGED if preference is Better.NEITHER else difference
    placeless = replace(family.series, location=None, place=None)
    ends = min(family.changes), max(family.changes)
    return JointChange(placeless, len(family.changes), difference, change, *ends, p, adjusted)


_RANK = {name: rank for rank, name in enumerate(Difference)}


def _order(change: JointChange) -> tuple[object, ...]:
    series = change.series
    size = -1 if series.size_bytes is None else series.size_bytes
    key = (series.tool, series.test or "", str(series.workload), series.metric.value, size, series.ranks or 0)
    return (_RANK[change.difference], -abs(change.change), *key)
