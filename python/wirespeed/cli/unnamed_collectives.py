"""Name the collective of logs of nccl-tests and rccl-tests that do not name it, so that their runs are one series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirespeed.limits.group import Collective
    from wirespeed.results.series import Series

Values = Mapping["Series", Sequence[float]]

LOG = "log"
"""The part of a series' workload that keeps logs without the name of their collective apart (`results.series`)."""


def is_unnamed(series: Series) -> bool:
    """Whether a series is of one log, because that does not name its collective."""
    return any(name == LOG for name, _ in series.workload)


def name_collective(values: Values, times: Values, collective: Collective) -> tuple[Values, Values, tuple[str, ...]]:
    """Values and times with the collective as the test of unnamed series, and the logs whose bandwidths exclude it."""
    excluded = {
        _find_log(series) for series, row in values.items() if not _can_be(series, row, values, times, collective)
    }
    named, named_times = ({}, {})  # type: dict[Series, list[float]], dict[Series, list[float]]
    for source, target in ((values, named), (times, named_times)):
        for series, row in source.items():
            log = _find_log(series)
            key = series if log is None or log in excluded else _name(series, collective)
            target.setdefault(key, []).extend(row)
    return named, named_times, tuple(sorted(log for log in excluded if log is not None))


def _find_log(series: Series) -> str | None:
    return next((str(value) for name, value in series.workload if name == LOG), None)


def _name(series: Series, collective: Collective) -> Series:
    return replace(
        series, test=format_test(collective), workload=tuple(entry for entry in series.workload if entry[0] != LOG)
    )


def format_test(collective: Collective) -> str:
    """The test of a series: ``all_reduce`` for all-reduce, ``alltoall`` for all-to-all."""
    return collective.value.replace("all-to-all", "alltoall").replace("alltoall-v", "alltoallv").replace("-", "_")


def _can_be(series: Series, row: Sequence[float], values: Values, times: Values, collective: Collective) -> bool:
    """Whether bus bandwidths of an unnamed series are those of a collective by its times, where both are known."""
    from wirespeed.cli.bus_factors import find_bus_factor
    from wirespeed.results.benchmarks import Metric
    from wirespeed.results.printed_digits import is_rounded

    factor = find_bus_factor(_name(series, collective))
    of_time = replace(series, metric=Metric.TIME, unit="us")
    timed = values.get(of_time, times.get(of_time, ()))
    if not is_unnamed(series) or series.metric is not Metric.BUSBW or not timed or not factor or not series.size_bytes:
        return True
    return is_rounded(row, [factor * series.size_bytes / (time * 1e3) for time in timed if time > 0], timed)
