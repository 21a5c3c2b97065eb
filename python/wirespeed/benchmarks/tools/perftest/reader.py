"""perftest: ib_write_bw and its other tests, the report on standard output.

The column line names columns and units. The peak is 0.00 in duration mode, where it is not measured. A run is complete
with the dashed line after its rows, once per end that prints into the log.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.log import Line, Source, splice
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, RunReader, read_by_process, read_runs
from wirespeed.benchmarks.tools.perftest.patterns import (
    AFTER_TITLE,
    CPU_FREQUENCY,
    CUDA,
    DMABUF,
    EVENTS,
    FAILURE,
    GID,
    GPU_NAME,
    HINT,
    LEADS,
    LIMIT,
    MESSAGE,
    NAME,
    PARAMETER,
    PINGPONG,
    ROCM,
    SETTINGS,
    SIDES,
    SUBSTRINGS,
    TITLE,
)
from wirespeed.benchmarks.tools.perftest.tables import (
    LoneNumbers,
    SampleList,
    add_headless_row,
    cell_value,
    columns,
    complete_parameters,
    find_meaning,
    memory_of_command,
    output_format,
    read_memory,
    read_setting,
    test_name,
    test_of_columns,
)
from wirespeed.results.benchmarks import Metric, RunStatus

LOOKS_FOR = (
    "the report of perftest ('RDMA_Write BW Test', '#bytes  #iterations  BW peak', 't_min[usec]', or its errors)"
)

IDENTIFYING_TEXTS = SUBSTRINGS
_COUNT = re.compile(r"0|[1-9][0-9]*")  # no leading zeros: drivers dump failed requests in hexadecimal words
_GLUED = re.compile(r"(?<=\d)(\.\d\d)(?=\d+\.\d\d(?!\d))")  # a wide number leaves no blank: 2465.901216.65
_DECIMAL_COMMA = re.compile(r"\d+,\d+")  # of locales such as de_DE
_VERSION = re.compile(r"\b[Pp]erftest[ -]v?(\d+\.\d[\w.-]*)")
_COUNTS = {"#iterations": "iterations", "#flows": "flows"}  # columns that are parameters
_HALF = re.compile(r"(Local|Remote) results:$")  # --report-both: the tables of both ends after their sum
_RULE = re.compile(r"[-\u2014]{20,}")


def read(log: Source) -> list[ReadRun]:
    """Every run of a perftest tool in the log."""
    return read_by_process(
        log.without_debug(),
        lambda text: columns(text) is not None,
        lambda lines: read_runs(_Reader(), splice(lines, MESSAGE)),
    )


_SILENT_SERVERS = ("ib_read_lat", "ib_atomic_lat")  # only the client of these measures and prints


class _Reader(RunReader):
    """Reads one report at a time: title, settings, addresses, column line, rows, dashed line; errors anywhere."""

    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
        self._columns: list[str] = []
        self._meanings: list[tuple[Metric, str, str | None] | None] = []  # of the columns
        self._ends = 0  # processes that print into this log
        self._rules = 0  # dashed lines after rows
        self._rows = 0
        self._titled = False
        self._waiting = False
        self._connected = False  # both ends have printed their addresses
        self._calibration: str | None = None
        self._command: str | None = None
        self._command_memory: str | None = None
        self._repeated_commands: list[str] = []  # command lines of one test before its first table
        self._version: str | None = None
        self._hinted = False
        self._side: str | None = None
        self._label: str | None = None  # the end whose half of a bidirectional test the table contains
        self._early: Draft | None = None  # errors that were printed before the title of their report
        self._pending: list[tuple[Line, str]] = []  # lines that count only if a report follows
        self._lone_numbers: LoneNumbers | None = None  # what --output prints
        self._samples = SampleList()

    def take(self, line: Line) -> None:
        text = line.text.strip(" \t|")  # some pages show logs as tables
        if self._columns and text[:1].isdecimal() and line.is_complete and self._read_row(line, text):
            return
        if _RULE.match(text):
            if self._draft is not None and self._samples.ends(self._draft):
                return
            self._rules += bool(self._columns and self._rows)
            self._connected = self._connected or self._side == "remote"
            return
        if not line.is_complete or not text or (self._draft is not None and self._samples.take(text)):
            return
        if text.partition(":")[0].rstrip() in LEADS:
            if not PINGPONG.match(text):
                self._read_setting(line, text)
            return
        names = columns(text)
        if names is not None:
            self._read_column_line(line, names)
        elif TITLE.match(text):
            self._read_title(line, text)
        elif text.startswith("* Waiting for client to connect"):
            self._wait(line)
        elif (half := _HALF.match(text)) and self._draft is not None:
            self._start_half(line, self._draft, half.group(1).lower())
        elif not (self._read_number(line, text) or self._read_row(line, text) or self._read_failure(line, text)):
            self._read_setting(line, text)

    def _open(self, line: Line) -> Draft:
        if self._draft is None:
            self._draft = Draft("perftest", line.number, version=self._version)
            if self._command is not None:
                self._draft.test = self._command
                self._draft.parameters.memory = self._command_memory
                self._command = None
            pending, self._pending = self._pending, []
            for pending_line, text in pending:
                self._draft.line = min(self._draft.line, pending_line.number)
                self._read_settings(self._draft, text)
        return self._draft

    def _close(self) -> None:
        draft = self._draft
        self._draft = None
        if draft is not None:
            draft.complete = draft.complete or (self._rows > 0 and self._rules >= self._ends > 0)
            if self._connected and not self._ends and draft.parameters.side == "server":
                draft.complete = draft.test in _SILENT_SERVERS
                draft.has_table = not draft.complete
            if draft.complete and not draft.measurements and self._calibration:
                draft.fail(self._calibration)
            self._join_early(draft)
            interrupted = draft.errors and not draft.complete and all("interrupt" in error for error in draft.errors)
            self._read_runs.append(draft.finish(RunStatus.TRUNCATED if interrupted else None))
        self._columns, self._ends, self._rules, self._rows = [], 0, 0, 0
        self._titled = self._waiting = self._hinted = self._connected = False
        self._calibration = self._side = self._label = self._lone_numbers = None
        self._samples = SampleList()
        self._pending = []

    def _join_early(self, draft: Draft) -> None:
        """Add errors that were written before the title to their report, unless the report succeeded.

        Standard output into a file is buffered, standard error is not.
        """
        early, self._early = self._early, None
        if early is None:
            return
        if (draft.measurements or draft.complete) and not all(LIMIT.search(error) for error in early.errors):
            self._read_runs.append(early.finish())
            return
        draft.line = early.line
        draft.errors = early.errors + [error for error in draft.errors if error not in early.errors]

    # -- the parts of a report -------------------------------------------------------------------------------------

    def _wait(self, line: Line) -> None:
        if self._draft is not None and (self._titled or self._columns or self._draft.errors):
            self._close()
        self._open(line).parameters.side = "server"
        self._waiting = True

    def _read_title(self, line: Line, text: str) -> None:
        draft = self._draft
        if draft is not None and not self._titled and not self._columns and AFTER_TITLE.search("; ".join(draft.errors)):
            self._early, self._draft = draft, None
        elif draft is not None and (
            self._columns
            or draft.errors
            or (self._titled and (test_name(text) != draft.test or self._side == "remote"))
        ):
            self._close()
        draft = self._open(line)
        draft.test = test_name(text)
        if "Bidirectional" in text:
            draft.parameters.bidirectional = True
        if "_imm" in text.lower():
            draft.parameters.immediate = True
        self._titled = True

    def _start_half(self, line: Line, whole: Draft, label: str) -> None:
        """Start the table of one end of the report that was just read: the same test and settings."""
        self._close()
        draft = self._open(line)
        draft.test = whole.test
        draft.parameters.update(whole.parameters)
        self._label = label

    def _read_column_line(self, line: Line, names: list[str]) -> None:
        if self._samples.repeats() and names == self._columns:
            return
        if self._draft is not None and self._columns and (self._rows or names != self._columns):
            self._close()
        draft = self._open(line)
        self._columns, self._meanings = names, [find_meaning(name) for name in names]
        self._ends += 1
        if draft.test is None:
            draft.test = test_of_columns(names, draft.parameters.connection_type)
        if draft.test is None and self._repeated_commands:
            draft.test = self._repeated_commands.pop()
        for name in names:
            if name.startswith(("BW", "MsgRate")) and find_meaning(name) is None:
                draft.notice(line.number, f"the column {name!r}", "a known unit; the column is left out")

    def _read_number(self, line: Line, text: str) -> bool:
        return bool(
            self._lone_numbers and self._draft is not None and self._lone_numbers.take(self._draft, line.number, text)
        )

    def _read_row(self, line: Line, text: str) -> bool:
        if not text.lstrip("#* ")[:1].isdecimal():
            return False
        cells = text.split()
        if len(cells) != len(self._columns) or "*" in text:
            cells = [cell.strip("*") for cell in _GLUED.sub(r"\1 ", text.lstrip("#")).split()]
        flows = self._columns[:1] == ["#flows"]
        if len(cells) < 3 + (not flows) or not all(_COUNT.fullmatch(cell) for cell in cells[: 2 - flows]):
            return False
        if all(cell.isdecimal() for cell in cells):
            return False  # perftest prints every result with decimals: a matrix of another tool
        if not self._columns:
            return self._read_headless_row(line, cells)
        draft = self._open(line)
        if len(cells) != len(self._columns):
            draft.notice(
                line.number, f"a row of {len(cells)} cells", f"{len(self._columns)} cells; the row is left out"
            )
            return True
        self._rows += 1
        size = None if flows else int(cells[0])
        label = self._label
        unread = []
        for name, meaning, cell in zip(self._columns, self._meanings, cells, strict=True):
            if meaning is None:
                if name == "#sl":
                    label = label or f"SL {cell}"
                elif name in _COUNTS and cell.isdecimal():
                    draft.parameters.read_setting(_COUNTS[name], int(cell))
                continue
            value = cell_value(cell)
            if value is None or (self._samples.in_cycles and meaning[1] == "us"):
                unread.append(cell)
                continue
            draft.measure(meaning[0], meaning[1], value, line.number, size, meaning[2] or label)
        if unread:
            expected = "microseconds, not cycles (-C)" if self._samples.in_cycles else "numbers of 0 and more"
            if any(map(_DECIMAL_COMMA.fullmatch, unread)):
                expected = "numbers with a decimal point, as the tool prints them with LC_ALL=C"
                unread = [repr(cell) for cell in unread]
            draft.notice(line.number, f"{', '.join(unread)} in the row of {cells[0]} B", f"{expected}; left out")
        return True

    def _read_headless_row(self, line: Line, cells: list[str]) -> bool:
        """Read a row whose column line is missing, if its numbers prove the unit."""
        if len(cells) != 5 or not (self._hinted or self._draft is not None) or None in map(number, cells):
            return False
        draft = self._open(line)
        consequence = "the row is left out"
        unit = add_headless_row(draft, line.number, cells)
        if unit is not None:
            consequence = f"{unit} follows from the rate"
        draft.notice(line.number, "a row without its column line", f"the column line; {consequence}")
        return True

    def _read_failure(self, line: Line, text: str) -> bool:
        """Read an error message; one that other programs print too counts only in or before a report of perftest."""
        if text.startswith("Correlation coefficient"):
            self._calibration = text
            self._hinted = True
            return True
        hint = HINT.search(text)
        name = NAME.search(text)
        if hint:
            self._hinted = True
        conflict = CPU_FREQUENCY.match(text)
        if conflict:
            if self._rules >= self._ends > 0:
                self._close()
            self._open(line).parameters.read_setting("cpu_frequency_conflict", conflict.group(1))
        if FAILURE.match(text) is None:
            if hint is None and name is not None and (self._rows or not self._titled):
                self._read_command_line(name.group(1), line, text)
            return hint is not None
        if self._rules >= self._ends > 0 and not AFTER_TITLE.search(text):
            self._close()  # the report has ended: the message is from a later run or another program
        is_own = hint or self._command or (name and "unrecognized option" in text)
        if self._draft is None and not is_own:
            self._pending.append((line, text))
            return True
        earlier_failures = [pending_text for _, pending_text in self._pending if FAILURE.match(pending_text)]
        draft = self._open(line)
        if name and draft.test is None:
            draft.test = name.group(1)
        for message in (*earlier_failures, text):
            draft.fail(message)
        return True

    def _read_command_line(self, name: str, line: Line, text: str) -> None:
        """Read a command line: it contains the test of the report that follows."""
        if self._draft is not None and (self._rows or self._draft.errors or self._lone_numbers):
            self._close()
        if self._draft is None:
            self._pending = []
        if self._draft is None or self._waiting:
            earlier = [*self._repeated_commands, self._command]
            self._repeated_commands = [command for command in earlier if command == name]
            self._command, self._command_memory = name, memory_of_command(text)
        if self._draft is not None and self._draft.test is None:
            self._draft.test = name
        self._lone_numbers = output_format(text)
        if self._lone_numbers is not None:
            self._open(line)

    def _read_setting(self, line: Line, text: str) -> None:
        """Read a line before the column line: versions, memory, settings, addresses."""
        if "erftest" in text and (version := _VERSION.search(text)):
            self._version = version.group(1)
        memory = ROCM.match(text) or CUDA.match(text)
        if memory and self._rules >= self._ends > 0:
            self._close()
        if self._draft is not None and DMABUF.match(text):
            self._draft.parameters.dmabuf = True
        if self._columns:
            return
        has_setting = ":" in text and (PARAMETER.search(text) or GID.search(text))
        if not (memory or has_setting or GPU_NAME.match(text) or text.startswith((*SIDES, EVENTS))):
            return
        if self._draft is None and not memory:
            self._pending.append((line, text))
            return
        self._read_settings(self._open(line), text)

    def _read_settings(self, draft: Draft, text: str) -> None:
        read_memory(draft.parameters, text)
        if text.startswith(EVENTS):
            draft.parameters.events = True
        if text.startswith(SIDES):
            self._side = text.partition(" ")[0]
        gid = GID.search(text)
        if gid and self._side:
            draft.parameters.read_setting(f"{self._side}_gid", gid.group(1))
        for name, value in PARAMETER.findall(text):
            plain = number(value.partition("[")[0])
            read_setting(draft.parameters, SETTINGS[name], plain if isinstance(plain, int) else value)
        complete_parameters(draft)
