"""From the text of a log to its runs: the reader of every tool searches for output of its tool."""

from __future__ import annotations

import importlib
import math
import pkgutil
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from wirespeed.benchmarks.logs import failure_messages
from wirespeed.benchmarks.logs.decimal_commas import read_decimal_commas
from wirespeed.benchmarks.logs.error_causes import Case, causes, has_mixed_fabric, is_out_of_memory, merge_causes
from wirespeed.benchmarks.logs.failure_messages import is_error
from wirespeed.benchmarks.logs.log import Line, Source, Substrings, source
from wirespeed.benchmarks.logs.pair_tables import lacks_corner
from wirespeed.benchmarks.logs.run_draft import MAX_ERRORS, ReadRun
from wirespeed.benchmarks.logs.wrapped_lines import mark_lists
from wirespeed.benchmarks.tools.nccl_debug import communicators as nccl_log
from wirespeed.benchmarks.tools.nccl_debug.lines import IDENTIFYING_TEXTS as NCCL_IDENTIFYING_TEXTS
from wirespeed.benchmarks.tools.nccl_tests.patterns import TYPES
from wirespeed.errors import Problem, Refusal
from wirespeed.results.benchmarks import Run, RunStatus
from wirespeed.results.nccl import Communicator, NcclWarning


@dataclass(frozen=True, slots=True)
class Reading:
    """The runs of a log in order, notices of skipped parts with their lines, and NCCL's communicators."""

    runs: tuple[Run, ...]
    notices: tuple[Problem, ...] = ()
    communicators: tuple[Communicator, ...] = ()


def parse(text: str) -> tuple[Run, ...]:
    """The runs in a log of benchmark tools, in its order.

    A log that contains only NCCL debug lines has a failed run for each communicator with fatal errors; one that
    contains only messages of libraries and launchers has one failed run.

    Raises:
        Refusal: nothing in the text is output of a known tool.
    """
    return read(text).runs


def read(text: str, name: str = "text", *, communicators: bool = True, messages: bool = True) -> Reading:
    """The runs in a log and notices of skipped parts; ``name`` is the file in messages.

    With ``communicators=False`` NCCL's debug output, which is most of a large log, is not read; with
    ``messages=False`` a log that contains only messages of libraries and launchers is refused.

    Raises:
        Refusal: nothing in the text is output of a known tool.
    """
    log = source(text)
    owners = _find_owners(log)
    runs = _read_runs(log, owners)
    has_debug = _NCCL in owners
    found_communicators = nccl_log.communicators(log) if communicators and has_debug else ()
    if not runs:
        debugged = found_communicators or (nccl_log.communicators(log) if has_debug else ())
        killed = [" ".join(line.text.split()) for line in log.without_debug() if is_out_of_memory(line.text)]
        failed = tuple(
            _build_aborted_run(communicator, killed) for communicator in debugged if communicator.fatal_errors
        )
        message_run = failure_messages.read(log, has_mixed_fabric(text)) if messages and not failed else None
        if message_run is None and messages and not debugged:
            message_run = failure_messages.read_error_trace(log)
        if message_run is not None:
            failed = (message_run,)
        if not failed and not debugged and (communicators or not has_debug):
            marked = mark_lists(text)
            if marked is not None:
                return read(marked, name, communicators=communicators, messages=messages)
            raise Refusal([_describe_other_text(text, name)])
        return Reading(failed, (), found_communicators)
    if _COMMA.search(text) is not None:
        runs, log, text = read_decimal_commas(runs, log, text, _read_runs)
    runs.sort(key=lambda run: run.line)
    if any(read_run.follow_line is not None for read_run in runs):
        runs = _doubt_ends(runs)
    if any(read_run.run.status in _WITHOUT_END for read_run in runs):
        runs = _fail_runs_without_end(runs, log, found_communicators or nccl_log.communicators(log))
    line_notices = _select_notices(runs)
    if any(read_run.last_line is None for read_run in runs):
        noted = _note_unread_rows(runs, line_notices, log, text, lambda changed: _read_runs(source(changed)))
        line_notices += _exclude_applications(noted, runs)
    _add_collectives(runs, name)
    notices = [replace(notice, location=_format_location(notice.location, name)) for notice in line_notices]
    return Reading(tuple(_add_causes(runs, log, text)), tuple(notices), found_communicators)


def _doubt_ends(read_runs: list[ReadRun]) -> list[ReadRun]:
    """The runs; the end of one is unknown if only the report of another tool follows it, as in joined logs."""
    tools_by_line = {read_run.line: read_run.run.tool for read_run in read_runs}
    doubted = []
    for read_run in read_runs:
        run = read_run.run
        next_tool = tools_by_line.get(read_run.follow_line or 0, run.tool)
        if next_tool != run.tool and run.status is RunStatus.COMPLETE and run.measurements:
            last = run.measurements[-1]
            found = (
                f"the table ends at {last.size_bytes} B before a report of {next_tool}, and does not state where the "
                "sweep ends"
            )
            notices = (*read_run.notices, Problem(f"line {last.line}", found))
            read_run = replace(read_run, run=replace(run, status=RunStatus.END_UNKNOWN), notices=notices)
        doubted.append(read_run)
    return doubted


def _read_runs(log: Source, owners: set[str] | None = None) -> list[ReadRun]:
    """The runs of every tool; ``owners``: the tools whose identifying texts occur in the log."""
    names = _find_owners(log) if owners is None else owners
    return [run for tool in tools() if tool.name in names for run in tool.read(log)]


def _add_collectives(read_runs: list[ReadRun], name: str) -> None:
    """Set the collective of runs whose log does not contain it, by the name of the file."""
    collective = _find_collective_in_name(name)
    for position, read_run in enumerate(read_runs):
        run = read_run.run
        if collective is not None and run.test is None and run.tool in ("nccl-tests", "rccl-tests"):
            read_runs[position] = replace(read_run, run=replace(run, test=collective))


_COMMA = re.compile(r"\d,\d")
_COLLECTIVE_NAMES = re.compile(
    r"(?<![a-z])(all_?reduce|all_?gather|all_?to_?all|reduce_?scatter|send_?recv|broadcast|hypercube)(?![a-z])"
)
_SPELLINGS_OF_TESTS = {
    "allreduce": "all_reduce",
    "allgather": "all_gather",
    "reducescatter": "reduce_scatter",
    "alltoall": "alltoall",
    "sendrecv": "sendrecv",
    "broadcast": "broadcast",
    "hypercube": "hypercube",
}


def _find_collective_in_name(file: str) -> str | None:
    """The test in the name of a log: ``all_gather`` for ``2-nodes-all-gather.log``; None for none or several."""
    name = file.replace("\\", "/").rpartition("/")[2].lower().replace("-", "_")
    tests_in_name = {match.replace("_", "") for match in _COLLECTIVE_NAMES.findall(name)}
    return _SPELLINGS_OF_TESTS[tests_in_name.pop()] if len(tests_in_name) == 1 else None


def build_failed_run(test: str, error: str, text: str) -> Run:
    """A benchmark that failed before its tool printed anything, from the text that was printed instead.

    The program's name is used as the tool.
    """
    tool, _, arguments = test.partition(" ")
    return Run(tool, arguments or None, None, RunStatus.FAILED, error, None, failures=causes(error, text))


def _build_aborted_run(communicator: Communicator, killed: Sequence[str]) -> Run:
    """The failed run of a log without a table: fatal errors aborted its communicator.

    ``killed``: messages of the log about processes that the kernel killed for want of memory, which come first.
    """
    errors = communicator.fatal_errors
    texts = dict.fromkeys([*killed, *map(_format_error, errors)])
    return Run(
        tool=communicator.library or "NCCL",
        test=None,
        version=communicator.version,
        status=RunStatus.FAILED,
        error="; ".join(list(texts)[:MAX_ERRORS]),
        ranks=communicator.ranks,
        failures=tuple(
            dict.fromkeys([*causes(*killed), *merge_causes((error.text, error.failures) for error in errors)])
        ),
    )


_WITHOUT_END = (RunStatus.TRUNCATED, RunStatus.END_UNKNOWN)


def _fail_runs_without_end(
    read_runs: list[ReadRun], log: Source, communicators: Sequence[Communicator]
) -> list[ReadRun]:
    """The runs; one without an end has failed if an error that ends a job follows its values."""
    fatal = {error.line: _format_error(error) for communicator in communicators for error in communicator.fatal_errors}
    errors = [
        (line, fatal.get(line.number) or " ".join(line.text.split()))
        for line in _list_messages(log)
        if line.number in fatal or is_error(line.text)
    ]
    return [_fail_run_without_end(read_run, read_runs, errors) for read_run in read_runs]


def _fail_run_without_end(
    read_run: ReadRun, read_runs: Sequence[ReadRun], errors: Sequence[tuple[Line, str]]
) -> ReadRun:
    run = read_run.run
    if run.status not in _WITHOUT_END:
        return read_run
    label = run.parameters.process_label
    first = max((measurement.line for measurement in run.measurements), default=read_run.line)
    later_starts = (
        other_run.line
        for other_run in read_runs
        if other_run.line > read_run.line and other_run.run.parameters.process_label == label
    )
    end = min(later_starts, default=math.inf)
    texts = [text for line, text in errors if first < line.number < end and label in (None, line.label)]
    if not texts:
        return read_run
    error = "; ".join(list(dict.fromkeys(texts))[:MAX_ERRORS])
    return replace(read_run, run=replace(run, status=RunStatus.FAILED, error=error))


def _format_error(error: NcclWarning) -> str:
    return f"{error.host}: {error.text}" if error.host else error.text


def _add_causes(read_runs: list[ReadRun], log: Source, text: str) -> Iterable[Run]:
    """The runs; a failed run gets the causes of its error, or of the messages of launchers and libraries around it."""
    messages = None
    for index, read_run in enumerate(read_runs):
        run = read_run.run
        if run.status is not RunStatus.FAILED:
            yield run
            continue
        if messages is None:
            messages = _list_messages(log)
        first = bisect_left(messages, read_run.line, key=_get_number) if index else 0
        next_message = (
            bisect_left(messages, read_runs[index + 1].line, key=_get_number)
            if index + 1 < len(read_runs)
            else len(messages)
        )
        context = "\n".join(line.text for line in messages[first:next_message])
        case = replace(Case.from_run(run.parameters, run.measurements), is_mixed_fabric=has_mixed_fabric(text))
        yield replace(run, failures=causes(run.error or "", context, case=case))


def _list_messages(log: Source) -> list[Line]:
    """The lines that may contain messages of launchers and libraries, in the order of the log."""
    return sorted((*log.without_debug(), *log.debug(" NCCL WARN ")), key=_get_number)


def _select_notices(read_runs: list[ReadRun]) -> list[Problem]:
    """The notices of all readers, save those of lines that the reader of another tool took."""
    tools_by_line: dict[str, set[str]] = {}
    if len({read_run.run.tool for read_run in read_runs}) > 1:
        for read_run in read_runs:
            for line in {measurement.line for measurement in read_run.run.measurements}:
                tools_by_line.setdefault(f"line {line}", set()).add(read_run.run.tool)
    return [
        notice
        for read_run in read_runs
        for notice in read_run.notices
        if not tools_by_line.get(notice.location, set()) - {read_run.run.tool}
    ]


def _exclude_applications(notices: Iterable[Problem], read_runs: list[ReadRun]) -> list[Problem]:
    """Notices of lines outside the output of applications, whose other rows of numbers are not results."""
    outputs = [range(run.line, run.last_line + 1) for run in read_runs if run.last_line is not None]
    return [
        notice
        for notice in notices
        if not any(int(notice.location.removeprefix("line ")) in output for output in outputs)
    ]


_Read = Callable[[str], list[ReadRun]]
"""Reads a text with the readers of all tools."""


def _note_unread_rows(
    read_runs: list[ReadRun], notices: list[Problem], log: Source, text: str, read: _Read
) -> list[Problem]:
    """Notices of rows without one that ``read_runs`` lack: masked, after an unknown prefix, cut at the end."""
    added: list[Problem] = []
    for note in (_note_masked_rows, _note_prefixed_rows):
        added += note(read_runs, notices + added, text, read)
    added += _note_cut_row(read_runs, notices + added, log, text, read)
    return added + list(_note_rows_of_no_table(read_runs, notices + added, log))


_BLANK = r"[^\S\n]"
_RESULT_LINE = rf"""
    \[\ *(?:\d+|SUM)\](?:\[[TR]X-[CS]\])?{_BLANK}+\d+\.\d+\ *[-–]  # iperf
    |\w+{_BLANK}+=\s+\d                                           # qperf
    |(?:sockperf:\ )?(?:====>|--->|Summary:){_BLANK}             # sockperf
"""
_TABLE_ROW = (
    rf"(?:Final:|\d+:)?{_BLANK}*(?:\d[\d.]*|N/A)(?:{_BLANK}+(?:[\d.]|N/A)|,\d)"  # also of ucx_perftest and NetPIPE
)
_ROW_START = re.compile(rf"[ ]*(?:{_RESULT_LINE}|{_TABLE_ROW}|\d[\d.]*$)", re.VERBOSE)
_FRAMED_ROW = rf"""
    \|\ .*\|\ +\d                                               # GPCNeT
    |\d+:{_BLANK}.*\ times\ -->                                  # NetPIPE
    |\#\ (?:Avg\ bus\ bandwidth|Out\ of\ bounds\ values){_BLANK}*:  # nccl-tests
    |nprocs:\ \d                                                # osu_init
    |\d+\ (?:bytes|iters)\ in\                                   # pingpongs of libibverbs
    |\d+\ packets\ transmitted|rtt\ min                           # ping
    |(?:Send|Recv)\ (?:min|max|avg)[:\t]|\S+\ (?:to|from)\t\d      # mpiGraph
    |sockperf:\ (?:\[Total\ Run\]|Total\ )                        # sockperf
    |SUM\ \w+\ \d                                                # nvbandwidth
    |Transfer\ \d+\ |Aggregate\ bandwidth                        # TransferBench
    |\[thread\ \d+\]\d                                           # ucx_perftest
    |\S+,\ Bandwidth\ =|CPU\ Utilization:                         # bandwidthTest, iperf3
"""
_LONGEST_PREFIX = 4  # cells
_MOST_PREFIXES = 24  # for each of which the log is read again
_PREFIXED_ROW = re.compile(
    rf"^{_BLANK}*(?:\S+{_BLANK}+){{1,{_LONGEST_PREFIX}}}?(?:{_RESULT_LINE}|{_TABLE_ROW}|{_FRAMED_ROW})",
    re.MULTILINE | re.VERBOSE,
)
_ROW = re.compile(rf"(?:{_RESULT_LINE}|{_TABLE_ROW}|{_FRAMED_ROW})", re.VERBOSE)
_CELL = r"(?:\d[\d.]*|N/A|-|Pass|Fail)"
_NUMBERS_ROW = re.compile(
    rf"""
    (?!RTotal|Averages)(?:[^\s\#]\S*{_BLANK}+){{0,3}}?(?=.*\d\.\d)(?:\d[\d.]*|N/A)(?:{_BLANK}+{_CELL})+$
    |\d+\.\d+$
    |\d+{_BLANK}+\d+{_BLANK}+(?:{"|".join(TYPES)}){_BLANK}.*\d\.\d  # nccl-tests
    """,
    re.VERBOSE,
)
_BROKEN_LINES = 2  # between the parts of a row that messages broke
_MASK = re.compile(r"(?<![A-Za-z])(?:[X▒]+|x{2,}|x(?=\.x)|(?<=x\.)x|\*+(?=\.\*)|(?<=\*\.)\*+)(?![A-Za-z])")
_MASK_START = re.compile(r"[X▒*]|xx|x\.")  # in every mask, and found in a fraction of the time
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?|N/A")
_LONGEST_EXCERPT = 60


def _note_masked_rows(read_runs: list[ReadRun], notices: list[Problem], text: str, read: _Read) -> Iterable[Problem]:
    """A notice for each line that readers would take if its masks were digits, or that has the form of one taken."""
    if _MASK_START.search(text) is None or _MASK.search(text) is None:
        return
    read_locations = _list_locations(read_runs) | {notice.location for notice in notices}
    unmasked_text = _MASK.sub(lambda mask: "1" * len(mask[0]), text)
    unmasked_locations = _list_locations(read(unmasked_text))
    lines, unmasked_lines = text.split("\n"), unmasked_text.split("\n")
    forms = {_find_form(lines[number - 1]) for number in _list_measured(read_runs) if number <= len(lines)}
    for number, (row, unmasked_row) in enumerate(zip(lines, unmasked_lines, strict=True), 1):
        location = f"line {number}"
        if row == unmasked_row or location in read_locations:
            continue
        if location in unmasked_locations or _find_form(unmasked_row) in forms:
            yield Problem(location, repr(_shorten(row)), "numbers; the line is left out")


def _note_prefixed_rows(read_runs: list[ReadRun], notices: list[Problem], text: str, read: _Read) -> Iterable[Problem]:
    """A notice for each line that readers take without the cells before it: ``12:00 1024 256 float …``."""
    unread = _find_prefixed_lines(read_runs, notices, text)
    if not unread:
        return
    lines = text.split("\n")
    groups: dict[tuple[int, str], dict[int, str]] = {}  # by count of cells and form of the prefix: rows by number
    for count in range(1, _LONGEST_PREFIX + 1):
        for number in sorted(unread):
            form, row = _split_prefix(lines[number - 1], count)
            if _ROW.match(row) is not None:
                groups.setdefault((count, form), {})[number] = row
    for (count, _), rows_by_number in list(groups.items())[:_MOST_PREFIXES]:
        numbers = unread & rows_by_number.keys()
        if not numbers:
            continue
        changed = [*lines]
        for number in numbers:
            changed[number - 1] = rows_by_number[number]
        rows = numbers & _list_measured(read("\n".join(changed)))
        for number in sorted(rows):
            prefix = " ".join(lines[number - 1].split(maxsplit=count)[:count])
            found = f"{prefix!r} before the row {_shorten(changed[number - 1])!r}"
            yield Problem(f"line {number}", found, "the row alone; the line is left out")
        unread -= rows


def _find_prefixed_lines(read_runs: list[ReadRun], notices: list[Problem], text: str) -> set[int]:
    """Numbers of lines without a measurement or notice that end as a row of a tool."""
    numbers, number, start = set(), 1, 0
    for match in _PREFIXED_ROW.finditer(text):
        number += text.count("\n", start, match.start())
        start = match.start()
        numbers.add(number)
    if not numbers:
        return numbers
    locations = {notice.location for notice in notices} | _list_locations(read_runs)
    return {number for number in numbers if f"line {number}" not in locations}


def _split_prefix(line: str, count: int) -> tuple[str, str]:
    """The form of the first cells of a line, and the text after them."""
    cells = line.split(maxsplit=count)
    return _find_form(" ".join(cells[:count])), cells[count] if len(cells) > count else ""


def _note_cut_row(
    read_runs: list[ReadRun], notices: list[Problem], log: Source, text: str, read: _Read
) -> Iterable[Problem]:
    """A notice of a last line without newline that may be cut.

    Noted if no reader took the line, and it begins as a row of a tool, would give a measurement with a newline, or has
    a number where the log gives no measurement.
    """
    if text.endswith("\n"):
        return
    last = log.all_lines[-1]
    if last.is_complete or not any(character.isdigit() for character in last.text):
        return
    location = f"line {last.number}"
    if location in _list_locations(read_runs) | {notice.location for notice in notices}:
        return
    has_results = any(read_run.run.measurements or read_run.run.error for read_run in read_runs)
    is_row = not has_results or _ROW_START.match(last.text) is not None
    whole = [] if is_row else read(f"{text}\n")
    if is_row or last.number in _list_measured(whole):
        found = f"{_shorten(last.text)!r} without a newline at the end of the log"
        yield Problem(location, found, "a whole row; left out, since its last number may be cut")


def _note_rows_of_no_table(read_runs: list[ReadRun], notices: list[Problem], log: Source) -> Iterable[Problem]:
    """A notice for each remaining line that ends with two numbers or more, one of them with a decimal point.

    The line of its table's columns is missing, or has columns that are not known, or the row is cut.
    """
    measured = _list_measured(read_runs)
    rows = [
        row
        for line in log.without_debug(fold=True)
        for row in (line.parts() if line.is_table and line.number not in measured else (line,))
        if "." in row.text and _NUMBERS_ROW.match(row.text.strip(" \t|"))
    ]
    if not rows:
        return
    locations = {notice.location for notice in notices} | _list_locations(read_runs)
    for row in rows:
        lines_before = range(row.number - _BROKEN_LINES, row.number)
        is_second_part = "." in row.text.split()[0] and any(number in measured for number in lines_before)
        if f"line {row.number}" not in locations and not is_second_part:
            expected = "a whole row below the line of its columns; left out"
            yield Problem(f"line {row.number}", repr(_shorten(row.text)), expected)


def _list_measured(read_runs: list[ReadRun]) -> set[int]:
    """Numbers of the lines with a measurement."""
    return {measurement.line for read_run in read_runs for measurement in read_run.run.measurements}


def _list_locations(read_runs: list[ReadRun]) -> set[str]:
    """The lines that readers took or noted."""
    measured = {f"line {number}" for number in _list_measured(read_runs)}
    return measured | {notice.location for read_run in read_runs for notice in read_run.notices}


def _find_form(row: str) -> str:
    """A row with the same text for all numbers, and one blank between its cells."""
    return " ".join(_NUMBER.sub("0", row).split())


def _shorten(row: str) -> str:
    cells = " ".join(row.split())
    return cells if len(cells) <= _LONGEST_EXCERPT else f"{cells[:_LONGEST_EXCERPT]}…"


def _get_number(line: Line) -> int:
    return line.number


def _format_location(line: str, name: str) -> str:
    return f"{name}:{line.removeprefix('line ')}"


def _describe_other_text(text: str, name: str) -> Problem:
    lines = text.split("\n")
    count = len(lines) - (not lines[-1])
    first = next((line.strip() for line in lines if line.strip()), "")
    excerpt = "".join(character if character.isprintable() else "?" for character in first[:60])
    found = f"{count} line{'s' if count != 1 else ''} of other text, first {excerpt!r}" if excerpt else "no text"
    if "NCCL INFO " in text:
        found = "debug lines of NCCL without a communicator, and no table of a benchmark"
    hint = "give the whole output with its header lines; `wirespeed list tools` lists the supported tools"
    if not excerpt:
        hint = "run the benchmark again and write its output to the file, such as with `| tee FILE`"
    if "\0" in text:
        found = "binary data"
    if _SISCI.search(text):
        hint = (
            "dma_bench: run `dma_bench -client -rn NODE -json FILE` and give FILE, since its table is not supported; "
            "scibench2: give the whole table with its header lines"
        )
    if lacks_corner(lines[:_MATRIX_LINES]):
        hint = (
            r"for a matrix of pairs, write direction and unit into its first cell: `from\to (Gb/s)` if rows send, "
            r"`to\from (Gb/s)` if columns send"
        )
    return Problem(name, found, "output of a benchmark tool", hint)


_SISCI = re.compile(r"\bdma_bench\b|\d us\s+\d[\d.]* MBytes/s$", re.MULTILINE)
"""The name of dma_bench, or a row with the units of the SISCI tools (github.com/multiib/beegfs-thesis)."""
_MATRIX_LINES = 100  # in which the heading of a matrix is looked for


@dataclass(frozen=True, slots=True)
class Tool:
    """A parser: name, description of the output, texts of which every output contains one, reading function."""

    name: str
    looks_for: str
    identifying_texts: tuple[str, ...]
    read: Callable[[Source], list[ReadRun]]


@cache
def tools() -> tuple[Tool, ...]:
    """Every reader, by name: ``reader.py`` and ``json_reader.py`` of every folder next to this file."""
    readers = []
    root = importlib.import_module("wirespeed.benchmarks.tools")
    for folder in sorted(module.name for module in pkgutil.iter_modules(root.__path__) if module.ispkg):
        package = importlib.import_module(f"{root.__name__}.{folder}")
        files = {module.name for module in pkgutil.iter_modules(package.__path__)}
        for file, suffix in (("reader", ""), ("json_reader", "_json")):
            if file in files:
                reader = importlib.import_module(f"{package.__name__}.{file}")
                readers.append(Tool(folder + suffix, reader.LOOKS_FOR, reader.IDENTIFYING_TEXTS, reader.read))
    return tuple(readers)


def find_tools(log: Source) -> list[Tool]:
    """The parsers whose identifying texts occur in the log, by name."""
    owners = _find_owners(log)
    return [tool for tool in tools() if tool.name in owners]


_NCCL = "nccl_debug"


def _find_owners(log: Source) -> set[str]:
    """The names of tools whose identifying texts occur in the log, and that of NCCL's debug output."""
    texts, owners = _list_identifying_texts()
    return {owner for owner, is_contained in zip(owners, log.find_substrings(texts), strict=True) if is_contained}


@cache
def _list_identifying_texts() -> tuple[Substrings, tuple[str, ...]]:
    """All identifying texts, and the tool of each."""
    owned = [(text, tool.name) for tool in tools() for text in tool.identifying_texts]
    owned += [(text, _NCCL) for text in NCCL_IDENTIFYING_TEXTS]
    return Substrings([text for text, _ in owned]), tuple(name for _, name in owned)
