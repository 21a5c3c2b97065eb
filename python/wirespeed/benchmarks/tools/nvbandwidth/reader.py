"""nvbandwidth: copies between CPU and GPUs, and between GPUs of one or several nodes; a run for each matrix.

From NVIDIA/nvbandwidth output.cpp and memcpy.h, releases 0.1 to 0.10. Bandwidths are the median of the samples of a
copy, or their mean with ``-m``. Tests that the hardware cannot do are waived: such a run has no measurement.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.device_matrix import Matrix, indices
from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, line_matcher, read_by_process
from wirespeed.benchmarks.tools.nvbandwidth.patterns import (
    ARROWS,
    BISECTION,
    DESCRIPTION,
    complete_address,
    describe,
    join_addresses,
    matrix,
)
from wirespeed.results.parameters import Parameters

LOOKS_FOR = "the matrices of nvbandwidth ('memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)')"
IDENTIFYING_TEXTS = ("nvbandwidth Version", "GPU(", " Gpus ", BISECTION)

_VERSION = re.compile(r"nvbandwidth Version: (\S+)")
_RUNTIME = re.compile(r"CUDA Runtime Version: (\S+)")
_DRIVER = re.compile(r"Driver Version: (\S+)")
_DEVICE = re.compile(r"Device (\d+): (.+?)(?: \(([0-9a-f:]+)\))?$")
_PROCESS = re.compile(r"Process\s+(\d+) \((\S+?)\): device (\d+): (.+?)(?: \([0-9a-f:]+\))?$")
_RUNNING = re.compile(r"Running (?:benchmark )?([a-z][a-z0-9_]+)\.$")
_WAIVED = re.compile(r"(?:Waiving ([a-z][a-z0-9_]+)\.|(?:Waived|WAIVED): ?(.*))$")
_SUM = re.compile(r"SUM ([a-z][a-z0-9_]+) \S+$")
_END = re.compile(r"NOTE: The reported results may not reflect")
_ERROR = re.compile(
    r"(?:ERROR|Error): .*|\[CUDA_ERROR_\w+\].*|\[?NVML_ERROR_\w+.*|ASSERT in expression .*"
    r"|Invalid value when checking the pattern.*|Aborted \(core dumped\)|.*Segmentation fault.*"
)
_BISECTED = re.compile(r"(\d+)\s*->\s*(\d+)\s+(\S+)$")


def read(log: Source) -> list[ReadRun]:
    """Every matrix of nvbandwidth in the log."""
    return read_by_process(
        log.without_debug(),
        line_matcher(DESCRIPTION),
        lambda lines: _Reader().read(lines),
    )


class _Reader:
    def __init__(self) -> None:
        self._read_runs: list[ReadRun] = []
        self._draft: Draft | None = None
        self._matrix: Matrix | None = None
        self._test: str | None = None
        self._description: str | None = None
        self._version: str | None = None
        self._parameters = Parameters()
        self._devices: list[str] = []
        self._addresses: list[str] = []
        self._hosts: dict[str, str] = {}
        self._prints_sums = False

    def read(self, lines: list[Line]) -> list[ReadRun]:
        self._prints_sums = any(_SUM.match(line.text.strip()) for line in lines if line.is_complete)
        for line in lines:
            if line.is_complete:
                self._take(line, line.text.strip(' \t|"'))
        self._close()
        return self._read_runs

    def _take(self, line: Line, text: str) -> None:
        if not text:
            return
        if self._draft is not None and not self._draft.complete and self._read_rows(line, text):
            return
        if self._read_preamble(text):
            return
        running, waived = _RUNNING.match(text), _WAIVED.match(text)
        if running and self._version is None:
            self._close()
            self._test = running.group(
                1
            )  # many tools print such a line: the lines below it decide whether it is a test
        elif running:
            self._open(line, running.group(1))
        elif waived and self._version is not None:
            self._waive(line, waived.group(1))
        elif self._is_description(text):
            self._describe(line, text.translate(ARROWS))
        elif (total := _SUM.match(text)) or _END.match(text):
            self._end_matrix(total)
        elif _ERROR.match(text):
            self._fail(line, text)

    def _read_preamble(self, text: str) -> bool:
        """Read a line before the tests."""
        version = _VERSION.search(text)
        if version:
            self._close()
            self._version, self._test = version.group(1), None
            self._parameters, self._devices, self._addresses, self._hosts = Parameters(), [], [], {}
            return True
        if self._version is None:
            return False
        for pattern, name in ((_RUNTIME, "cuda_runtime_version"), (_DRIVER, "gpu_driver")):
            match = pattern.match(text)
            if match:
                self._parameters.read_setting(name, match.group(1))
                return True
        device, process = _DEVICE.match(text), _PROCESS.match(text)
        if device:
            self._devices.append(device.group(2))
            address = complete_address(device.group(3))
            self._addresses += [address] if address is not None else []
        elif process:
            self._devices.append(process.group(4))
            self._hosts[process.group(1)] = process.group(2)
        return device is not None or process is not None

    def _open(self, line: Line, test: str | None) -> None:
        self._close()
        self._test = test
        self._draft = Draft("nvbandwidth", line.number, test=test, version=self._version)
        self._draft.parameters.update(self._parameters)
        if self._devices:
            self._draft.parameters.gpus = len(self._devices)
            self._draft.parameters.gpu_addresses = join_addresses(self._addresses, len(self._devices))
        if len(set(self._devices)) == 1:
            self._draft.parameters.gpu_model = self._devices[0]
        if self._hosts:
            self._draft.ranks = len(self._hosts)
            self._draft.parameters.nodes = len(set(self._hosts.values()))

    def _waive(self, line: Line, test: str | None) -> None:
        if test is not None or self._draft is None or self._draft.measurements:
            self._open(line, test)
        assert self._draft is not None
        self._draft.parameters.waived = True
        self._draft.complete, self._draft.has_table = True, False
        self._close()

    def _is_description(self, text: str) -> bool:
        return DESCRIPTION.match(text) is not None or text == BISECTION

    def _describe(self, line: Line, text: str) -> None:
        if self._draft is None or self._description is not None:  # a test may print several matrices
            self._open(line, self._test)
        assert self._draft is not None
        self._description = text
        describe(self._draft, text)

    def _read_rows(self, line: Line, text: str) -> bool:
        """Read the column line and the rows of a matrix."""
        cells = text.split()
        if self._draft is None or self._description is None or not cells or not cells[0][0].isdecimal():
            return False
        if self._matrix is None:
            if indices(cells):
                self._matrix = matrix(self._test, self._description, cells, self._hosts)
            return True
        bisected = _BISECTED.match(text)
        if bisected:
            cells = [f"{bisected.group(1)}->{bisected.group(2)}", bisected.group(3)]
        self._matrix.take(self._draft, cells[0], cells[1:], line.number)
        if self._matrix.is_whole and not self._prints_sums:
            self._draft.complete = True
        return True

    def _end_matrix(self, total: re.Match[str] | None) -> None:
        """End a matrix at its sum, which names the test, too."""
        if self._draft is not None and self._matrix is not None and total is not None:
            self._draft.complete = self._draft.complete or bool(self._matrix.rows_read)
            self._draft.test = self._draft.test or total.group(1)

    def _fail(self, line: Line, text: str) -> None:
        if self._draft is None or self._draft.complete:
            if self._version is None:
                return
            self._open(line, self._test if self._draft is not None else None)
        assert self._draft is not None
        self._draft.fail(text)

    def _close(self) -> None:
        if self._draft is not None:
            self._read_runs.append(self._draft.finish())
        self._draft = self._matrix = self._description = None
