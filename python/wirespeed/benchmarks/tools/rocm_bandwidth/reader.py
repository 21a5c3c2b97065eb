"""rocm-bandwidth-test: copies between the CPUs and GPUs of a host, a run for each of its matrices and copy tables.

From ROCm/rocm_bandwidth_test rocm_bandwidth_test_report.cpp and rocm_bandwidth_test_print.cpp, releases 1 to 2.6. GB/s
are 1e9 bytes per second; a bidirectional copy counts the sum of both directions. The tool numbers CPUs and GPUs in one
row; if the log contains its list of devices, CPU0 and GPU0 are the first of each, as in ROCm's other tools.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.device_matrix import Matrix, indices
from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, read_by_process
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "the matrices of rocm-bandwidth-test ('Unidirectional copy peak bandwidth GB/s')"
IDENTIFYING_TEXTS = ("RocmBandwidthTest Version", "directional copy ", "Src Device Id", "Data Path Validation")

_VERSION = re.compile(r"RocmBandwidthTest Version: (\S+)")
_DEVICE = re.compile(
    r"Device: (\d+), +(.+?)(?:, +GPU-[\w-]+)?(?:, +((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]+\.[0-9a-f]))?$"
)
_TITLE = re.compile(r"(Uni|Bi|B)directional copy (peak|average) bandwidth GB/s$")  # "Bdirectional" until 2.0
_ENDS = re.compile(r"=+ Src Device Id: (\d+) Src Device Type: (\w+) =+")
_TARGET = re.compile(r"=+ Dst Device Id: (\d+) Dst Device Type: (\w+) =+")
_BANNER = re.compile(r"=+ +(Unidirectional |Bidirectional )?Benchmark Result +=+")
_COPY = re.compile(r"(\d{1,9}) (B|KB|MB|GB) +(\S+) +(\S+) +(\S+) +(\S+)$")
_BYTES = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}  # printRecord divides by 1024
_COLUMNS = ((Metric.TIME, "us"), (Metric.BW_AVG, "GB/s"), (Metric.LATENCY_MIN, "us"), (Metric.BW_PEAK, "GB/s"))
_ERROR = re.compile(r".*(?:cannot ACCESS Dst Memory|Invalid Request|hsa_\w+ failed|HSA_STATUS_ERROR\w*).*")


def read(log: Source) -> list[ReadRun]:
    """Every matrix and copy table of rocm-bandwidth-test in the log."""
    return read_by_process(
        log.without_debug(), lambda text: _VERSION.search(text) is not None, lambda lines: _Reader().read(lines)
    )


class _Reader:
    def __init__(self) -> None:
        self._read_runs: list[ReadRun] = []
        self._draft: Draft | None = None
        self._matrix: Matrix | None = None
        self._kind: str | None = None  # peak, average or validation
        self._version: str | None = None
        self._names: dict[str, str] = {}
        self._gpus: list[str] = []
        self._models: set[str] = set()
        self._is_bidirectional: bool | None = None

    def read(self, lines: list[Line]) -> list[ReadRun]:
        for line in lines:
            if line.is_complete:
                self._take(line, line.text.strip(" \t|"))
        self._close()
        return self._read_runs

    def _take(self, line: Line, text: str) -> None:
        version = _VERSION.search(text)
        if version:
            self._close()
            self._version, self._names, self._gpus, self._models = version.group(1), {}, [], set()
            return
        device = _DEVICE.match(text)
        if device:
            self._read_device(*device.groups())
            return
        title = _TITLE.match(text)
        if title or text == "Data Path Validation":
            self._open(line, title)
        elif not self._read_copies(line, text):
            cells = text.split()
            if cells and cells[0] == "D/D" and indices(cells[1:]):
                self._read_header(cells[1:])
            elif cells and cells[0].isdecimal():
                self._read_row(line, cells)
            elif cells and not indices(cells) and self._kind is None and self._draft is None and _ERROR.match(text):
                self._fail(line, text)

    def _read_device(self, index: str, model: str, address: str | None) -> None:
        if address is None:
            self._names[index] = f"CPU{len(self._names) - len(self._gpus)}"
            return
        self._names[index] = f"GPU{len(self._gpus)}"
        self._gpus.append(address)
        self._models.add(model)

    def _open(self, line: Line, title: re.Match[str] | None) -> None:
        self._start_run(line, "copy" if title else "validation")
        assert self._draft is not None
        self._kind = title.group(2) if title else "validation"
        if title and title.group(1) != "Uni":
            self._draft.parameters.bidirectional = True

    def _start_run(self, line: Line, test: str) -> None:
        self._close()
        self._draft = Draft("rocm-bandwidth-test", line.number, test=test, version=self._version)
        if self._names:
            self._draft.parameters.gpus = len(self._gpus)
            self._draft.parameters.gpu_addresses = ", ".join(self._gpus)
        if len(self._models) == 1:
            self._draft.parameters.gpu_model = next(iter(self._models))

    def _read_header(self, columns: list[str]) -> None:
        if self._draft is None or self._kind is None or self._matrix is not None:
            return
        metric = Metric.BW_AVG if self._kind == "average" else Metric.BW_PEAK
        self._matrix = Matrix(columns, len(columns), metric, "GB/s", self._name_label)

    def _read_row(self, line: Line, cells: list[str]) -> None:
        if self._draft is None or self._matrix is None or self._draft.complete:
            return
        if self._kind == "validation":
            self._read_validation_row(cells)
        else:
            self._matrix.take(self._draft, cells[0], cells[1:], line.number)
        self._draft.complete = self._matrix.is_whole

    def _read_validation_row(self, cells: list[str]) -> None:
        assert self._draft is not None and self._matrix is not None
        if len(cells) != len(self._matrix.columns) + 1 or not set(cells[1:]) <= {"PASS", "FAIL", "N/A"}:
            return
        self._matrix.rows_read.add(cells[0])
        failed = [
            self._name_label(cells[0], column)
            for column, cell in zip(self._matrix.columns, cells[1:], strict=True)
            if cell == "FAIL"
        ]
        if failed:
            self._draft.fail(f"Data Path Validation FAIL: {', '.join(failed)}")

    def _read_copies(self, line: Line, text: str) -> bool:
        """Read the banner and the rows of a copy between two devices."""
        banner, source, target, copy = _BANNER.match(text), _ENDS.match(text), _TARGET.match(text), _COPY.match(text)
        if banner:
            self._close()
            direction = banner.group(1)
            self._is_bidirectional = None if direction is None else direction.startswith("Bi")
        elif source:
            self._start_run(line, "copy")
            assert self._draft is not None
            self._draft.parameters.source_device = self._name_device(source.group(1))
            if self._is_bidirectional:
                self._draft.parameters.bidirectional = True
        elif target and self._draft is not None:
            self._draft.parameters.target_device = self._name_device(target.group(1))
        elif copy and self._draft is not None and self._draft.parameters.target_device is not None:
            self._read_copy(line, copy)
        elif not text and self._draft is not None and self._kind is None and self._draft.measurements:
            self._draft.complete = True  # the table ends with an empty line
            self._close()
        else:
            return False
        return True

    def _read_copy(self, line: Line, copy: re.Match[str]) -> None:
        assert self._draft is not None
        size = int(copy.group(1)) * _BYTES[copy.group(2)]
        label = f"{self._draft.parameters.source_device} -> {self._draft.parameters.target_device}"
        for (metric, unit), cell in zip(_COLUMNS, copy.groups()[2:], strict=True):
            value = number(cell)
            if value is None:
                self._draft.notice(line.number, f"{cell!r} in the row of {size} B", "a number; left out")
            else:
                self._draft.measure(metric, unit, value, line.number, size, label)

    def _fail(self, line: Line, text: str) -> None:
        if self._version is None:
            return
        self._start_run(line, "copy")
        assert self._draft is not None
        self._draft.fail(text)
        self._close()

    def _name_device(self, index: str) -> str:
        return self._names.get(index, f"device {index}")

    def _name_label(self, source: str, target: str) -> str:
        return f"{self._name_device(source)} -> {self._name_device(target)}"

    def _close(self) -> None:
        if self._draft is not None:
            self._read_runs.append(self._draft.finish())
        self._draft = self._matrix = self._kind = None
