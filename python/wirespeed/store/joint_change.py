"""Joint change of the same measurement in several series: whether all changed, and which changed differently.

A campaign often contains one run of each pair. One pair proves nothing, but two hundred pairs show how much a pair
changes by chance, and whether all of them changed in one direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from wirespeed.results.campaign_history import Difference, JointChange
from wirespeed.results.series import Better, Series, better
from wirespeed.store.significance import (
    MAD_TO_SIGMA,
    benjamini_hochberg,
    compute_signed_ranks,
    median,
    middle,
    unimodal,
)

MIN_PAIRS: Final = 6
"""Minimum number of series for a joint test: with five, the p of signed ranks cannot fall below 2/2^5 = 0.06."""

MIN_FAMILY_FOR_OUTLIERS: Final = 20
"""Minimum number of series for finding outliers: with fewer, the error of their spread is above a quarter.

The standard error of a median absolute deviation of n normal values is 1.17 / sqrt(2 n) of it (Rousseeuw and Croux,
JASA 88 (1993), section 1: an efficiency of 37 %).
"""


@dataclass(frozen=True, slots=True)
class Family:
    """A measurement with several series: one of its series, and the indices of all its series in the comparison."""

    series: Series
    indices: tuple[int, ...]
    changes: tuple[float, ...]  # relative


def group_families(series: Sequence[Series], changes: Sequence[float | None]) -> list[Family]:
    """Group series that differ only in ends and label; series with an unknown change are omitted."""
    indices_by_measurement: dict[tuple[object, ...], list[int]] = {}
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
            indices_by_measurement.setdefault(name, []).append(index)
    return [
        Family(
            series[members[0]],
            tuple(members),
            tuple(change for index in members if (change := changes[index]) is not None),
        )
        for members in indices_by_measurement.values()
    ]


def outlier_probabilities(families: Sequence[Family], count: int) -> list[float | None]:
    """For each of ``count`` series the probability of such a deviation from its peers; None with too few peers."""
    probabilities: list[float | None] = [None] * count
    for family in families:
        if len(family.indices) < MIN_FAMILY_FOR_OUTLIERS:
            continue
        changes = family.changes
        typical = median(changes)
        sigma = MAD_TO_SIGMA * middle(sorted([abs(change - typical) for change in changes]))
        if sigma == 0:
            continue
        for index, change in zip(family.indices, changes, strict=True):
            probabilities[index] = unimodal((change - typical) / sigma)
    return probabilities


def joint_differences(families: Sequence[Family], significance: float, at_least: float) -> tuple[JointChange, ...]:
    """Every measurement with several series; those that got worse first."""
    large_families = [family for family in families if len(family.indices) >= MIN_PAIRS]
    p_values = [compute_signed_ranks(family.changes) for family in large_families]
    adjusted = benjamini_hochberg(p_values)
    differences = [
        _describe_change(family, p, adjusted_p, significance, at_least)
        for family, p, adjusted_p in zip(large_families, p_values, adjusted, strict=True)
    ]
    return tuple(sorted(differences, key=_sort_key))


def _describe_change(family: Family, p: float, adjusted: float, significance: float, at_least: float) -> JointChange:
    change, preference = median(family.changes), better(family.series.metric)
    difference = Difference.NONE
    if adjusted <= significance and abs(change) >= at_least:
        improved = (change > 0) == (preference is Better.HIGHER)
        difference = Difference.BETTER if improved else Difference.WORSE
        difference = Difference.CHANGED if preference is Better.NEITHER else difference
    measured = replace(family.series, ends=None, label=None)
    ends = min(family.changes), max(family.changes)
    return JointChange(measured, len(family.changes), difference, change, *ends, p, adjusted)


_RANK = {name: rank for rank, name in enumerate(Difference)}


def _sort_key(change: JointChange) -> tuple[object, ...]:
    series = change.series
    size = -1 if series.size_bytes is None else series.size_bytes
    key = (series.tool, series.test or "", str(series.workload), series.metric.value, size, series.ranks or 0)
    return (_RANK[change.difference], -abs(change.change), *key)
