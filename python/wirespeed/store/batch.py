"""Runs as columns, ready to be written at once. A batch is plain data: a worker process fills it, the writer stores it.

Holds no connection and imports no database.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from wirespeed.results.benchmarks import Metric, Run
from wirespeed.results.json import plain
from wirespeed.results.parameters import Scalar
from wirespeed.results.series import Experiment, Series, experiment
from wirespeed.store.raw_output import RawLog

_Number = TypeVar("_Number", int, float)
_Name = tuple[Metric, str, int | None, str | None]
_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


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
    location: str | None
    parameters: str
    failures: str


class StoredSeries(NamedTuple):
    """A series with the hash that names it in every store."""

    hash: bytes
    tool: str
    test: str | None
    location: str | None
    ranks: int | None
    workload: str
    metric: str
    unit: str
    size_bytes: int | None
    place: str | None


@dataclass(slots=True)
class Batch:
    """Whole logs, their runs, and a row of five columns for each measurement.

    ``run`` and ``kind`` count in the lists of runs and series; ``position`` counts in the run. Once sorted, the rows of
    a series are adjacent, ``rows`` for each, in the order in which they were added.
    """

    logs: list[RawLog] = field(default_factory=list)
    runs: list[StoredRun] = field(default_factory=list)
    series: list[StoredSeries] = field(default_factory=list)
    run: array[int] = field(default_factory=lambda: array("q"))
    kind: array[int] = field(default_factory=lambda: array("q"))
    position: array[int] = field(default_factory=lambda: array("q"))
    line: array[int] = field(default_factory=lambda: array("q"))
    value: array[float] = field(default_factory=lambda: array("d"))
    rows: list[int] = field(default_factory=list)
    _known: dict[Experiment, dict[_Name, int]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.value)

    def add(self, log: RawLog, runs: Sequence[Run], location: str | None = None) -> None:
        """Add a log with the runs that were read from it; ``location`` is its pair, if known."""
        self.logs.append(log)
        self.rows = []
        for position, run in enumerate(runs):
            self._add_run(len(self.logs) - 1, position, run, experiment(run, location))

    def sort(self) -> None:
        """Put the rows of each series together, in the order of the series: a store appends them there."""
        if len(self.rows) == len(self.series):
            return
        compute: Any = importlib.import_module("pyarrow.compute")
        order = compute.array_sort_indices(_arrow(self.kind))  # a stable sort

        def sort(column: array[_Number]) -> array[_Number]:
            return array(column.typecode, memoryview(compute.take(_arrow(column), order).buffers()[1]).tobytes())

        self.run, self.kind, self.position = sort(self.run), sort(self.kind), sort(self.position)
        self.line, self.value = sort(self.line), sort(self.value)
        counts = Counter(self.kind)
        self.rows = [counts[number] for number in range(len(self.series))]

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
                shared.location,
                as_text(plain(run.parameters)),
                as_text(run.failures),
            )
        )
        if not run.measurements:
            return
        metrics, units, values, sizes, places, lines = zip(*run.measurements, strict=True)
        known = self._known.setdefault(shared, {})
        names = list(zip(metrics, units, sizes, places, strict=True))
        if not known.keys() >= set(names):
            for measurement, name in zip(run.measurements, names, strict=True):
                if name not in known:
                    known[name] = len(self.series)
                    self.series.append(stored_value(shared.series(measurement)))
        self.kind.extend(map(known.__getitem__, names))
        self.position.extend(range(len(names)))
        self.line.extend(lines)
        self.value.extend(values)
        self.run.extend([len(self.runs) - 1] * len(names))


def _arrow(column: array[int] | array[float]) -> Any:
    """A column as Arrow's, without a copy."""
    arrow: Any = importlib.import_module("pyarrow")
    kind = arrow.int64() if column.typecode == "q" else arrow.float64()
    return arrow.Array.from_buffers(kind, len(column), [None, arrow.py_buffer(column)])


def as_text(value: Mapping[str, Scalar] | Sequence[object]) -> str:
    """JSON in one spelling: the same value, the same text."""
    return _JSON.encode(value)


@lru_cache(maxsize=1 << 16)  # the logs of a campaign measure the same again and again
def stored_value(series: Series) -> StoredSeries:
    """A series as it is kept."""
    workload = as_text(series.workload)
    identity = (
        series.tool,
        series.test,
        series.location,
        series.ranks,
        workload,
        series.metric.value,
        series.unit,
        series.size_bytes,
        series.place,
    )
    name = hashlib.blake2b(repr(identity).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return StoredSeries(name, *identity)


def series_of(kept: StoredSeries) -> Series:
    """A stored series as results name it."""
    return Series(
        kept.tool,
        kept.test,
        kept.location,
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
