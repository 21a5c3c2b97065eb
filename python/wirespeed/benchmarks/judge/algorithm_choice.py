"""The algorithm against which a collective is judged, where its log proves none.

The usual one of the library is assumed. A run that exceeds what it reaches by more than the error of its figures
refutes that: then the next algorithm of the hardware is the limit of all sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wirespeed.limits.algorithms import Algorithm
from wirespeed.limits.bound import GIGABYTES, convert, number
from wirespeed.results.benchmarks import Measurement, Metric, Run
from wirespeed.results.verdicts import Bound
from wirespeed.units import BITS_PER_SECOND, Size, format_percent

REFUTED = 1.05
"""Fraction of a reachable limit above which its algorithm is refuted: usable link rates are measured figures, and
published runs exceed their limits by up to 1.4 % (Broadcom 957608-AN210, section 2.8.2)."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The algorithm of a run, with a note if the usual one is refuted."""

    algorithm: Algorithm
    notes: tuple[str, ...] = ()


def choose_algorithm(run: Run, usual: Algorithm, reachable: Mapping[Algorithm, Bound | None]) -> Choice:
    """The usual algorithm, or the slowest one of the others that explains the highest bus bandwidth of a run."""
    limit = reachable[usual]
    highest = max(
        (row for row in run.measurements if row.metric is Metric.BUSBW and row.unit in BITS_PER_SECOND),
        key=_convert_to_gigabytes,
        default=None,
    )
    if limit is None or highest is None or _convert_to_gigabytes(highest) <= REFUTED * limit.value:
        return Choice(usual)
    measured = _convert_to_gigabytes(highest)
    refuted = (
        f"the log refutes the {usual.value} algorithm: {number(measured)} GB/s at {Size(highest.size_bytes or 0)} is "
        f"{format_percent(measured / limit.value, 0)} of the {number(limit.value)} GB/s that it reaches"
    )
    faster = {
        algorithm: bound.value
        for algorithm, bound in reachable.items()
        if bound is not None and bound.value > limit.value and measured <= REFUTED * bound.value
    }
    if not faster:
        return Choice(usual, (f"{refuted}; no other algorithm of this hardware reaches it",))
    algorithm = min(faster, key=lambda name: faster[name])
    return Choice(algorithm, (f"{refuted}; judged as {algorithm.value}, {number(faster[algorithm])} GB/s",))


def _convert_to_gigabytes(measurement: Measurement) -> float:
    return convert(float(measurement.value), measurement.unit, GIGABYTES)
