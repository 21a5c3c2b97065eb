"""The OSU micro-benchmarks, releases 3 to 7: point-to-point, one-sided, collective, persistent and startup tests.

The column line names columns and units; MB/s is 1e6 bytes per second (osu_bw.c: size / 1e6). No line ends a table: a
run is complete when it ends with the largest message of its program or of its command line, or if other output follows
its rows, or if all earlier tables of the log end at its last size because of -m. Else its end is unknown, with a
notice, also after a message that is larger than the program's default, because -m was given; it is truncated if its
last row is cut or its command line has a larger message. Each table of a datatype is a run.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from wirespeed.benchmarks.logs.failure_messages import is_error
from wirespeed.benchmarks.logs.launch_command import (
    Launch,
    find_transport_service,
    parse_command,
    parse_launch,
)
from wirespeed.benchmarks.logs.launcher_messages import MESSAGE, fail, is_failure, note_failures
from wirespeed.benchmarks.logs.log import Line, Source, splice
from wirespeed.benchmarks.logs.mpi_transport import find_tcp, names_transport
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, RunReader, line_matcher, read_by_process, read_runs
from wirespeed.benchmarks.tools.osu.patterns import (
    BAD_OPTION,
    BINDING,
    BINDING_TITLE,
    BINDING_WIDTHS,
    COMMAND,
    DATATYPE,
    HELLO,
    INIT,
    LIMITED,
    MAXIMUM,
    OWN_FAILURE,
    SETTINGS,
    TITLE,
    USAGE,
    WINDOWS,
    Column,
    is_same_program,
    parse_columns,
    parse_title,
    parse_value,
)
from wirespeed.number_ranges import format_ranges
from wirespeed.results.benchmarks import Metric, RunStatus

LOOKS_FOR = "the table of the OSU micro-benchmarks ('# OSU MPI ... Test', '# Size')"
IDENTIFYING_TEXTS = (
    "OSU ",
    "osu_",
    "# Size",
    "Latency(us)",
    "Overall(us)",
    "This test requires",
    "DATA VALIDATION ERROR",
    "support not enabled",
)

_COUNT = re.compile(r"0|[1-9]\d*")
_DAMAGED = re.compile(r"\S*\d\.\d+\S*|[+-]?(?:nan|inf)|[X*▒]+(?:\.[X*▒]+)?")  # no number, or what is left of one
_RULER = re.compile(r"[-=+*_]{5,}")
_MASKED_ROW = re.compile(r"[X▒*.]+(?:\s+[X▒*.]+)+")
_TOOL = "osu-micro-benchmarks"
_MAX_TRANSPORTS = 4096  # lines; every process of a job prints some


def read(log: Source) -> list[ReadRun]:
    """Every run of an OSU micro-benchmark in the log."""
    return read_by_process(
        log.without_debug(),
        line_matcher(TITLE),
        lambda lines: read_runs(_Reader(), splice(lines, MESSAGE, "[")),
    )


class _Reader(RunReader):
    """Reads one table at a time: title, settings, column line, rows; errors at any position."""

    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
        self._sized = True
        self._columns: list[Column] = []
        self._rate = False  # in the second table of osu_mbw_mr --vary-window
        self._command: tuple[str, int | None] | None = None
        self._whole_command: str | None = None  # from the launcher on
        self._launch: Launch | None = None  # of the command line that starts the next report
        self._first_part = ""  # of a command line that continues on the next line
        self._largest: int | None = None
        self._is_default = False  # the largest message is that of the program's sources
        self._limit: int | None = None  # largest message by a warning, which may precede the title
        self._last = -1
        self._rows = 0
        self._short_ends: set[int | None] = set()  # last sizes of earlier tables; None: one that ended by default
        self._followed = False  # other output follows the rows, so that they were not cut
        self._follow_line: int | None = None  # the first line of that output
        self._has_error = False  # an error follows the rows, so that other output does not show that they are whole
        self._is_cut = False  # the last row is not whole
        self._early: list[str] = []  # failures since the last table
        self._option: str | None = None
        self._transports: list[str] = []  # lines that name the transport of the current report, or of the next one
        self._later_transports: list[str] = []  # of the next report, after the rows of the current one
        self._rank_cores: dict[int, str] = {}  # of the table before the next report
        self._threads: list[Line] = []  # osu_latency_mt and _mp print their settings before their title

    def take(self, line: Line) -> None:
        if not line.is_complete:
            self._is_cut = self._is_cut or bool(line.text.strip())
            return
        text = line.text.strip(" \t|")  # some pages show logs as tables
        if text[:1].isdecimal() and self._draft is not None and self._read_row(line, self._draft, text):
            return
        limited = LIMITED.match(text)
        if limited:
            self._limit = int(limited.group(1))
            if self._draft is not None and not self._rows:
                self._largest, self._is_default = self._limit, False
            text = text[limited.end() :].strip()
        if not text:
            return
        title = TITLE.match(text)
        if title:
            self._read_title(line, title.group(1), title.group(2))
        elif text.startswith(("#", "Overall(us)")):
            self._read_comment(line, text)
        elif self._draft is None or not self._read_startup_line(line, self._draft, text):
            self._read_other_line(line, text)

    def end_run(self) -> None:
        self._followed = self._followed or (self._rows > 0 and not self._has_error)
        self._close()

    def _open(self, line: Line) -> Draft:
        if self._draft is None:
            self._draft = Draft(_TOOL, line.number)
            if self._command is not None:
                self._draft.test = self._command[0]
                self._largest = self._command[1] or self._largest
                self._is_default = self._command[1] is None and self._is_default
            command, self._whole_command = self._whole_command, None
            self._draft.parameters.command = command
            self._draft.parameters.connection_type = find_transport_service(command) if command else None
            launch, self._launch = self._launch, None
            if launch is not None:
                self._draft.ranks, self._draft.parameters.nodes = launch.ranks, launch.hosts
                self._draft.parameters.host_names = ",".join(sorted(launch.names)) or None
        return self._draft

    def _read_binding(self, rank: int, columns: str) -> None:
        """Keep the cores of a rank, which MVAPICH prints before the title; none where its columns are not clear."""
        self._rank_cores[rank] = ",".join(format_ranges(_split_columns(columns)))

    def _close(self) -> None:
        draft, self._draft = self._draft, None
        if draft is None:
            return
        bindings, self._rank_cores = self._rank_cores, {}
        if sorted(bindings) == list(range(len(bindings))) and all(bindings.values()):
            draft.parameters.rank_cores = ":".join(bindings[rank] for rank in sorted(bindings)) or None
        texts = [*self._transports, *filter(None, (draft.parameters.command,))]
        self._transports, self._later_transports = self._later_transports, []
        draft.parameters.tcp_evidence = find_tcp(texts) if texts else None
        ends_early, ends_with_neighbours = self._ends_before_neighbours(), self._short_ends == {self._last}
        if draft.complete:
            self._early = []
        elif self._sized:
            is_at_end = self._is_last_size() and not self._exceeds_default()
            draft.complete = is_at_end or (self._has_neighbours_end() and not draft.errors)
            self._short_ends.add(self._last if self._is_default and self._last < (self._largest or 0) else None)
        else:
            draft.complete = self._rows > 0
        if not draft.complete and not draft.errors and not draft.measurements:
            note_failures(draft, self._early)
        is_cut = not draft.complete and not draft.errors and draft.measurements
        if is_cut and self._last >= 0 and self._largest is not None:
            text = f"the log ends at {self._last} B, before {self._largest} B, the largest message that it states"
            if self._is_default:
                default = f"{draft.test} ends at {self._largest} B unless -m is given"
                text = f"the log ends at {self._last} B and does not state where the sweep ends: {default}"
            draft.notice(draft.measurements[-1].line, text)
        is_unstated = is_cut and self._last >= 0 and self._is_default and not self._is_cut
        if self._sized and is_unstated and not ends_early:
            self._read_runs.append(draft.finish(RunStatus.END_UNKNOWN))
        else:
            ends_by_default = self._sized and self._is_last_size() and not self._exceeds_default()
            ends_by_output = self._followed and not ends_by_default and not ends_with_neighbours
            read_run = draft.finish()
            self._read_runs.append(replace(read_run, follow_line=self._follow_line if ends_by_output else None))
        self._columns, self._sized, self._rate = [], True, False
        self._largest, self._last, self._rows = None, -1, 0
        self._followed, self._follow_line, self._has_error = False, None, False
        self._early, self._option = [], None

    def _ends_before_neighbours(self) -> bool:
        """Whether every earlier table ends at a larger message."""
        return bool(self._short_ends) and all(end is None or end > self._last for end in self._short_ends)

    def _has_neighbours_end(self) -> bool:
        """Whether output follows the rows, or every earlier table was made to end at the same size."""
        return self._followed or self._short_ends == {self._last}

    # -- the parts of a report -------------------------------------------------------------------------------------

    def _read_title(self, line: Line, text: str, version: str | None) -> None:
        early = [] if self._draft is not None else self._early
        self._followed = self._followed or self._rows > 0
        self._close()
        self._early = early
        title = parse_title(text)
        self._is_default = self._limit is None
        self._largest, self._limit = self._limit or title.largest, None
        command, self._command = self._command, None
        if command is not None and (title.program is None or is_same_program(title.program, command[0])):
            self._largest = command[1] or self._largest
            self._is_default = command[1] is None and self._is_default
            title = replace(title, program=command[0])
        draft = self._open(line)
        draft.version = version
        draft.test = title.program
        if draft.test is None:
            draft.parameters.report_title = text
        if title.accelerator:
            draft.parameters.accelerator = title.accelerator
        earlier_lines, self._threads = self._threads, []
        for earlier_line in earlier_lines:
            self._read_setting(draft, earlier_line.text.strip())

    def _read_comment(self, line: Line, text: str) -> None:
        columns = parse_columns(text)
        windows = WINDOWS.match(text)
        datatype = DATATYPE.match(text)
        if columns is not None:
            self._start_next_table(line)
            draft = self._open(line)
            self._sized, self._columns = columns
            for column in self._columns:
                if column.metric is None:
                    draft.notice(line.number, f"the column {column.name!r}", "a known column; it is left out")
        elif windows and self._draft is not None:
            metric, unit = (Metric.MSG_RATE, "msg/s") if self._rate else (Metric.BW_AVG, "MB/s")
            self._columns = [Column(name, metric, unit, f"window {name}") for name in windows.group(1).split()]
            self._last = -1
        elif text.startswith("# Message Rate Profile"):
            self._rate = True
        elif datatype:
            self._start_next_table(line)
            if self._draft is not None:
                self._draft.parameters.datatype = datatype.group(1)
        elif self._draft is None or (self._rows and "threads" in text):
            self._threads.append(line)
        else:
            self._read_setting(self._draft, text)
        command = COMMAND.search(text)
        if command and self._draft is None:
            self._read_command_line(command)  # after a prompt

    def _read_setting(self, draft: Draft, text: str) -> None:
        for pattern, names in SETTINGS:
            match = pattern.match(text)
            if match:
                for name, value in zip(names, match.groups(), strict=True):
                    plain = number(value)
                    value = value.lower() if name.endswith("_memory") else value
                    draft.parameters.read_setting(name, value if plain is None else plain)

    def _start_next_table(self, line: Line) -> None:
        """Start another table of the same report, as in a run over all datatypes: the same test and settings."""
        whole = self._draft
        if whole is None or not self._rows:
            return
        largest, is_default = self._largest, self._is_default
        self._followed = True
        self._close()
        draft = self._open(line)
        draft.test, draft.version, draft.ranks = whole.test, whole.version, whole.ranks
        draft.parameters = replace(whole.parameters, datatype=None)
        self._largest, self._is_default = largest, is_default

    def _read_startup_line(self, line: Line, draft: Draft, text: str) -> bool:
        """Read a line of a startup test."""
        init, hello = INIT.match(text), HELLO.match(text)
        if init and draft.test == "osu_init":
            self._read_startup(line, draft, init)
        elif hello and draft.test == "osu_hello":
            draft.ranks, draft.complete, draft.has_table = int(hello.group(1)), True, False
        return bool(init or hello)

    def _read_row(self, line: Line, draft: Draft, text: str) -> bool:
        cells = text.split()
        if not self._columns or number(cells[0]) is None:
            return False
        size = None
        if self._sized:
            if not _COUNT.fullmatch(cells[0]):
                return False
            if len(cells) < 2:
                return self._note_short_row(line, draft, int(cells[0]))
            if number(cells[1]) is None:
                if len(cells) == len(self._columns) + 1 and _DAMAGED.fullmatch(cells[1]):
                    draft.notice(line.number, f"{cells[1]} in the row of {cells[0]} B", "a number; the row is left out")
                    return True
                return False
            size, cells = int(cells[0]), cells[1:]
        if len(cells) != len(self._columns):
            if self._sized:
                self._note_cells(line, draft, len(cells) + 1)
            return self._sized
        if size is not None and size <= self._last:
            draft.notice(line.number, f"a row of {size} B after one of {self._last} B", "a larger size; left out")
            return True
        self._measure(line, draft, size, cells)
        return True

    def _note_short_row(self, line: Line, draft: Draft, size: int) -> bool:
        """Note a row that contains its size alone: a larger one, and as all sizes of a sweep a power of two."""
        if size <= self._last or size.bit_count() != 1:
            return False
        self._note_cells(line, draft, 1)
        return True

    def _note_cells(self, line: Line, draft: Draft, count: int) -> None:
        self._is_cut = True
        cells = f"a row of {count} {'cell' if count == 1 else 'cells'}"
        draft.notice(line.number, cells, f"{len(self._columns) + 1} cells; the row is left out")

    def _measure(self, line: Line, draft: Draft, size: int | None, cells: list[str]) -> None:
        unread = []
        for column, cell in zip(self._columns, cells, strict=True):
            value = parse_value(column, cell)
            if column.metric is None:
                continue
            if value is None:
                unread.append(cell)
            else:
                draft.measure(column.metric, column.unit, value, line.number, size, column.label)
        if unread:
            size_text = "" if size is None else f" of {size} B"
            draft.notice(line.number, f"{', '.join(unread)} in the row{size_text}", "numbers; left out")
        self._rows += 1
        self._is_cut = self._has_error = False
        self._last = self._last if size is None else size
        if draft.parameters.window_messages == "varied" and not self._rate:
            self._last = -1  # complete only with its second table

    def _read_startup(self, line: Line, draft: Draft, init: re.Match[str]) -> None:
        ranks, minimum, unit, maximum, average = init.groups()
        draft.ranks = int(ranks)
        if unit is None:
            draft.notice(line.number, "times without a unit", "milliseconds; left out")
        else:
            for label, value in (("min", minimum), ("max", maximum), ("avg", average)):
                draft.measure(Metric.TIME, "ms", int(value), line.number, label=label)
        draft.complete = True

    # -- around the reports ----------------------------------------------------------------------------------------

    def _read_other_line(self, line: Line, text: str) -> None:
        if names_transport(text) and len(self._transports) < _MAX_TRANSPORTS:
            is_later = self._draft is not None and self._is_complete()
            (self._later_transports if is_later else self._transports).append(text)
        if OWN_FAILURE.match(text):
            self._fail(line, text)
        elif BAD_OPTION.match(text):
            self._option = text
        elif (usage := USAGE.match(text)) is not None:
            if self._option is not None:
                self._fail(line, self._option).test = usage.group(1)
                self._close()
        elif is_failure(text):
            if self._draft is not None and not self._is_complete():
                fail(self._draft, text)
            elif self._draft is None and self._command is not None:
                fail(self._open(line), text)
            else:
                self._early.append(text)
        else:
            # messages of libraries may stand between rows, or inside one
            is_other_output = MESSAGE.match(text) is None and _MASKED_ROW.fullmatch(text) is None
            self._has_error = self._has_error or is_error(text)
            follows = self._rows > 0 and is_other_output and not self._has_error and not _RULER.fullmatch(text)
            if follows and not self._followed:
                self._followed, self._follow_line = True, line.number
            if text.endswith("\\"):
                self._first_part += f"{text[:-1]} "
                return
            text, self._first_part = self._first_part + text, ""
            command, binding = COMMAND.search(text), BINDING.match(text)
            if command:
                self._read_command_line(command)
            elif BINDING_TITLE.match(text) and self._rows:
                self._close()  # MPI_Init of the next program prints it
            elif binding:
                self._read_binding(int(binding[1]), binding[2])

    def _fail(self, line: Line, text: str) -> Draft:
        """Add a failure message of the benchmark to the current report, unless this report has ended."""
        if self._draft is not None and self._is_complete():
            self._close()
        draft = self._open(line)
        draft.fail(text)
        return draft

    def _is_complete(self) -> bool:
        draft = self._draft
        if draft is None or draft.complete or not self._sized:
            return draft is not None and (draft.complete or self._rows > 0)
        return self._is_last_size()

    def _is_last_size(self) -> bool:
        """Whether the last row has the largest message; sizes double from row to row.

        Only a command line that the log does not contain leads to messages larger than the default.
        """
        if self._largest is None:
            return False
        return self._last <= self._largest < 2 * self._last or self._exceeds_default()

    def _exceeds_default(self) -> bool:
        """Whether the rows pass the largest message of the program's sources, so that an unknown -m was given."""
        return self._is_default and self._largest is not None and self._last > self._largest

    def _read_command_line(self, command: re.Match[str]) -> None:
        """Read a command line: it contains the test and the largest message of the report that follows."""
        if self._draft is not None and (self._rows or self._draft.errors or self._draft.complete):
            self._close()
        maximum = MAXIMUM.search(command.group(2))
        self._command = (command.group(1), int(maximum.group(1)) if maximum else None)
        self._launch = parse_launch(command.string[: command.start()]) or self._launch
        self._whole_command = parse_command(command.string) or self._whole_command


def _split_columns(text: str) -> list[int]:
    """Cores in columns without separators; empty if no width fits and the text is not cores with other spaces."""
    for width in BINDING_WIDTHS:
        columns = [text[start : start + width] for start in range(0, len(text), width)]
        cores = [int(column) for column in columns if column.strip().isdecimal()]
        if _increases(cores) and text == "".join(f"{core:{width}}" for core in cores):
            return cores
    words = text.split()
    cores = [int(word) for word in words if len(word) <= max(BINDING_WIDTHS)]
    return cores if len(cores) == len(words) and _increases(cores) else []


def _increases(cores: list[int]) -> bool:
    return all(core < following for core, following in pairwise(cores))
