"""scibench2: the table that it prints, a run for each copy function.

From Dolphin's SISCI API slides (Roy Nordstrøm, University of Oslo, 2014): a line names the function, then follow the
columns ``Segment Size:``, ``Average Send Latency:`` and ``Throughput:``, in bytes, us and MBytes/s of 1e6 bytes.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, RunReader, read_runs
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "the table of scibench2 ('Segment Size:   Average Send Latency:   Throughput:')"
IDENTIFYING_TEXTS = ("Average Send Latency:",)

_FUNCTION = re.compile(r"Function: (\S.*?)(?: \(\d+\))?$")
_COLUMNS = re.compile(r"Segment Size:\s+Average Send Latency:\s+Throughput:$")
_ROW = re.compile(r"([0-9]{1,18})\s+([0-9]{1,18}(?:\.[0-9]+)?) us\s+([0-9]{1,18}(?:\.[0-9]+)?) MBytes/s$")

_LARGEST = 65536
"""The largest size by default; no line ends the table."""


def read(log: Source) -> list[ReadRun]:
    """Every table of scibench2 in the log."""
    return read_runs(_Reader(), log.without_debug())


class _Reader(RunReader):
    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
        self._function: str | None = None

    def take(self, line: Line) -> None:
        if not line.is_complete:
            return
        text = line.text.strip()
        if function := _FUNCTION.match(text):
            self._close()
            self._function = function[1]
        elif _COLUMNS.match(text):
            self._close()
            self._draft = Draft("scibench2", line.number)
            self._draft.test = "pio"
            self._draft.parameters.report_title = self._function
        elif self._draft is not None and (row := _ROW.match(text)):
            self._draft.measure(Metric.LATENCY_AVG, "us", float(row[2]), line.number, int(row[1]))
            self._draft.measure(Metric.BW_AVG, "MB/s", float(row[3]), line.number, int(row[1]))
            self._draft.complete = int(row[1]) >= _LARGEST
        elif self._draft is not None and self._draft.measurements and text:
            self._draft.complete = True
            self._close()

    def _close(self) -> None:
        if self._draft is not None:
            self._read_runs.append(self._draft.finish())
            self._draft = None
