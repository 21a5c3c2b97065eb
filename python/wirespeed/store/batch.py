"""Runs as columns, ready to be written at once. A batch is plain data: a worker process fills it, the writer stores it.

Holds no connection and imports no database.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import NamedTuple

from wirespeed.results.benchmarks import Measurement, Metric, Run
from wirespeed.results.series import Experiment, Scalar, Series, experiment
from wirespeed.store.raw import RawLog

_Name = tuple[Metric, str, int | None, str | None]


# Of measurements, which are tuples: a large log has many thousands.
_NAME = itemgetter(*map(Measurement._fields.index, ("metric", "unit", "size_bytes", "place")))
_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_LINE, _VALUE = attrgetter("line"), attrgetter("value")


class StoredRun(NamedTuple):
    """A run without its measurements; ``log`` counts in the batch's logs, ``position`` within that log."""

    log: int
    position: int
    tool: str
    test: str | None
    version: str | None
    status: str
    error: str | None
    ranks: int | None
    where: str | None
    parameters: str
    failures: str


class StoredSeries(NamedTuple):
    """A series with the hash that names it in every store."""

    hash: bytes
    tool: str
    test: str | None
    where: str | None
    ranks: int | None
    workload: str
    metric: str
    unit: str
    size_bytes: int | None
    place: str | None


@dataclass(slots=True)
class Batch:
    """Whole logs, their runs, and a row of five columns for each measurement.

    ``run`` and ``series`` count in the lists beside them; ``position`` counts in the run.
    """

    logs: list[RawLog] = field(default_factory=list)
    runs: list[StoredRun] = field(default_factory=list)
    series: list[StoredSeries] = field(default_factory=list)
    run: array[int] = field(default_factory=lambda: array("q"))
    kind: array[int] = field(default_factory=lambda: array("q"))
    position: array[int] = field(default_factory=lambda: array("q"))
    line: array[int] = field(default_factory=lambda: array("q"))
    value: array[float] = field(default_factory=lambda: array("d"))
    _known: dict[Experiment, dict[_Name, int]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.value)

    def add(self, log: RawLog, runs: Sequence[Run], where: str | None = None) -> None:
        """Add a log with the runs that were read from it; ``where`` is the pair it was between, where known."""
        self.logs.append(log)
        for position, one in enumerate(runs):
            self._add_run(len(self.logs) - 1, position, one, experiment(one, where))

    def _add_run(self, log: int, position: int, run: Run, shared: Experiment) -> None:
        self.runs.append(
            StoredRun(
                log,
                position,
                run.tool,
                run.test,
                run.version,
                run.status.value,
                run.error,
                run.ranks,
                shared.where,
                as_text(run.parameters),
                as_text(run.failures),
            )
        )
        known = self._known.setdefault(shared, {})
        names = list(map(_NAME, run.measurements))
        for one, name in zip(run.measurements, names, strict=True):
            if name not in known:
                known[name] = len(self.series)
                self.series.append(stored(shared.series(one)))
        self.kind.extend(map(known.__getitem__, names))
        self.position.extend(range(len(names)))
        self.line.extend(map(_LINE, run.measurements))
        self.value.extend(map(_VALUE, run.measurements))
        self.run.extend([len(self.runs) - 1] * len(names))


def as_text(value: Mapping[str, Scalar] | Sequence[object]) -> str:
    """JSON in one spelling: the same value, the same text."""
    return _JSON.encode(value)


@lru_cache(maxsize=1 << 16)  # the logs of a campaign measure the same again and again
def stored(series: Series) -> StoredSeries:
    """A series as it is kept."""
    workload = as_text(series.workload)
    words = (
        series.tool,
        series.test,
        series.where,
        series.ranks,
        workload,
        series.metric.value,
        series.unit,
        series.size_bytes,
        series.place,
    )
    name = hashlib.blake2b(repr(words).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return StoredSeries(
        name,
        series.tool,
        series.test,
        series.where,
        series.ranks,
        workload,
        series.metric.value,
        series.unit,
        series.size_bytes,
        series.place,
    )


def series_of(kept: StoredSeries) -> Series:
    """A kept series as results speak of it."""
    return Series(
        kept.tool,
        kept.test,
        kept.where,
        kept.ranks,
        _workload(kept.workload),
        Metric(kept.metric),
        kept.unit,
        kept.size_bytes,
        kept.place,
    )


@lru_cache(maxsize=1024)
def _workload(text: str) -> tuple[tuple[str, Scalar], ...]:
    return tuple((name, value) for name, value in json.loads(text))
