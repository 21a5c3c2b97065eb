"""NetPIPE 3 and 5: the lines on standard output, and np.out of release 3 (bytes, bandwidth, seconds).

Mbps of release 3 are 2^20 bits per second, as size over time in its own rows shows, those of release 5 1e6
(src/netpipe.c: bitstring). Each number of release 3 is the best of several trials. No line of it ends a
test: a run is complete when its command line requests no larger size than its last one. Release 5 marks it, but rounds
sizes from 1e6 bytes on: those are in the label. A file that contains only numbers is np.out if size over time equals
the bandwidth in every row.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from wirespeed.benchmarks.logs.launcher_messages import MESSAGE, fail, is_failure
from wirespeed.benchmarks.logs.log import Line, Source, splice
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, RunReader, read_runs
from wirespeed.results.benchmarks import Metric, RunStatus

LOOKS_FOR = "the lines of NetPIPE ('1 bytes  9747 times -->  0.77 Mbps in  9.88 usec', or its np.out)"
IDENTIFYING_TEXTS = ("times -->", "starting the main loop", "NETPIPE", "Need at least two processes", "   0.000")

_ROW = re.compile(r"(?:\d+:)?\s*(\d+) bytes\s+(\d+) times -->\s+(\S+) Mbps in\s+(\S+) usec$")
_HEAD = re.compile(r"(?:\d+:)?\s*(\d+) bytes\s+(\d+) times -->")  # written before the measurement, the tail after it
_TAIL = re.compile(r"\S+ Mbps in\s+\S+ usec$")
_ROW_5 = re.compile(
    r"(?:\d+:)?\s*(\d+(?:\.\d+)?)\s+([KMG]?B)\s+(\d+) times -->\s+([\d.]+)\s+([KMGT]?)bps"
    r"\s+in\s+([\d.]+)\s+([num]?)secs\b(.*)$"
)
_EXACT = {"B": 1, "KB": 1000}  # with three decimals every byte is printed
_CHECKED = re.compile(r"(?:\d+:)?\s*(\d+) bytes\s+(\d+) times -->\s+Integrity check (\w+)$")
_COMMAND = re.compile(r"(?<![\w.-])(?:\S*/)?(NP[a-z]\w*)(?=\s|$)(.*)")
_LARGEST = re.compile(r"(?<=\s)-u *(\d+)")
_OWN_FAILURE = re.compile(r"Need at least two processes.*|NetPIPE: .*")
_MODES = {
    "Streaming in one direction only.": "one_way_stream",
    "Passing data in both directions simultaneously.": "bidirectional",
    "Preposting asynchronous receives": "asynchronous_receives",
    "Using synchronous sends": "synchronous_sends",
    "Doing an integrity check instead of measuring performance": "integrity_check",
}
_PLAIN = re.compile(r"\s*([0-9]{1,18})\s+([0-9]{1,18}\.[0-9]+)\s+([0-9]{1,18}\.[0-9]{8})$")
_MEBI = 1 << 20
_PERTURBATION = 3  # bytes, the default of -p
_PROCESSES = 2  # each prints its modes, one of them possibly late
_FEWEST = 3  # minimum number of rows to exclude a coincidence


def read(log: Source) -> list[ReadRun]:
    """Every run of NetPIPE in the log."""
    return read_runs(_Reader(), splice(log.without_debug(), MESSAGE, "[")) or _read_files(log.without_debug())


class _Reader(RunReader):
    """Reads one run at a time: modes, the line that starts it, rows of growing size."""

    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
        self._modes: Counter[str] = Counter()  # printed before the next run, and by how many processes
        self._run_modes: Counter[str] = Counter()  # modes of this run
        self._command: tuple[str, int | None] | None = None
        self._last = 0
        self._head: str | None = None  # of a row that another process wrote into
        self._head_line = 0

    def take(self, line: Line) -> None:
        text = line.text.strip(" \t|")
        if not line.is_complete or not text:
            return
        if self._head is not None and _TAIL.match(text):
            text, self._head = f"{self._head} {text}", None
        command = _COMMAND.search(text)
        row, row_5, checked = _ROW.match(text), _ROW_5.match(text), _CHECKED.match(text)
        head = _HEAD.match(text)
        if head and self._head is not None and self._draft is not None:
            self._draft.notice(self._head_line, f"no result in the row {self._head!r}", "one; left out")
        if head:
            self._head, self._head_line = None if row or checked else head.group(), line.number
        if text == "Now starting the main loop":
            self._close()
            self._open(line)
        elif row:
            self._read_row(line, row)
        elif row_5:
            self._read_row_5(line, row_5)
        elif text.startswith("Completed with ") and "max bandwidth" in text and self._draft is not None:
            self._draft.complete = True
            self._close()
        elif checked:
            draft = self._get_draft_for_size(line, int(checked.group(1)))
            wrong = 0 if checked.group(3) == "passed" else 1
            draft.measure(Metric.WRONG, "failures", wrong, line.number, int(checked.group(1)))
        elif text in _MODES:
            self._read_mode(_MODES[text])
        elif command:
            self._close()
            largest = _LARGEST.search(command.group(2))
            whole = largest is not None and " -p" not in command.group(2)
            self._command = (command.group(1), int(largest.group(1)) if largest and whole else None)
        elif _OWN_FAILURE.match(text):
            self._open(line).fail(text)
        elif self._draft is not None and is_failure(text) and not self._is_complete():
            fail(self._draft, text)

    def _open(self, line: Line) -> Draft:
        if self._draft is None:
            self._draft = Draft("netpipe", line.number, test=self._command[0] if self._command else None)
            for name in self._modes:
                self._draft.parameters.read_setting(name, True)
            self._run_modes, self._modes = self._modes, Counter()
        return self._draft

    def _read_mode(self, name: str) -> None:
        """Read a mode, which both processes print before the main loop; the second may be late."""
        late = self._draft is not None and 0 < self._run_modes[name] < _PROCESSES
        (self._run_modes if late else self._modes)[name] += 1

    def _close(self) -> None:
        draft, self._draft = self._draft, None
        if draft is not None:
            draft.complete = draft.complete or self._is_complete()
            if not draft.complete and not draft.errors and draft.measurements:
                requested = self._command[1] if self._command else None
                end = (
                    f"the command line requests sizes to {requested} B (-u)"
                    if requested
                    else "neither a command line with -u nor a last line of NetPIPE proves that the run ended"
                )
                draft.notice(draft.measurements[-1].line, f"the log ends at {self._last} B; {end}")
            self._read_runs.append(draft.finish())
            self._command = None
        self._last, self._head = 0, None

    def _is_complete(self) -> bool:
        """Whether the next size would be above the largest requested.

        Sizes are powers of two and 1.5 times powers of two, each also with 3 bytes less and more.
        """
        largest = self._command[1] if self._command else None
        base = self._last - _PERTURBATION
        if largest is None or base <= 0:
            return False
        if base & (base - 1) == 0:
            return base * 3 // 2 > largest
        third, remainder = divmod(base, 3)
        return not remainder and third & (third - 1) == 0 and base * 4 // 3 > largest

    def _get_draft_for_size(self, line: Line, size: int) -> Draft:
        """The draft of a row; a size that does not grow starts a run whose first line is missing."""
        if size <= self._last:
            self._close()
        self._last = size
        return self._open(line)

    def _read_row_5(self, line: Line, row: re.Match[str]) -> None:
        size, unit, times, rate, prefix, latency, fraction, details = row.groups()
        exact = round(float(size) * _EXACT[unit]) if unit in _EXACT else None
        draft = self._open(line) if exact is None else self._get_draft_for_size(line, exact)
        label = f"{size} {unit}" if exact is None else None
        for metric, true_unit, cell in (
            (Metric.BW_AVG, f"{prefix}b/s", rate),
            (Metric.LATENCY_AVG, f"{fraction}s", latency),
            (Metric.ITERATIONS, "iterations", times),
        ):
            value = number(cell)
            if value is not None:
                draft.measure(metric, true_unit, value, line.number, exact, label)
        failures = re.search(r"(\d+) failures", details)
        if failures:
            draft.measure(Metric.WRONG, "failures", int(failures.group(1)), line.number, exact, label)

    def _read_row(self, line: Line, row: re.Match[str]) -> None:
        size, times, rate, latency = row.groups()
        draft = self._get_draft_for_size(line, int(size))
        for metric, unit, cell in (
            (Metric.BW_AVG, "Mib/s", rate),
            (Metric.LATENCY_AVG, "us", latency),
            (Metric.ITERATIONS, "iterations", times),
        ):
            value = number(cell)
            if value is None:
                draft.notice(line.number, f"{cell} in the row of {size} B", "a number; left out")
            else:
                draft.measure(metric, unit, value, line.number, int(size))


@dataclass(frozen=True, slots=True)
class _Plain:
    line: int
    size: int
    rate: float
    seconds: float


def _read_files(lines: tuple[Line, ...]) -> list[ReadRun]:
    """The runs in files that NetPIPE wrote: rows of three numbers that agree with one another."""
    runs: list[ReadRun] = []
    rows: list[_Plain] = []
    for line in lines:
        match = _PLAIN.match(line.text.rstrip())
        row = _parse_plain_row(line, match) if match and line.is_complete else None
        if row is None or (rows and row.size <= rows[-1].size):
            runs += _read_file(rows)
            rows = []
        if row is not None:
            rows.append(row)
    return [*runs, *_read_file(rows)]


def _parse_plain_row(line: Line, match: re.Match[str]) -> _Plain | None:
    size, rate, seconds = int(match.group(1)), float(match.group(2)), float(match.group(3))
    if not size or not rate or not seconds:
        return None
    rounding = 0.5e-8 / seconds + 0.5e-6 / rate
    agrees = abs(8 * size / seconds / _MEBI / rate - 1) <= 2 * rounding + 1e-6
    return _Plain(line.number, size, rate, seconds) if agrees else None


def _read_file(rows: list[_Plain]) -> list[ReadRun]:
    if len(rows) < _FEWEST:
        return []
    draft = Draft("netpipe", rows[0].line)
    for row in rows:
        draft.measure(Metric.BW_AVG, "Mib/s", row.rate, row.line, row.size)
        draft.measure(Metric.LATENCY_AVG, "s", row.seconds, row.line, row.size)
    return [draft.finish(RunStatus.TRUNCATED)]
