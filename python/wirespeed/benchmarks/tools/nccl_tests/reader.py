"""nccl-tests and rccl-tests: the table on standard output.

The column line names the columns, so old and new widths, the missing root column of old releases and per-iteration
columns are read by the same code. Bandwidths are in 1e9 bytes per second, times in microseconds (nccl-tests
doc/PERFORMANCE.md). A run is complete with its average or its "concluded" line and with a whole row for each size of
its sweep (src/common.cu, TimeTest: from minBytes to maxBytes, for each type, operation and root).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter

from wirespeed.benchmarks.logs.launcher_messages import NCCL_DEBUG
from wirespeed.benchmarks.logs.log import Line, Ranks, Source, splice, split_by_label
from wirespeed.benchmarks.logs.numbers import number, numbers
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, find_missing_rows, read_runs
from wirespeed.benchmarks.tools.nccl_tests.element_errors import ElementErrors, list_wrong_data
from wirespeed.benchmarks.tools.nccl_tests.patterns import (
    AMD,
    AVERAGE,
    BOUNDS,
    COMMUNICATOR,
    CONCLUDED,
    ENVIRONMENT,
    FAILURE,
    INTERFACE,
    LIBRARY,
    NETWORK,
    OLD_WARNING,
    OPTION_NAMES,
    OPTIONS,
    OWN_FAILURE,
    PROGRAM,
    RANK,
    RCCL_VERSION,
    REDUCED,
    RUNNING,
    SIZE_DIGITS,
    STARTING,
    TYPES,
    VERSION,
    Columns,
    derive_columns,
    find_collective,
    parse_columns,
    parse_command_variables,
    parse_processes,
    parse_workers,
)
from wirespeed.results.benchmarks import Metric
from wirespeed.results.parameters import Parameters, RankPlace

LOOKS_FOR = "the table of rccl-tests or nccl-tests ('#  size  count  type ... time  algbw  busbw')"
IDENTIFYING_TEXTS = (
    "busbw",
    "ccl-tests",
    "Collective test",
    "nThread",
    "Rank ",
    "failure",
    *(f" {name} " for name in TYPES),
)


# Lines of debug output that a table's reader needs: what went wrong, versions, the environment.
_DEBUG_MARKERS = (
    *("NCCL WARN", "NCCL ERROR", "NCCL VERSION", "CCL version", "CCL_", " Init COMPLETE"),
    *("NET/Socket : Using", "NET/Socket: Using", "NET/IB : Using", "NET/IB: Using"),
)
_SECOND = 2  # table of a log
_RANK_WITHIN = re.compile(r"\[\d+\]|\[\d+,\d+\](?:\[\S*?\])?<std(?:out|err)>:")
"""What mpiexec -prepend-rank and Open MPI's --tag-output put before every part of a line that a process writes."""


def read(log: Source) -> list[ReadRun]:
    """Every run of nccl-tests or rccl-tests in the log."""
    runs = []
    processes = split_by_label(log.without_debug(fold=True), lambda text: parse_columns(text) is not None)
    debug = log.debug(*_DEBUG_MARKERS, distinct=len(processes) == 1)
    for label, process_lines in processes:
        reader = _Reader(label)
        lines = process_lines + [line for line in debug if label in (None, line.label)]
        lines.sort(key=attrgetter("number"))
        runs += read_runs(reader, splice(lines, NCCL_DEBUG, " NCCL "))
    return runs


@dataclass(slots=True)
class _Preamble:
    """The lines before a table: they count only if a table follows."""

    line: int
    program: str | None = None
    ranks: Ranks = field(default_factory=Ranks)
    parameters: Parameters = field(default_factory=Parameters)
    version: str | None = None
    rccl: bool = False
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Command:
    """A command line of the log: its program, and the variables that it sets."""

    program: str | None = None
    is_rccl: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    processes: int | None = None  # by its launcher
    workers: int = 1  # ranks of each process, by the options of the program


class _Reader:
    """Reads one table at a time, with the lines before it."""

    def __init__(self, label: str | None) -> None:
        self._label = label
        self._read_runs: list[ReadRun] = []
        self._draft: Draft | None = None
        self._columns: Columns | None = None
        self._tables, self._averages = 1, 0  # several processes without MPI each print a table, with mixed lines
        self._preamble: _Preamble | None = None
        self._follows_heading = False
        self._command: _Command | None = None
        self._library: str | None = None
        self._rccl = False  # the library is RCCL by its version line
        self._environment: dict[str, str] = {}
        self._types: dict[str, set[str]] = {}
        self._column_labels: list[str] = []
        self._kinds: list[tuple[Metric, str, str | None]] = []  # metric, unit and label of each result of a row
        self._ranks = Ranks()
        self._processes: int | None = None  # by the command
        self._workers = 1
        self._communicator_sizes: set[int] = set()  # by NCCL's debug lines
        self._networks: dict[str, dict[str, None]] = {}  # devices that NCCL lists, by network
        self._half: tuple[Line, list[str]] | None = None  # a row that a warning, which starts a line, broke
        self._row_count, self._is_damaged = 0, False  # whole rows of the table; whether one was left out
        self._old_warnings: list[str] = []  # before a failure without a table
        self._errors: ElementErrors = {}
        self._has_bounds = False  # the line that counts the errors above the tolerance

    def take(self, line: Line) -> None:
        if line.is_list:
            self._read_rank_list(line)
            return
        if line.is_table:
            if not self._takes_rows(line):
                for part in line.parts():
                    self.take(part)
            return
        if line.debug and (
            self._takes_variable(line, line.text)
            or self._takes_communicator(line.text)
            or self._takes_network(line.text)
        ):
            return
        text = line.text.strip(" \t|")  # some pages show logs as tables
        if self._takes_row(line, text) or self._takes_variable(line, text):
            return
        if "NCCL INFO NET/" in text and self._takes_network(text):
            return
        concluded = CONCLUDED.match(text)
        if concluded and self._draft is not None:
            self._draft.complete = True
            self._draft.test = self._draft.test or _find_test(concluded.group(1))
            self._close()
            return
        if not line.is_complete or not text:
            return
        if self._read_before_table(line, text) or self._read_after_table(line, text):
            return
        if (self._draft is None or self._draft.complete) and self._read_headless_row(line, text):
            return
        if self._draft is not None:
            self._read_row(line, text)
            if not self._draft.complete and not self._draft.errors:
                return
        program = PROGRAM.search(text)
        if program and not text.startswith("#"):
            if self._draft is not None and self._draft.complete:
                self._close()  # what follows is of the next job
            self._command = _Command(
                program.group(1),
                "rccl-tests" in text,
                parse_command_variables(text),
                parse_processes(text[: program.start()]),
                parse_workers(text[program.end() :]),
            )

    def _takes_rows(self, line: Line) -> bool:
        """Read rows that one process printed one after the other, if they are plain rows of the table."""
        draft, columns = self._draft, self._columns
        if draft is None or columns is None or draft.complete or self._half is not None:
            return False
        rows = line.rows(columns.cells, len(columns.leading))
        if rows is None or any(kind[0] not in TYPES for kind in rows[2]):
            return False
        lines, sizes, kinds, results = rows
        if columns.errors and len(kinds) > 1:  # the tolerance depends on the type of each row
            return False
        for kind in kinds:
            self._note_kind(columns.leading, kind)
        width = len(results) // len(sizes)
        for row, size in enumerate(sizes):
            for position, group in columns.errors:
                error = results[row * width + position - len(columns.leading)]
                if error:
                    self._note_error((group, kinds[0][0]), error, f"{error:.0e}", size)
        chosen = [position - len(columns.leading) for position, *_ in columns.results]
        if chosen != list(range(width)):
            results = [results[start + position] for start in range(0, len(results), width) for position in chosen]
        draft.measure_rows(self._result_kinds(columns), results, lines, sizes)
        self._row_count += len(sizes)
        return True

    def _takes_row(self, line: Line, text: str) -> bool:
        """Read a line that is certainly a row, as most lines are at this point."""
        draft, columns = self._draft, self._columns
        if draft is None or columns is None or draft.complete or not line.is_complete or not text[:1].isdecimal():
            return False
        if self._half is not None:
            return False
        cells = text.split()
        if len(cells) != columns.cells or cells[2] not in TYPES or "[" in text:
            return False
        if not (cells[0].isdecimal() and cells[1].isdecimal()) or len(cells[0]) > SIZE_DIGITS:
            return False
        self._read_cells(line, draft, columns, columns.leading, cells)
        return True

    def _takes_variable(self, line: Line, text: str) -> bool:
        if "set by environment" not in text or not line.is_complete:
            return False
        variable = _parse_variable(text[text.rfind("NCCL INFO") :])
        if variable is not None:
            self._environment.setdefault(*variable)
        return variable is not None

    def _takes_network(self, text: str) -> bool:
        network = NETWORK.search(text)
        if network is not None:
            self._networks.setdefault(network[1], {}).update(dict.fromkeys(INTERFACE.findall(network[2])))
        return network is not None

    def _takes_communicator(self, text: str) -> bool:
        ranks = COMMUNICATOR.search(text)
        if ranks is not None and self._draft is None:
            self._communicator_sizes.add(int(ranks[1]))
        return ranks is not None

    def end_run(self) -> None:
        self._close()
        self._follows_heading = True

    def finish(self) -> list[ReadRun]:
        self._close()
        self._end_preamble()
        return self._read_runs

    def _end_preamble(self) -> None:
        """End a run that has no table."""
        if self._preamble is not None:
            draft = self._create_draft(self._preamble)
            self._read_runs.append(draft.finish())

    # -- before the table ------------------------------------------------------------------------------------------

    def _read_before_table(self, line: Line, text: str) -> bool:
        """Read a line that precedes a table or starts one."""
        columns = parse_columns(text)
        if columns is not None:
            self._open(line, columns)
            return True
        if "out-of-place" in text or "in-place" in text:
            self._column_labels, self._kinds = re.findall(r"out-of-place|in-place", text), []
            return True
        if RANK.match(text):
            self._read_rank_list(line)
            return True
        library = LIBRARY.match(text)
        if library:
            if self._draft is not None and self._draft.complete:
                self._close()
            self._library = library.group(1)
            self._rccl = "RCCL version" in text
            return True
        for pattern, take in (
            (VERSION, self._read_version),
            (STARTING, self._read_start_line),
            (RUNNING, self._read_start_line),
            (RCCL_VERSION, self._read_rccl_version),
            (OPTIONS, self._read_options),
            (REDUCED, self._read_reduced_maximum),
        ):
            match = pattern.match(text)
            if match:
                if pattern is OPTIONS and self._follows_heading:
                    self._start_preamble()
                take(match, self._get_preamble(line))
                return True
        return False

    def _start_preamble(self) -> None:
        """End a run without a table whose options precede a heading: the options below it are those of another run."""
        self._follows_heading = False
        if self._preamble is not None and self._preamble.parameters.max_message_bytes is not None:
            self._end_preamble()

    def _read_rank_list(self, line: Line) -> None:
        """Read lines that each contain a rank; processes print in any order, also after the column line."""
        ranks = Ranks.from_line(line)
        if not ranks.numbers:
            return
        in_table = self._draft is not None and self._columns is not None and not self._draft.measurements
        (self._ranks if in_table else self._get_preamble(line).ranks).add(ranks)

    def _get_preamble(self, line: Line) -> _Preamble:
        if self._draft is not None:
            self._close()
        if self._preamble is None:
            self._preamble = _Preamble(line.number)
        return self._preamble

    def _read_version(self, match: re.Match[str], preamble: _Preamble) -> None:
        preamble.version = match.group(1)
        preamble.parameters.nccl_headers_version = int(match.group(2)) if match.group(2) else None
        preamble.parameters.nccl_library_version = int(match.group(3)) if match.group(3) else None

    def _read_start_line(self, match: re.Match[str], preamble: _Preamble) -> None:
        preamble.program = _find_test(match.group(1))

    def _read_rccl_version(self, match: re.Match[str], preamble: _Preamble) -> None:
        preamble.version, preamble.rccl = match.group(1), True

    def _read_options(self, match: re.Match[str], preamble: _Preamble) -> None:
        threads, gpus, ranks, minimum, maximum, step, kind, other_options = match.groups()
        preamble.rccl = preamble.rccl or ranks is not None
        parameters = preamble.parameters
        parameters.threads_per_process, parameters.gpus_per_thread = int(threads), int(gpus)
        parameters.min_message_bytes, parameters.max_message_bytes = int(minimum), int(maximum)
        if kind == "factor":
            parameters.message_step_factor = int(step)
        else:
            parameters.message_step_bytes = int(step)
        for name, value in re.findall(r"([a-z][a-zI ]*?): (\d{1,9})\b", other_options):
            if name in OPTION_NAMES:
                parameters.read_setting(OPTION_NAMES[name], int(value))

    def _read_reduced_maximum(self, match: re.Match[str], preamble: _Preamble) -> None:
        parameters = preamble.parameters
        parameters.max_message_bytes = int(match.group(1))
        if parameters.min_message_bytes is not None:
            parameters.min_message_bytes = min(parameters.min_message_bytes, parameters.max_message_bytes)

    def _create_draft(self, preamble: _Preamble) -> Draft:
        command, self._command = self._command or _Command(), None
        program = preamble.program or command.program
        is_rccl = (
            command.is_rccl
            or preamble.rccl
            or self._rccl
            or any(AMD.search(device) for device in preamble.ranks.devices)
        )
        draft = Draft("rccl-tests" if is_rccl else "nccl-tests", preamble.line, test=program, version=preamble.version)
        draft.parameters.update(preamble.parameters)
        if self._label is not None:
            draft.parameters.process_label = self._label
        for name, value in command.variables.items():
            self._environment.setdefault(name, value)
        self._ranks, self._processes, self._workers = preamble.ranks, command.processes, command.workers
        self._preamble = None
        return draft

    # -- the table -------------------------------------------------------------------------------------------------

    def _open(self, line: Line, columns: Columns) -> None:
        if self._draft is not None and not self._draft.measurements and self._columns is not None:
            self._tables += 1  # the same column line once more, from another process
            self._draft.parameters.mixed_tables = self._tables
            if self._tables == _SECOND:
                tests = self._draft.tool
                text = f"processes print separate tables: {tests} was built without MPI; build it with MPI=1"
                self._draft.notice(line.number, text)
            return
        self._close()
        self._old_warnings = []  # the job that printed them has a table
        self._draft = self._create_draft(self._preamble or _Preamble(line.number))
        self._columns = columns
        self._types, self._kinds, self._errors, self._has_bounds = {}, [], {}, False
        self._tables, self._averages = 1, 0
        self._row_count, self._is_damaged = 0, False

    def _read_after_table(self, line: Line, text: str) -> bool:
        """Read a line after a table, or an error message."""
        if self._draft is None:
            if OWN_FAILURE.match(text):
                self._draft = self._create_draft(self._preamble or _Preamble(line.number))
                self._columns, self._errors = None, {}
                for message in (*self._old_warnings, text):
                    self._draft.fail(message)
                self._old_warnings = []
                return True
            if OLD_WARNING.match(text):
                self._old_warnings.append(text)
            return False
        bounds = BOUNDS.match(text)
        if bounds:
            self._has_bounds = True
            if bounds.group(2) == "FAILED":
                self._draft.fail(text.lstrip("# "))
            return True
        average = AVERAGE.match(text)
        if average:
            value = number(average.group(1))
            if value is None:
                self._draft.notice(line.number, f"average bus bandwidth {average.group(1)!r}", "a number; left out")
            else:
                self._draft.measure(Metric.AVG_BUSBW, "GB/s", value, line.number)
            if average.group(2) == "FAILED":
                self._draft.fail(text.lstrip("# "))
            self._averages += 1
            self._draft.complete = self._averages >= self._tables
            return True
        if FAILURE.match(text):
            self._draft.fail(text.lstrip("# "))
            return True
        return False

    def _read_headless_row(self, line: Line, text: str) -> bool:
        """Read the first row of a table whose column line is missing."""
        columns = derive_columns(text.split())
        if columns is None:
            return False
        self._open(line, columns)
        assert self._draft is not None
        self._draft.notice(line.number, "no column line before this row: its columns are recognised by their values")
        self._read_row(line, text)
        return True

    def _read_row(self, line: Line, text: str) -> None:
        draft, columns = self._draft, self._columns
        cells = _RANK_WITHIN.sub(" ", text.lstrip("#")).split()
        if draft is None or columns is None or draft.complete:
            return
        if self._half is not None:
            half, self._half = self._half, None
            if len(half[1]) + len(cells) == columns.cells and all(_is_result(cell) for cell in cells):
                line, cells = half[0], half[1] + cells
            elif NCCL_DEBUG.match(text):
                self._half = half
                return
            else:
                self._note_odd_row(half[0], half[1], columns)
        if len(cells) < 2 or not all(cell.isdecimal() for cell in cells[:2]) or len(cells[0]) > SIZE_DIGITS:
            return
        if len(cells) == 2 and 0 < int(cells[1]) <= int(cells[0]):
            self._half = line, cells  # cut before the type
            return
        if len(cells) == 2 or not cells[2][0].isalpha():
            return  # rows of other tools have numbers where the type stands
        leading = columns.leading
        if len(cells) == columns.cells - 1 and "redop" in leading and number(cells[3]) is not None:
            leading = [
                name for name in leading if name != "redop"
            ]  # old releases leave it blank where nothing is reduced
        elif len(cells) < columns.cells:
            self._half = line, cells
            return
        elif len(cells) != columns.cells:
            self._note_odd_row(line, cells, columns)
            return
        self._read_cells(line, draft, columns, leading, cells)

    def _read_cells(self, line: Line, draft: Draft, columns: Columns, leading: list[str], cells: list[str]) -> None:
        size = int(cells[0])
        self._row_count += 1
        self._note_kind(leading, cells[2:])
        kinds = self._result_kinds(columns)
        missing = len(columns.leading) - len(leading)
        for position, group in columns.errors:
            cell = cells[position - missing].rstrip("*")  # of rccl-tests, at an error above its tolerance
            error = math.inf if cell == "inf" else number(cell)
            if cell in ("nan", "-nan"):  # no comparison of the tool holds for it, and so it counts no wrong element
                draft.notice(
                    line.number, f"the error {cell} in the row of {size} B", "a number; data were not compared"
                )
            if error:
                self._note_error((group, cells[2]), error, cell, size)
        printed = [cells[position - missing] for position, *_ in columns.results]
        plain = numbers(printed)
        if plain is not None:
            draft.measure_row(kinds, plain, line.number, size)
            return
        unread = []
        for (metric, unit, label), cell in zip(kinds, printed, strict=True):
            cell = cell.rstrip("*") if metric is Metric.WRONG else cell
            value = number(cell)
            if value is not None:
                draft.measure(metric, unit, value, line.number, size, label)
            elif cell != "N/A":
                unread.append(cell)
        if unread:
            draft.notice(line.number, f"{', '.join(unread)} in the row of {size} B", "numbers; left out")

    def _note_kind(self, leading: list[str], kind: list[str]) -> None:
        """Note the cells between the count and the results: type, operation and root."""
        for name, cell in zip(leading[2:], kind, strict=False):
            self._types.setdefault(name, set()).add(cell)

    def _result_kinds(self, columns: Columns) -> list[tuple[Metric, str, str | None]]:
        if not self._kinds:
            self._kinds = [(metric, unit, self._find_label(index)) for _, index, metric, unit in columns.results]
        return self._kinds

    def _note_odd_row(self, line: Line, cells: list[str], columns: Columns) -> None:
        assert self._draft is not None
        self._is_damaged = True
        self._draft.notice(line.number, f"a row of {len(cells)} cells", f"{columns.cells} cells; the row is left out")

    def _set_ranks(self, draft: Draft) -> None:
        """Set the ranks by their list, which is whole if a table follows, else by the command."""
        hosts = {host for rank, host, _, _ in self._ranks.places if rank == 0}
        if self._tables == 1 and len(hosts) > 1:
            draft.parameters.host_names = ",".join(sorted(self._ranks.hosts))
            text = f"{len(hosts)} processes name rank 0: {draft.tool} was built without MPI; build it with MPI=1"
            draft.notice(draft.line, text)
        has_results = bool(draft.measurements or draft.errors or draft.complete)
        threads, gpus = draft.parameters.threads_per_process, draft.parameters.gpus_per_thread
        workers = threads * gpus if threads and gpus else self._workers
        by_command = self._processes * workers if self._processes else None
        is_whole = self._columns is not None and self._ranks.is_whole
        is_listed = bool(self._ranks.numbers)
        if is_listed and (has_results or (is_whole and by_command in (None, self._ranks.count))):
            _set_ranks(draft, self._ranks)  # without such a line, the log may be cut inside the list of ranks
        elif self._tables == 1 and len(hosts) <= 1:
            draft.ranks = draft.ranks or by_command

    def _note_missing_rows(self, draft: Draft) -> None:
        """Note the rows that the sweep of the options has and the table lacks."""
        if not self._row_count or self._tables > 1:
            return
        missing_rows = find_missing_rows(draft, self._row_count)
        if missing_rows is not None:
            self._is_damaged = True
            draft.notice(draft.measurements[-1].line if draft.measurements else draft.line, *missing_rows)

    def _note_error(self, kind: tuple[int, str], error: float, cell: str, size: int) -> None:
        """Note the error of an element if it is the largest of its group of columns and data type."""
        if kind not in self._errors or error > self._errors[kind][0]:
            self._errors[kind] = (error, cell, size)

    def _judge_errors(self, draft: Draft) -> None:
        """Fail a run whose elements are wrong, where no line counts them."""
        reduces = bool(self._types.get("redop", set()) - {"none"})
        for is_checked, text in list_wrong_data(self._errors, draft.test, draft.ranks, reduces=reduces):
            if is_checked:
                draft.fail(f"Out of bounds values: {text}")
            else:
                draft.notice(draft.line, f"{text}; not judged: sendrecv and all-to-all check no data in place")

    def _find_label(self, index: int) -> str | None:
        assert self._columns is not None
        if len(self._columns.groups) == 2:
            return (self._column_labels if len(self._column_labels) == 2 else ("out-of-place", "in-place"))[index]
        return self._column_labels[0] if len(self._column_labels) == 1 else None

    def _close(self) -> None:
        if self._draft is None:
            return
        if self._half is not None and self._columns is not None:
            self._note_odd_row(*self._half, self._columns)
        self._half = None
        if self._draft.complete:
            self._note_missing_rows(self._draft)
        self._set_ranks(self._draft)
        if self._draft.ranks is None and len(self._communicator_sizes) == 1:
            self._draft.ranks = next(iter(self._communicator_sizes))
        self._communicator_sizes = set()
        if list(self._networks) == ["Socket"] and self._draft.parameters.nodes != 1:
            self._draft.parameters.sockets = ",".join(sorted(self._networks["Socket"]))
        self._networks = {}
        find_collective(self._draft, self._types)
        if self._errors and not self._has_bounds:
            self._judge_errors(self._draft)
        for name, values in self._types.items():
            if name not in _COLUMN_PARAMETERS:  # a column that no release prints
                continue
            self._draft.parameters.read_setting(_COLUMN_PARAMETERS[name], _join_values(values))
        if self._library is not None:
            self._draft.parameters.library_version = self._library
        self._draft.parameters.environment = self._environment
        self._environment, self._library, self._rccl = {}, None, False
        has_rows = any(measurement.size_bytes is not None for measurement in self._draft.measurements)
        self._draft.complete = self._draft.complete and has_rows and not self._is_damaged
        self._read_runs.append(self._draft.finish())
        self._draft = self._columns = None
        self._types, self._column_labels, self._kinds = {}, [], []


_MAX_LOCATIONS = 4096  # ranks; the list of a larger job would be most of a stored run
_COLUMN_PARAMETERS = {"type": "datatype", "redop": "reduction", "root": "root_rank"}


@lru_cache(maxsize=1024)  # each of a thousand processes prints the same
def _parse_variable(message: str) -> tuple[str, str] | None:
    """A variable of NCCL's environment and its value."""
    variable = ENVIRONMENT.match(message)
    return (variable.group(1), variable.group(2)) if variable else None


def _is_result(cell: str) -> bool:
    """Whether a cell can be a result: a number, or the mark for a missing one."""
    return number(cell.rstrip("*")) is not None or cell in ("N/A", "inf", "nan", "-nan")


def _find_test(program: str) -> str:
    """The test of a program: ``all_reduce`` for ``./build/all_reduce_perf_mpi``."""
    name = program.rpartition("/")[2]
    match = PROGRAM.search(name)
    return match.group(1) if match else name


def _set_ranks(draft: Draft, ranks: Ranks) -> None:
    draft.ranks = ranks.count
    if len(ranks.devices) == 1:
        draft.parameters.gpu_model = next(iter(ranks.devices))
    # Some pages show only the last ranks; several processes without MPI name the same rank on different hosts.
    if ranks.is_whole:
        draft.parameters.nodes = len(ranks.hosts)
        draft.parameters.host_names = ",".join(sorted(ranks.hosts)) or None
        if ranks.count <= _MAX_LOCATIONS:
            draft.parameters.rank_places = {
                str(rank): RankPlace(host, gpu, address or None) for rank, host, gpu, address in ranks.places
            }
    elif (hosts := _count_hosts_of_last_rank(ranks)) is not None:
        draft.parameters.nodes = hosts
    if len(ranks.groups) > 1:
        draft.parameters.rank_groups = len(ranks.groups)


def _count_hosts_of_last_rank(ranks: Ranks) -> int | None:
    """The number of hosts where a page shows the last ranks only: the last rank has the last device of its host."""
    numbers = [rank for rank, _, _, _ in ranks.places]
    is_end = len(set(numbers)) == len(numbers) and 0 not in numbers
    device = next((gpu for rank, _, gpu, _ in ranks.places if rank == ranks.count - 1), None) if is_end else None
    if device is None or ranks.count % (device + 1):
        return None
    return ranks.count // (device + 1)


def _join_values(values: Iterable[str]) -> str | int:
    """The value of a column; several values are joined, as in a run over all types."""
    joined = ",".join(sorted(values))
    value = number(joined)
    return value if isinstance(value, int) else joined
