"""Two campaigns side by side: what differs by more than chance and by more than matters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from wirespeed.results.campaigns import Campaign, Changes, Compared, Comparison, Difference, Summary
from wirespeed.results.series import Better, Series, better
from wirespeed.store.significance import benjamini_hochberg, least_p, mann_whitney, median, spread

SIGNIFICANCE: Final = 0.05

AT_LEAST: Final = 0.02
"""Differences below it are not called worse or better, however certain: what repeated pair tests spread by."""

_Key = TypeVar("_Key", bound=Hashable)
Values = Mapping[_Key, Sequence[float]]


def compare(
    a: Campaign,
    b: Campaign,
    values: tuple[Values[_Key], Values[_Key]],
    names: Callable[[Sequence[_Key]], Mapping[_Key, Series]],
    changes: Changes,
    significance: float = SIGNIFICANCE,
    at_least: float = AT_LEAST,
) -> Comparison:
    """Every series that both campaigns have. ``names`` says which series the keys of the values are."""
    before, after = values
    both = [key for key in before if key in after]
    known = names(both)
    rows = [_summarised(known[key], before[key], after[key], significance) for key in both if key in known]
    tested = [index for index, row in enumerate(rows) if row.p is not None]
    adjusted = benjamini_hochberg([rows[index].p or 0.0 for index in tested])
    for index, p in zip(tested, adjusted, strict=True):
        rows[index] = _judged(rows[index], p, significance, at_least, len(tested))
    rows.sort(key=_order)
    return Comparison(
        a,
        b,
        significance,
        at_least,
        _noise(rows),
        tuple(rows),
        len(before) - len(both),
        len(after) - len(both),
        changes,
    )


def summary(values: Sequence[float]) -> Summary:
    """The values of a series in one campaign."""
    return Summary(len(values), median(values), min(values), max(values), spread(values))


def relative(before: float, after: float) -> float | None:
    """How much a level changed, relative to what it was; None where it was 0."""
    return (after - before) / abs(before) if before else None


def direction(series: Series, before: float, after: float) -> Difference:
    """Whether a change of level is for the better."""
    if before == after:
        return Difference.NONE
    way = better(series.metric)
    if way is Better.NEITHER:
        return Difference.CHANGED
    return Difference.BETTER if (after > before) == (way is Better.HIGHER) else Difference.WORSE


def _summarised(series: Series, before: Sequence[float], after: Sequence[float], significance: float) -> Compared:
    a, b = summary(before), summary(after)
    row = Compared(series, a, b, Difference.FEW, "", relative(a.median, b.median))
    if min(a.count, b.count) == 1:
        return replace(row, reason="one value on a side: nothing tells a difference from chance")
    least = least_p(a.count, b.count)
    if least > significance:
        return replace(row, reason=f"{a.count} and {b.count} values: p cannot fall below {least:.2g}")
    tested = mann_whitney(before, after)
    return replace(row, p=tested.p, effect=tested.effect)


def _judged(row: Compared, adjusted: float, significance: float, at_least: float, family: int) -> Compared:
    row = replace(row, adjusted=adjusted)
    if adjusted > significance:
        among = f", {adjusted:.2g} among {family} series" if family > 1 else ""
        return replace(row, difference=Difference.NONE, reason=f"p = {row.p:.2g}{among}")
    if row.change is not None and abs(row.change) < at_least:
        return replace(row, difference=Difference.NONE, reason=f"certain, but smaller than {100 * at_least:g} %")
    return replace(row, difference=direction(row.series, row.a.median, row.b.median), reason=f"p = {row.p:.2g}")


def _noise(rows: Sequence[Compared]) -> float | None:
    """The median relative spread of repeated values."""
    spreads = [
        side.spread / abs(side.median)
        for row in rows
        for side in (row.a, row.b)
        if side.spread is not None and side.median
    ]
    return median(spreads) if spreads else None


_RANK = {name: rank for rank, name in enumerate(Difference)}


def _order(row: Compared) -> tuple[object, ...]:
    series = row.series
    size = -1 if series.size_bytes is None else series.size_bytes
    words = (series.tool, series.test or "", series.where or "", str(series.workload), series.metric.value)
    return (_RANK[row.difference], -abs(row.change or 0.0), words, size, series.place or "", series.ranks or 0)
