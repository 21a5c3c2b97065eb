"""bandwidthTest of the CUDA samples: copies between the host and its GPUs, a run for each direction.

From NVIDIA/cuda-samples bandwidthTest.cu (printResultsReadable, printResultsCSV), CUDA 4 to 12: MB/s are 2^20 bytes per
second, the GB/s of CUDA 10 and later 1e9. A value of several GPUs is the sum of all, which no link limits, and names no
pair. A table ends with an empty line, a list of results (--csv) with the next direction or the result of the test.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, RunReader, line_matcher, read_by_process, read_runs
from wirespeed.results.benchmarks import PAIR_ARROW, Metric

LOOKS_FOR = "the tables of bandwidthTest of the CUDA samples ('Host to Device Bandwidth, 1 Device(s)')"
IDENTIFYING_TEXTS = ("[CUDA Bandwidth Test]", "Transfer Size (Bytes)", "bandwidthTest-", " Device(s)")

_BEGINS = re.compile(r"\[CUDA Bandwidth Test\] - Starting")
_DEVICE = re.compile(r"Device (\d+): ?(\S.*)$")
_TITLE = re.compile(r"(Host|Device) to (Host|Device) Bandwidth, (\d+) Device\(s\)$")
_MEMORY = re.compile(r"(PINNED|PAGEABLE) Memory Transfers$")
_COLUMNS = re.compile(r"Transfer Size \(Bytes\)\s+Bandwidth\(([MG])B/s\)$")
_ROW = re.compile(r"(\d+)\s+(\d+(?:\.\d+)?)$")
_RESULT = re.compile(
    r"bandwidthTest-(H2D|D2H|D2D)(?:-(Paged|Pinned))?(?:-?WriteCombined)?, Bandwidth = (\d+(?:\.\d+)?) ([MG])B/s, "
    r"Time = [\d.]+ s, Size = (\d+) bytes(?:, NumDevsUsed = (\d+))?$"
)
_END = re.compile(r"Result = (PASS|FAIL)$")
_ERROR = re.compile(r"(?:.*CUDA error at .*|cudaGetDevice\w+ returned \d+.*|!+No devices found!+)$")
_SIDES = {"H": "host", "D": "device"}
_UNITS = {"M": "MiB/s", "G": "GB/s"}
_MEMORY_NAMES = {"paged": "pageable"}


def read(log: Source) -> list[ReadRun]:
    """Every table and list of bandwidthTest in the log."""
    return read_by_process(log.without_debug(), line_matcher(_BEGINS), lambda lines: read_runs(_Reader(), lines))


class _Reader(RunReader):
    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
        self._has_begun = False  # errors count after the first line of the report alone: other tools print them too
        self._devices: list[tuple[str, str]] = []
        self._unit: str | None = None
        self._copy: tuple[str, int, str | None] | None = None  # direction, number of GPUs, kind of host memory

    def take(self, line: Line) -> None:
        if not line.is_complete:
            return
        text = line.text.strip(" \t|")
        title, columns, result = _TITLE.match(text), _COLUMNS.match(text), _RESULT.match(text)
        if _BEGINS.match(text):
            self._close()
            self._devices, self._has_begun = [], True
        elif device := _DEVICE.match(text):
            self._devices.append((device.group(1), device.group(2).strip()))
        elif title:
            source, target = title.group(1)[0].upper(), title.group(2)[0].upper()
            self._open(line, (f"{_SIDES[source]}_to_{_SIDES[target]}", int(title.group(3)), None))
        elif self._draft is not None and (memory := _MEMORY.match(text)):
            self._draft.parameters.host_memory = _name_memory(memory.group(1))
        elif columns:
            self._open_without_title(line, columns.group(1))
        elif result:
            self._read_result(line, result)
        elif end := _END.match(text):
            self._end(line, end.group(1))
        elif _ERROR.match(text):
            self._fail(line, text)
        elif self._draft is not None and self._unit is not None:
            self._read_row(line, text)

    def _open(self, line: Line, copy: tuple[str, int, str | None]) -> Draft:
        if self._draft is not None:
            self._draft.complete = bool(self._draft.measurements)
        self._close()
        self._copy = copy
        self._draft = Draft("bandwidthTest", line.number, test=copy[0])
        parameters = self._draft.parameters
        parameters.host_memory = copy[2]
        if self._devices:
            parameters.gpus = len(self._devices)
        models = {model for _, model in self._devices}
        if len(models) == 1:
            parameters.gpu_model = next(iter(models))
        return self._draft

    def _open_without_title(self, line: Line, prefix: str) -> None:
        if self._draft is None or self._unit is not None:
            self._close()
            self._copy = None
            self._draft = Draft("bandwidthTest", line.number)
        self._unit = _UNITS[prefix]

    def _read_row(self, line: Line, text: str) -> None:
        assert self._draft is not None and self._unit is not None
        row = _ROW.match(text)
        if row:
            self._measure(line, int(row.group(1)), row.group(2), self._unit)
        elif not text and self._draft.measurements:
            self._draft.complete = True
            self._close()

    def _read_result(self, line: Line, result: re.Match[str]) -> None:
        kind, memory, value, prefix, size, gpus = result.groups()
        copy = (f"{_SIDES[kind[0]]}_to_{_SIDES[kind[2]]}", int(gpus or 1), _name_memory(memory) if memory else None)
        if self._draft is None or self._copy != copy or self._unit is not None:
            self._open(line, copy)
        self._measure(line, int(size), value, _UNITS[prefix])

    def _measure(self, line: Line, size: int, cell: str, unit: str) -> None:
        assert self._draft is not None
        value = number(cell)
        if value is not None:
            self._draft.measure(Metric.BW_AVG, unit, value, line.number, size, self._find_pair())

    def _find_pair(self) -> str | None:
        """The ends of the copy, or None for the sum of several GPUs."""
        if self._copy is None or self._copy[1] != 1:
            return None
        gpu = f"GPU{self._devices[0][0]}" if len(self._devices) == 1 else "GPU"
        source, _, target = self._copy[0].partition("_to_")
        return PAIR_ARROW.join("CPU" if side == "host" else gpu for side in (source, target))

    def _end(self, line: Line, result: str) -> None:
        if self._draft is not None and self._draft.measurements:
            self._draft.complete = True
        if result == "FAIL":
            self._fail(line, "Result = FAIL")
        self._close()

    def _fail(self, line: Line, text: str) -> None:
        if self._draft is None and self._has_begun:
            self._draft = Draft("bandwidthTest", line.number)
        if self._draft is not None:
            self._draft.fail(text)

    def _close(self) -> None:
        if self._draft is not None:
            self._read_runs.append(self._draft.finish())
        self._draft = self._unit = self._copy = None


def _name_memory(text: str) -> str:
    return _MEMORY_NAMES.get(text.lower(), text.lower())
