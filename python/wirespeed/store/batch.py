"""Runs as columns, ready to be written at once. A worker process fills a batch, and the writer stores it.

A batch is plain data: it has no connection and imports no database.
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
    """A run without its measurements; ``log`` is an index into the batch's logs, ``position`` one within that log."""

    log: int
    position: int
    tool: str
    test: str | None
    version: str | None
    status: str
    error: str | None
    ranks: int | None
    ends: str | None
    parameters: str
    failures: str


class StoredSeries(NamedTuple):
    """A series with the hash that identifies it in every store."""

    hash: bytes
    tool: str
    test: str | None
    ends: str | None
    ranks: int | None
    workload: str
    metric: str
    unit: str
    size_bytes: int | None
    label: str | None


@dataclass(slots=True)
class Batch:
    """Whole logs, their runs, and a row of five columns for each measurement.

    ``run`` and ``kind`` are indices into the lists of runs and series, ``position`` an index within the run. After
    `sort`, the rows of a series are adjacent, in the order in which they were added; ``rows`` is their number.
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
    _number_by_name: dict[Experiment, dict[_Name, int]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.value)

    def add(self, log: RawLog, runs: Sequence[Run], ends: str | None = None) -> None:
        """Add a log with its runs; ``ends`` is its pair, if known."""
        self.logs.append(log)
        self.rows = []
        for position, run in enumerate(runs):
            self._add_run(len(self.logs) - 1, position, run, experiment(run, ends, log.name))

    def sort(self) -> None:
        """Sort the rows by series, so that a store can append the rows of each series."""
        if len(self.rows) == len(self.series):
            return
        compute: Any = importlib.import_module("pyarrow.compute")
        order = compute.array_sort_indices(_convert_to_arrow(self.kind))  # a stable sort

        def sort(column: array[_Number]) -> array[_Number]:
            return array(
                column.typecode, memoryview(compute.take(_convert_to_arrow(column), order).buffers()[1]).tobytes()
            )

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
                shared.ends,
                format_json(plain(run.parameters)),
                format_json(run.failures),
            )
        )
        if not run.measurements:
            return
        metrics, units, values, sizes, labels, lines = zip(*run.measurements, strict=True)
        number_by_name = self._number_by_name.setdefault(shared, {})
        names = list(zip(metrics, units, sizes, labels, strict=True))
        if not number_by_name.keys() >= set(names):
            for measurement, name in zip(run.measurements, names, strict=True):
                if name not in number_by_name:
                    number_by_name[name] = len(self.series)
                    self.series.append(convert_stored_value(shared.series(measurement)))
        self.kind.extend(map(number_by_name.__getitem__, names))
        self.position.extend(range(len(names)))
        self.line.extend(lines)
        self.value.extend(values)
        self.run.extend([len(self.runs) - 1] * len(names))


def _convert_to_arrow(column: array[int] | array[float]) -> Any:
    """Convert a column to an Arrow array without a copy."""
    arrow: Any = importlib.import_module("pyarrow")
    kind = arrow.int64() if column.typecode == "q" else arrow.float64()
    return arrow.Array.from_buffers(kind, len(column), [None, arrow.py_buffer(column)])


def format_json(value: Mapping[str, Scalar] | Sequence[object]) -> str:
    """Canonical JSON: equal values give the same text."""
    return _JSON.encode(value)


@lru_cache(maxsize=1 << 16)  # the logs of a campaign measure the same again and again
def convert_stored_value(series: Series) -> StoredSeries:
    """Convert a series to its stored form."""
    workload = format_json(series.workload)
    identity = (
        series.tool,
        series.test,
        series.ends,
        series.ranks,
        workload,
        series.metric.value,
        series.unit,
        series.size_bytes,
        series.label,
    )
    name = hashlib.blake2b(repr(identity).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return StoredSeries(name, *identity)


def parse_series(stored: StoredSeries) -> Series:
    """Convert a stored series back to a series."""
    return Series(
        stored.tool,
        stored.test,
        stored.ends,
        stored.ranks,
        _parse_workload(stored.workload),
        Metric(stored.metric),
        stored.unit,
        stored.size_bytes,
        stored.label,
    )


@lru_cache(maxsize=1024)
def _parse_workload(text: str) -> tuple[tuple[str, Scalar], ...]:
    return tuple((name, value) for name, value in json.loads(text))
