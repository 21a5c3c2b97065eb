"""TransferBench, which rocm-bandwidth-test runs since ROCm 7 (``run tb``): peer to peer, all to all, tests of a file.

From ROCm/TransferBench src/client/Presets (PeerToPeer.hpp, AllToAll.hpp) and Client.cpp, releases 1.0 to 1.62, text
output. GB/s are 1e9 bytes per second; every number is a mean over the iterations, also where a title contains "peak". A
pair in both directions has three numbers: their sum, and each direction with a label that ends with ``forward`` or
``backward``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from wirespeed.benchmarks.logs.device_matrix import Matrix
from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, line_matcher, read_by_process
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "the tables of TransferBench ('Unidirectional copy peak bandwidth GB/s [Local read / Remote write]')"
IDENTIFYING_TEXTS = ("TransferBench v", "bandwidth GB/s [", "bytes per Transfer]", " bytes | ")

_VERSION = re.compile(r"TransferBench v(\S+)")
_SIZE = re.compile(r"Bytes Per Direction[ ,](\d{1,18})$")
_TITLE = re.compile(
    r"(Uni|Bi)directional copy peak bandwidth GB/s \[(\w+) read / (\w+) write\] \(GPU-Executor: (\w+)\)$"
)
_COPYING = re.compile(r"(?:- )?Copying (\d{1,18}) bytes between ")
_SUMMARY = re.compile(r"Summary:(?: \[(\d{1,18}) bytes per Transfer\].*)?$")  # AMD's acceptance guide prints it bare
_CORNER = re.compile(r"SRC(?:\+EXE)?\\+(?:EXE\+)?DST(?:\+EXE)? ")
_SUMS = re.compile(r"\b(?:STotal|Actual)\b")
_DEVICE = re.compile(r"([CG]PU) (\d{1,9})")
_ROW = re.compile(r"([CG]PU) (\d{1,9})\s*(->|<->|<-)?\s+(.*)$")
_EXTREME = re.compile(r"([CG]PU) (\d{1,9}) +(min|max|sd) +(.*)$")
"""A row below that of a device: the least and greatest of its iterations, and their standard deviation, with
SHOW_ITERATIONS (src/TransferBench.cpp of 1.2x, RunPeerToPeerBenchmarks). They are of the direction above."""
_EXTREMES = {"min": Metric.BW_MIN, "max": Metric.BW_MAX}
_END = re.compile(r"Averages \(During +(?:Uni|Bi)Dir\):|Aggregate bandwidth \(CPU Timed\):")
_AGGREGATE = re.compile(r"Aggregate bandwidth \(GPU Timed\): *(\S+) GB/s")
_TEST = re.compile(r"Test (\d{1,9}):$")
_TRANSFER = re.compile(r"Transfer (\d+) *\| *(\S+) GB/s \| *(\S+) ms \| *(\d{1,18}) bytes \| (\S+) -> (\S+) -> (\S+)")
_SPREAD = re.compile(r"(?:Iter \d+|StandardDev) +\| *\d")  # with SHOW_ITERATIONS
_TEST_END = re.compile(r"Aggregate \(CPU\) *\|(?: *(\S+) GB/s \| *(\S+) ms \| *(\d{1,18}) bytes)?")
_ERROR = re.compile(r"\[ERROR\] .*")
_KINDS = {
    "G": "GPU",
    "C": "CPU",
    "F": "GPU",
    "B": "CPU",
    "N": "none",
}  # F and B: fine-grained memory of a GPU, of a CPU
_DIRECTIONS = {"->": " forward", "<-": " backward", "<->": ""}  # end of the label of a pair in both directions


def read(log: Source) -> list[ReadRun]:
    """Every table and test of TransferBench in the log."""
    return read_by_process(log.without_debug(), line_matcher(_TITLE), lambda lines: _Reader().read(lines))


class _Reader:
    def __init__(self) -> None:
        self._read_runs: list[ReadRun] = []
        self._draft: Draft | None = None
        self._suffixes: dict[str, str] = {}  # suffix of the label of rows with an arrow
        self._matrices: dict[str, Matrix] = {}
        self._extremes: dict[tuple[str, str], Matrix] = {}  # by arrow, and min or max
        self._arrow = ""  # of the row above
        self._sums = 0  # columns after those of the devices
        self._version: str | None = None
        self._size: int | None = None

    def read(self, lines: list[Line]) -> list[ReadRun]:
        for line in lines:
            if line.is_complete:
                self._take(line, line.text.strip(" \t|"))
        self._close(complete=False)
        return self._read_runs

    def _take(self, line: Line, text: str) -> None:
        patterns = (_VERSION, _SIZE, _COPYING, _TITLE, _SUMMARY)
        version, size, copying, title, summary = (pattern.match(text) for pattern in patterns)
        if version:
            self._close(complete=False)
            self._version, self._size = version.group(1), None
        elif number_of_bytes := size or copying:
            self._size = int(number_of_bytes.group(1))
        elif title:
            self._open_pairs(line, title)
        elif summary and (summary.group(1) or self._size):
            self._size = int(summary.group(1)) if summary.group(1) else self._size
            self._start_run(line, "all_to_all", {"": ""})
        elif _CORNER.match(text) and self._suffixes and not self._matrices:
            self._read_header(
                [f"{kind}{int(index)}" for kind, index in _DEVICE.findall(text)], len(_SUMS.findall(text))
            )
        elif self._matrices:
            self._read_table(line, text)
        else:
            self._read_tests(line, text)

    def _open_pairs(self, line: Line, title: re.Match[str]) -> None:
        direction, read, write, executor = title.groups()
        draft = self._start_run(line, "peer_to_peer", _DIRECTIONS if direction == "Bi" else {"->": ""})
        parameters = draft.parameters
        parameters.read_memory, parameters.write_memory = read.lower(), write.lower()
        parameters.copy_engine = executor
        if direction == "Bi":
            parameters.bidirectional = True

    def _start_run(self, line: Line, test: str, suffixes: dict[str, str]) -> Draft:
        self._close(complete=False)
        self._suffixes = dict(suffixes)
        self._draft = Draft("TransferBench", line.number, test=test, version=self._version)
        if self._size is not None:
            self._draft.parameters.message_bytes = self._size
        return self._draft

    def _read_header(self, columns: list[str], sums: int) -> None:
        self._sums = sums
        for arrow, suffix in self._suffixes.items():
            label = _format_label(suffix)
            self._matrices[arrow] = Matrix(columns, len(columns), Metric.BW_AVG, "GB/s", label, self._size)

    def _read_table(self, line: Line, text: str) -> None:
        assert self._draft is not None
        row, aggregate, extreme = _ROW.match(text), _AGGREGATE.match(text), _EXTREME.match(text)
        if extreme:
            self._read_extreme(line, extreme)
        elif row:
            arrow = row.group(3) or next(iter(self._matrices))
            self._arrow = arrow
            matrix = self._matrices.get(arrow)
            if matrix is not None:
                cells = row.group(4).split()
                count = len(matrix.columns) + self._sums  # sums of the row follow the pairs of all to all
                if self._sums and len(cells) != count:
                    self._draft.notice(
                        line.number, f"a row of {len(cells)} cells", f"{count} cells; the row is left out"
                    )
                    return
                cells = cells[: len(matrix.columns)] if self._sums else cells
                matrix.take(self._draft, f"{row.group(1)}{int(row.group(2))}", cells, line.number)
        elif aggregate:
            value = number(aggregate.group(1))
            if value is not None:
                self._draft.measure(Metric.BW_AVG, "GB/s", value, line.number, self._size, "SUM")
        elif _END.match(text):
            self._close(complete=all(matrix.is_whole for matrix in self._matrices.values()))

    def _read_extreme(self, line: Line, extreme: re.Match[str]) -> None:
        """Read a row of the least or greatest bandwidths of the row above; standard deviations have no metric."""
        kind, index, name, cells = extreme.groups()
        of_arrow = self._matrices.get(self._arrow)
        metric = _EXTREMES.get(name)
        if self._draft is not None and metric is None:
            self._note_once(line, "rows 'sd' of standard deviations")
        if metric is None or of_arrow is None or self._draft is None:
            return
        matrix = self._extremes.get((self._arrow, name))
        if matrix is None:
            matrix = replace(of_arrow, metric=metric, rows_read=set())
            self._extremes[self._arrow, name] = matrix
        matrix.take(self._draft, f"{kind}{int(index)}", cells.split(), line.number)

    def _note_once(self, line: Line, rows: str) -> None:
        """Note rows of a kind that is left out, at the first of them."""
        assert self._draft is not None
        found = f"{rows}: left out"
        if all(notice.found != found for notice in self._draft.notices):
            self._draft.notice(line.number, found)

    def _read_tests(self, line: Line, text: str) -> None:
        """Read a test of a configuration file: transfers, each with its bandwidth."""
        test, transfer, draft = _TEST.match(text), _TRANSFER.match(text), self._draft
        end = _TEST_END.match(text)
        if test:
            self._size = None
            self._start_run(line, "transfers", {}).parameters.test_number = int(test.group(1))
        elif transfer and draft is not None:
            name, bandwidth, time, size, source, _, target = transfer.groups()
            label = f"{_format_memory(source)} -> {_format_memory(target)}"
            _measure_transfer(draft, line, f"transfer {name}", (bandwidth, time, size), label)
        elif end and draft is not None:
            if draft.measurements and end.group(1) is not None:
                _measure_transfer(draft, line, "the sum", end.groups(), "SUM")
            self._close(complete=bool(draft.measurements))
        elif _SPREAD.match(text) and draft is not None:
            self._note_once(line, "rows 'Iter' of single iterations, and 'StandardDev'")
        elif _ERROR.match(text) and self._version is not None:
            (draft or self._start_run(line, "transfers", {})).fail(text)

    def _close(self, complete: bool) -> None:
        draft = self._draft
        if draft is not None and (draft.measurements or draft.errors or draft.test != "transfers"):
            draft.complete = complete  # "Test 1:" alone is a line of many programs
            self._read_runs.append(draft.finish())
        self._draft, self._suffixes, self._matrices, self._extremes = None, {}, {}, {}


def _measure_transfer(draft: Draft, line: Line, name: str, cells: tuple[str, ...], label: str) -> None:
    """Add bandwidth and time of a transfer, or of all transfers of a test as the CPU timed them."""
    bandwidth, time, size = cells
    for metric, unit, cell in ((Metric.BW_AVG, "GB/s", bandwidth), (Metric.TIME, "ms", time)):
        value = number(cell)
        if value is None:
            draft.notice(line.number, f"{cell!r} of {name}", "a number; left out")
        else:
            draft.measure(metric, unit, value, line.number, int(size), label)


def _format_label(suffix: str) -> Callable[[str, str], str]:
    return lambda row, column: f"{row} -> {column}{suffix}"


def _format_memory(text: str) -> str:
    """Format ``G0`` as GPU0; a transfer may have several devices."""
    devices = re.findall(r"([A-Z])(\d*)", text)
    return "+".join(f"{_KINDS.get(kind, kind)}{index}" for kind, index in devices)
