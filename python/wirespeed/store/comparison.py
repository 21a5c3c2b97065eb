"""Compare two campaigns: find differences that are significant and large enough to matter."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import count
from typing import Final, NamedTuple, TypeVar

from wirespeed.results.campaign_history import Campaign, Changes, Comparison, Difference, SeriesComparison, Summary
from wirespeed.results.series import Better, Series, better, list_parts
from wirespeed.store.bandwidths_from_times import BusFactor, compute_bandwidths
from wirespeed.store.joint_change import group_families, joint_differences, outlier_probabilities
from wirespeed.store.last_digit import differ_by_last_digit, find_last_digits, name_measured
from wirespeed.store.path_pairs import explain_unpaired
from wirespeed.store.significance import TestResult, benjamini_hochberg, mann_whitney, median, middle, minimum_p, spread

SIGNIFICANCE: Final = 0.05

AT_LEAST: Final = 0.02
"""Smaller differences are never called worse or better: repeated pair tests have this spread."""

_Key = TypeVar("_Key", bound=Hashable)
Values = Mapping[_Key, Sequence[float]]


class Significance(NamedTuple):
    """The tests of a difference: against repeated values of the series, and against other series of the measurement."""

    tested: TestResult | None
    outlier_probabilities: float | None
    p: float | None
    is_by_peers: bool


def compare(
    a: Campaign,
    b: Campaign,
    values: tuple[Values[_Key], Values[_Key]],
    names: Callable[[Sequence[_Key]], Mapping[_Key, Series]],
    changes: Changes,
    significance: float = SIGNIFICANCE,
    at_least: float = AT_LEAST,
    *,
    times: tuple[Values[_Key], Values[_Key]] | None = None,
    bus_factor: BusFactor | None = None,
) -> Comparison:
    """Every series that both campaigns have. ``names`` maps the keys of the values to series.

    With ``bus_factor``, bandwidths of collectives are computed from ``times``, or from the times among the values,
    where these have more digits.
    """
    before, after = values
    common_keys = [key for key in before if key in after]
    named = {key: series for key, series in names(common_keys).items() if not series.is_of_empty_messages}
    parts = list_parts(named.values())
    series_by_key = {key: series for key, series in named.items() if series not in parts}
    last_digits = find_last_digits(
        (series_by_key[key], values_of_side[key]) for values_of_side in values for key in series_by_key
    )
    computed: Mapping[_Key, float] = {}
    if bus_factor is not None:
        names_of_times = named if times is None else names([key for key in times[0] if key in times[1]])
        bandwidths = compute_bandwidths(series_by_key, values, times or values, names_of_times, bus_factor)
        (before, after), computed = bandwidths.values, bandwidths.digits
    sides = [
        (series_by_key[key], summary(before[key]), summary(after[key])) for key in common_keys if key in series_by_key
    ]
    last_digit_by_side = [
        computed.get(key, last_digits.get(name_measured(series_by_key[key])))
        for key in common_keys
        if key in series_by_key
    ]
    digits = [
        _find_rounding(*side, last_digit, at_least) for side, last_digit in zip(sides, last_digit_by_side, strict=True)
    ]
    families = group_families(
        [side[0] for side in sides],
        [
            relative(earlier.median, later.median) if digit is None else None
            for (_, earlier, later), digit in zip(sides, digits, strict=True)
        ],
    )
    tested = [
        mann_whitney(before[key], after[key]) if _has_enough_values(before[key], after[key], significance) else None
        for key in common_keys
        if key in series_by_key
    ]
    results = [
        _compare_series(*arguments)
        for arguments in zip(tested, outlier_probabilities(families, len(sides)), strict=True)
    ]
    variable = [
        result.p
        for (_, earlier, later), result in zip(sides, results, strict=True)
        if result.p is not None and _is_variable(earlier, later)
    ]
    adjusted, family = iter(benjamini_hochberg(variable)), len(variable)
    rows = [
        _note_resolution(
            _note_rounding(
                _report_missing_values(*side, significance)
                if result.p is None
                else _judge_series(
                    *side,
                    result,
                    result.p,
                    next(adjusted) if _is_variable(*side[1:]) else 1.0,
                    significance,
                    at_least,
                    family,
                ),
                digit,
            ),
            last_digit,
            at_least,
        )
        for side, result, digit, last_digit in zip(sides, results, digits, last_digit_by_side, strict=True)
    ]
    rows.sort(key=_sort_key)
    return Comparison(
        a,
        b,
        significance,
        at_least,
        _compute_noise(rows),
        tuple(rows),
        len(before) - len(common_keys),
        len(after) - len(common_keys),
        changes,
        joint_differences(families, significance, at_least),
        len(parts),
        None if common_keys else explain_unpaired(names(list(before)).values(), names(list(after)).values()),
        len(computed),
    )


def summary(values: Sequence[float]) -> Summary:
    """The values of a series in one campaign."""
    ordered = sorted(values)
    typical = middle(ordered)
    return Summary(len(ordered), typical, ordered[0], ordered[-1], spread(ordered, typical))


def relative(before: float, after: float) -> float | None:
    """The relative change of a level; None if the level was 0."""
    return (after - before) / abs(before) if before else None


def direction(series: Series, before: float, after: float) -> Difference:
    """Whether a change of level is an improvement."""
    if before == after:
        return Difference.NONE
    preference = better(series.metric)
    if preference is Better.NEITHER:
        return Difference.CHANGED
    return Difference.BETTER if (after > before) == (preference is Better.HIGHER) else Difference.WORSE


def _compare_series(tested: TestResult | None, outlier_probabilities: float | None) -> Significance:
    """Combine both tests: the smaller p, doubled for two tests (Bonferroni)."""
    if tested is None or outlier_probabilities is None:
        return Significance(
            tested, outlier_probabilities, outlier_probabilities if tested is None else tested.p, tested is None
        )
    return Significance(
        tested,
        outlier_probabilities,
        min(1.0, 2 * min(tested.p, outlier_probabilities)),
        outlier_probabilities < tested.p,
    )


def _find_rounding(series: Series, a: Summary, b: Summary, last_digit: float | None, at_least: float) -> float | None:
    """The last digit of the printed values, if it is all by which they differ, and the difference is not small."""
    if not differ_by_last_digit(a.median, b.median, last_digit):
        return None
    change = relative(a.median, b.median)
    return last_digit if change is None or abs(change) >= at_least else None


def _note_rounding(row: SeriesComparison, last_digit: float | None) -> SeriesComparison:
    """A difference of the last printed digit is no change, and its percentage has no meaning."""
    if last_digit is None:
        return row
    is_undecided = row.difference is Difference.TOO_FEW_VALUES
    return replace(
        row,
        difference=row.difference if is_undecided else Difference.NONE,
        reason=row.reason if is_undecided else f"the values differ by their last printed digit ({last_digit:g}) alone",
        change=None,
        last_digit=last_digit,
    )


def _note_resolution(row: SeriesComparison, last_digit: float | None, at_least: float) -> SeriesComparison:
    """No significant change, but one of the size looked for may be less than the last printed digit."""
    if last_digit is None or not row.a.median or row.difference is not Difference.NONE:
        return row
    resolution = last_digit / abs(row.a.median)
    return replace(row, resolution=resolution) if resolution > at_least else row


def _has_enough_values(before: Sequence[float], after: Sequence[float], significance: float) -> bool:
    """Whether this number of values can show a difference at all."""
    return min(len(before), len(after)) > 1 and minimum_p(len(before), len(after)) <= significance


def _is_variable(a: Summary, b: Summary) -> bool:
    """Whether not all values are equal: a test of equal values cannot give a false alarm, so it needs no correction.

    Tests that no order of the values makes significant are left out of the correction: Tarone, Biometrics 46 (1990),
    and Gilbert, J. R. Statist. Soc. C 54 (2005), for the correction by Benjamini and Hochberg.
    """
    return min(a.lowest, b.lowest) < max(a.highest, b.highest)


def _count_needed_runs(significance: float, tests: int = 1) -> int:
    """The runs on each side with which values that do not overlap are significant among this number of tests."""
    return next(runs for runs in count(2) if minimum_p(runs, runs) * tests <= significance)


def _report_missing_values(series: Series, a: Summary, b: Summary, significance: float) -> SeriesComparison:
    runs = _count_needed_runs(significance)
    reason = (
        f"{a.count} and {b.count} values; at least {runs} on each side are needed, more for many series: "
        "repeat the runs, or select fewer series"
    )
    return SeriesComparison(series, a, b, Difference.TOO_FEW_VALUES, reason, relative(a.median, b.median))


def _judge_series(
    series: Series,
    a: Summary,
    b: Summary,
    tested: Significance,
    p: float,
    adjusted: float,
    significance: float,
    at_least: float,
    family: int,
) -> SeriesComparison:
    change = relative(a.median, b.median)
    difference, reason = Difference.NONE, f"p = {p:.2g}"
    if tested.is_by_peers:
        reason += ", by how much the other series of this measurement changed"
    if adjusted > significance:
        reason += f", {adjusted:.2g} among {family} series" if family > 1 and adjusted > p else ""
        is_large = change is None or abs(change) >= at_least
        if tested.tested is not None and is_large and _is_separated(a, b):
            # The runs could not have given a smaller p, so they can neither prove nor exclude this change.
            difference = Difference.NOT_PROVEN
            tests = family if tested.outlier_probabilities is None else 2 * family
            runs = _count_needed_runs(significance, tests)
            reason = (
                f"the values of both sides do not overlap, but {a.count} and {b.count} values prove no change "
                f"({reason}); at least {runs} on each side are needed for {family} series: repeat the runs, or select "
                "fewer series"
            )
    elif change is not None and abs(change) < at_least:
        reason = f"certain, but smaller than {100 * at_least:g} %"
    else:
        difference = direction(series, a.median, b.median)
    p_of_series, effect = (None, None) if tested.tested is None else (tested.tested.p, tested.tested.effect)
    return SeriesComparison(
        series, a, b, difference, reason, change, p_of_series, adjusted, effect, tested.outlier_probabilities
    )


def _is_separated(a: Summary, b: Summary) -> bool:
    """Whether all values of a side are above all of the other: the order with the smallest p."""
    return a.highest < b.lowest or b.highest < a.lowest


def _compute_noise(rows: Sequence[SeriesComparison]) -> float | None:
    """The median relative spread of repeated values, of series that are printed with enough digits to show it."""
    spreads = [
        side.spread / abs(side.median)
        for row in rows
        if row.resolution is None
        for side in (row.a, row.b)
        if side.spread is not None and side.median
    ]
    return median(spreads) if spreads else None


_RANK = {name: rank for rank, name in enumerate(Difference)}


def _sort_key(row: SeriesComparison) -> tuple[object, ...]:
    series = row.series
    size = -1 if series.size_bytes is None else series.size_bytes
    key = (series.tool, series.test or "", series.ends or "", _text(series.workload), series.metric.value)
    return (_RANK[row.difference], -abs(row.change or 0.0), key, size, series.label or "", series.ranks or 0)


_text = lru_cache(maxsize=1024)(str)
