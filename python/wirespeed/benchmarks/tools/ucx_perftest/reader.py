"""ucx_perftest: tables and CSV of a client, and what a server prints.

MB/s are 2^20 bytes per second (src/tools/perf/perftest.c divides by 1024 * 1024). "overall" is the mean of a run,
"average" the mean since the previous row, which its label states. A bandwidth test calls its time per message overhead,
which is not a latency. A run is complete with its "Final:" row. A server prints no result.
"""

from __future__ import annotations

import math
import re

from wirespeed.benchmarks.logs.launcher_messages import fail
from wirespeed.benchmarks.logs.log import Line, Source, splice
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, RunReader, read_by_process, read_runs
from wirespeed.benchmarks.tools.ucx_perftest.patterns import TESTS, Columns, Row, parse_columns, parse_row
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "the table of ucx_perftest ('# iterations | 50.0%ile | average', or its CSV)"
IDENTIFYING_TEXTS = (
    "# iterations ",
    "_lat,avg_lat,",
    "| API: ",
    "perftest",
    "Accepted connection from",
    "message rate (msg/s)",
)

_LOG = re.compile(r"\[\d+\.\d+\] +\[[^\]]*\] +([\w.-]+):\d+ +UCX +(\w+) +(.*)$")
_BOX = re.compile(r"(API|Test|Data layout|Send memory|Recv memory|Message size|AM header size): +(.*?)$")
_BOX_NAMES = {
    "Data layout": "data_layout",
    "Send memory": "send_memory",
    "Recv memory": "receive_memory",
    "AM header size": "am_header_bytes",
}
_HEAD = re.compile(r"(latency|overhead) \(usec\) +bandwidth \(MB/s\) +message rate \(msg/s\)$")
_BATCH = re.compile(r"\+([\w.-]*?[\w.])-+\+-+\+-")
_COMMAND = re.compile(r"(?<![\w.-])(?:\S*/)?ucx_perftest(?=\s)(.*)")
_PRODUCT = re.compile(r"\$\(\( *(\d{1,9}(?: *\* *\d{1,9}){1,5}) *\)\)")  # a size as the shell computes it
_HEADING = re.compile(rf"=+ ({'|'.join(sorted({*TESTS.values()}))}) =+$")  # around the tests of a script
_DEFAULT_ITERATIONS = 1000000  # perftest_params.c, and the help text: -n


def read(log: Source) -> list[ReadRun]:
    """Every run of ucx_perftest in the log."""
    return read_by_process(
        log.without_debug(),
        lambda text: parse_columns(text.strip(" \t|")) is not None,
        lambda lines: read_runs(_Reader(), splice(lines, _MESSAGE, " UCX ")),
    )


_MESSAGE = re.compile(r"\[\d{6,}\.\d+\] +\[[^\]]*\] +[\w.-]+:\d+ +UCX .*")


class _Reader(RunReader):
    """Reads one run at a time: settings, column line, rows."""

    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
        self._box: dict[str, str] = {}
        self._command: dict[str, str] = {}
        self._columns: Columns | None = None
        self._is_latency = False
        self._headed: Line | None = None
        self._boxed: int | None = None
        self._server = False

    def take(self, line: Line) -> None:
        if not line.is_complete:
            return
        raw = line.text.strip()
        text = " ".join(raw.replace("|", " ").split())
        if not text:
            return
        command, log, box, head = _COMMAND.search(text), _LOG.match(raw), _BOX.match(text), _HEAD.search(text)
        columns = parse_columns(raw.strip("| "))
        batch = _BATCH.match(raw)
        if log:
            self._read_log_line(line, *log.groups())
        elif command and " -" in command.group(1):
            self._command_line(command.group(1))
        elif heading := _HEADING.match(raw):
            self._close()
            self._command = {**self._command, "t": heading.group(1)}
        elif box:
            self._read_box_line(line, *box.groups())
        elif head:
            self._read_table_head()
            self._headed, self._is_latency = line, head.group(1) == "latency"
        elif columns is not None:
            self._read_column_line(line, columns)
        elif batch and self._columns is not None and batch.group(1):
            self._read_next_test(line, batch.group(1))
        elif text == "Waiting for connection...":
            self._close()
            self._server = True
        elif self._columns is not None and (row := parse_row(text if not self._columns.csv else raw, self._columns)):
            self._read_row(line, row)
        elif self._draft is not None and not self._draft.complete:
            fail(self._draft, text)

    def _open(self, line: Line) -> Draft:
        if self._draft is None:
            self._draft = Draft("ucx_perftest", self._boxed or line.number)
            if self._server:
                self._draft.parameters.side = "server"
            if "t" in self._command:
                self._draft.test = self._command["t"]
            self._read_settings(self._draft)
        return self._draft

    def _close(self) -> None:
        if self._draft is None and self._headed is not None:
            self._open(self._headed)  # a table that is cut in its head
        draft, self._draft = self._draft, None
        if draft is not None:
            self._read_settings(draft)
            if self._server and not draft.measurements and not draft.errors:
                draft.notice(draft.line, "a server, which prints no result", "the log of its client")
            self._read_runs.append(draft.finish())
        self._columns, self._headed, self._boxed, self._is_latency = None, None, None, False
        self._box, self._server = {}, False

    # -- settings --------------------------------------------------------------------------------------------------

    def _command_line(self, options: str) -> None:
        """Read a command line: it contains the test and the message size of the table that follows."""
        if self._draft is not None and (self._draft.measurements or self._draft.errors):
            self._close()
        options = _PRODUCT.sub(lambda product: str(math.prod(map(int, product[1].split("*")))), options)
        self._command = dict(re.findall(r"(?<=\s)-([tsnm]) *([\w,-]+)", options))

    def _read_box_line(self, line: Line, name: str, value: str) -> None:
        if name == "API" and (self._box or (self._draft is not None and self._draft.measurements)):
            server = self._server
            self._close()
            self._server = server
        self._box[name] = value
        self._boxed = self._boxed or line.number
        if name == "Message size" and value.isdecimal() and "API" in self._box:
            self._read_settings(self._open(line))

    def _read_settings(self, draft: Draft) -> None:
        """Set parameters from the box above a table; a server prints only this box."""
        for name, parameter in _BOX_NAMES.items():
            if name in self._box:
                value = self._box[name]
                draft.parameters.read_setting(parameter, value)
        if "Send memory" not in self._box and "m" in self._command:
            send, _, receive = self._command["m"].partition(",")  # -m SEND[,RECEIVE] (src/tools/perf/perftest_params.c)
            draft.parameters.send_memory, draft.parameters.receive_memory = send, receive or send
        if "Test" in self._box:
            draft.test = TESTS.get((self._box.get("API", ""), self._box["Test"]), self._box["Test"])
        size = self._box.get("Message size", "")
        if size.isdecimal():
            draft.parameters.message_bytes = int(size)

    def _find_size(self) -> int | None:
        for text in (self._box.get("Message size", ""), self._command.get("s", "")):
            if text.isdecimal():
                return int(text)
        return None

    # -- the table -------------------------------------------------------------------------------------------------

    def _read_table_head(self) -> None:
        """Read the head of a table, which ends the previous run."""
        had = self._draft
        if had is not None and (had.measurements or had.errors):
            self._close()

    def _read_column_line(self, line: Line, columns: Columns) -> None:
        if self._headed is None:
            self._read_table_head()
        self._open(self._headed or line).parameters.read_setting("side", "client")
        self._columns, self._headed = columns, None

    def _read_next_test(self, line: Line, name: str) -> None:
        """Continue a table with the next test of a batch file."""
        columns, draft = self._columns, self._draft
        if draft is not None and (draft.measurements or draft.parameters.batch is not None):
            self._close()
            self._columns = columns
        draft = self._open(line)
        draft.parameters.side, draft.parameters.batch = "client", name
        self._is_latency = False  # the head of a batch contains overhead for every test

    def _read_row(self, line: Line, row: Row) -> None:
        columns = self._columns
        draft = self._open(line)
        if columns is None:
            return
        if row.name is not None and draft.parameters.batch != row.name:
            self._read_next_test(line, row.name)
            draft = self._open(line)
        final = row.final or (columns.old and self._is_last(row))
        iterations = row.values[0]
        label = None if final else f"thread {row.thread or 0}, {iterations} iterations"
        size = self._find_size()
        latency = self._is_latency and (not columns.old or self._tests_latency())
        metric, rank = columns.first(latency)
        mean = Metric.LATENCY_AVG if latency else Metric.TIME
        recent = "last interval"
        for index, (quantity, unit, column_label) in enumerate(
            (
                (metric, "us", rank),
                (mean, "us", recent),
                (mean, "us", None),
                (Metric.BW_AVG, "MiB/s", recent),
                (Metric.BW_AVG, "MiB/s", None),
                (Metric.MSG_RATE, "msg/s", recent),
                (Metric.MSG_RATE, "msg/s", None),
            ),
            1,
        ):
            value = row.values[index]
            if value is not None:
                draft.measure(
                    quantity, unit, value, line.number, size, ", ".join(filter(None, (label, column_label))) or None
                )
        if final:
            draft.parameters.iterations = iterations if isinstance(iterations, int) else None
            draft.complete = True

    def _tests_latency(self) -> bool:
        """Whether the test measures latency, as far as the log states it."""
        return "latency" in self._box.get("Test", "") or self._command.get("t", "").endswith("_lat")

    def _is_last(self, row: Row) -> bool:
        """Whether a row is the last one; releases before 1.10 do not mark it: it has all requested iterations."""
        iterations = self._command.get("n", str(_DEFAULT_ITERATIONS))
        return row.values[0] == (int(iterations) if iterations.isdecimal() else None)

    def _read_log_line(self, line: Line, file: str, level: str, message: str) -> None:
        if level not in ("ERROR", "FATAL"):
            return
        if self._draft is not None and self._draft.complete:
            self._close()
        if self._draft is None and not file.startswith("perftest"):
            return
        self._open(line).fail(message)
