"""iperf3: the report on standard output of a client or a server.

The label of a value is its stream or SUM, its role in a bidirectional test, and sender or receiver for the whole run;
values of an interval have the interval in their label. Intervals without length and omitted ones are left out. A
client's run is complete with "iperf Done."; a server's when every stream and their sum have a summary, with which the
end of a client's is unknown: an interrupted client prints one too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from wirespeed.benchmarks.logs.iperf_intervals import Report, add, cut_last_number, report, split_by_tool
from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, RunReader, line_matcher, read_by_process, read_runs
from wirespeed.results.benchmarks import Metric, RunStatus

LOOKS_FOR = "the report of iperf3 ('Connecting to host', '[ ID] Interval  Transfer  Bitrate', or its JSON)"
IDENTIFYING_TEXTS = (
    "bits/sec",
    "Bytes/sec",
    "Interval",
    "Connecting to host",
    "Server listening on",
    "Accepted connection",
    "iperf3:",
)

_COLUMNS = re.compile(r"\[ *ID\](?:\[Role\])?\s+Interval\s+Transfer\s+(Bitrate|Bandwidth)(.*)")
_TITLE = re.compile(
    r"\s*(\S.{0,80}?):  (?=Connecting to host |iperf 3\.|Server listening on )"
)  # --title, on every line
_ACCEPTED = re.compile(r"Accepted connection from \S+, port \d+$")
_VERBOSE = re.compile(r"(Target Bitrate: |snd_tcp_congestion |TCP MSS: )([1-9]\d*|[a-z]\w*)\b")  # lines of -V
_PARAMETERS = {
    "Target Bitrate: ": "target_bits_per_second",
    "snd_tcp_congestion ": "congestion_control",
    "TCP MSS: ": "tcp_mss_bytes",
}
_SEPARATOR = re.compile(r"(?:[-–—] ){3,}[-–—]?$")  # with dashes where a page set them
_SUMMARY_TITLE = "Test Complete. Summary Results:"  # of -V (src/iperf_locale.c), once in a report
_ENDS = {"Sent": "sender", "Received": "receiver"}  # how betas of iperf3 head their summaries
_CONNECTING = re.compile(r"Connecting to host (\S+), port (\d+)")
_LISTENING = re.compile(r"Server listening on (\d+)(?: \(test #\d+\))?$")
_ACCEPTED = re.compile(r"Accepted connection from \S+, port \d+")
_CONNECTED = re.compile(r"\[ *(\d+)\](?:\[[TR]X-[CS]\])? local (\S+) port \d+ connected to (\S+) port (\d+)$")
_CPU_LOAD = re.compile(
    r"CPU Utilization: local/\w+ (?P<local>\d+\.\d+)% \(.*\), remote/\w+ (?P<remote>\d+\.\d+)% \("
)  # of the process, in percent of one core (src/iperf_locale.c, report_cpu; src/iperf_util.c, cpu_util)
_TEST = re.compile(r"Starting Test: protocol: (\w+), (\d+) streams?, (\d+) byte blocks, omitting (\d+) seconds, (.*)")
_VERSION = re.compile(r"iperf (3\.\S+)(?: .*)?$")
_ERROR = re.compile(
    r"iperf3: (?:error - |interrupt - |parameter error - |exiting|the (?:client|server) has terminated).*"
    r"|iperf3: .*(?:unrecognized|requires|invalid) .*"
)
_FIRST_ERROR = re.compile(r"iperf3: (?:error - |parameter error - |unrecognized )")  # each ends a process or a test


def read(log: Source) -> list[ReadRun]:
    """Every run of iperf3 in the log."""
    return read_lines(log.without_debug())


def read_lines(lines: Sequence[Line]) -> list[ReadRun]:
    """Every run of iperf3 in lines of a log."""
    return read_by_process(lines, line_matcher(_COLUMNS), _read_process)


def _read_process(lines: list[Line]) -> list[ReadRun]:
    title, untitled = _split_title(lines)
    iperf3_lines, _ = split_by_tool(untitled)
    return read_runs(_Reader(title), _unwrap(iperf3_lines))


def _split_title(lines: list[Line]) -> tuple[str | None, list[Line]]:
    """The title of --title, and the lines without it."""
    title = next((match.group(1) for line in lines if ":  " in line.text and (match := _TITLE.match(line.text))), None)
    if title is None:
        return None, lines
    prefix = f"{title}:"
    result = []
    for line in lines:
        text = line.text.lstrip()
        is_titled = text.startswith(prefix)
        result.append(line.with_text(text.removeprefix(prefix).lstrip(), line.is_complete) if is_titled else line)
    return title, result


def _unwrap(lines: list[Line]) -> list[Line]:
    """Append "sender" and "receiver" to a line that a mail program broke before them.

    If one line was broken, a last line without its word was cut.
    """
    result: list[Line] = []
    wrapped = False
    for line in lines:
        word = line.text.strip()
        if word in ("sender", "receiver") and line.is_complete and result and _find_direction(result[-1]) is None:
            result[-1] = result[-1].with_text(f"{result[-1].text.rstrip()}  {word}", result[-1].is_complete)
            wrapped = True
        else:
            result.append(line)
    end = len(result) - 1
    while end >= 0 and not (result[end].is_complete and result[end].text.strip()):
        end -= 1
    if end >= 0 and wrapped and _find_direction(result[end]) is None:
        result[end] = result[end].with_text(result[end].text, False)
    return result


def _find_direction(line: Line) -> str | None:
    """The sender or receiver in a line of a report; empty for another line, None if the line contains neither."""
    report_line = report(line.text, retransmits=None)
    return "" if report_line is None else report_line.end_of


class _Reader(RunReader):
    """Reads one test at a time: its connections, the intervals, the summary."""

    def __init__(self, title: str | None) -> None:
        self._title = title
        super().__init__()
        self._version: str | None = None
        self._port: int | None = None
        self._reset()

    def _reset(self) -> None:
        self._draft: Draft | None = None
        self._retransmits: bool | None = None
        self._columns = self._separated = self._in_summary = self._one_sided = False
        self._server = self._ended = False
        self._end_of: str | None = None
        self._connected = self._reported = False
        self._addresses: tuple[str | None, str | None] = (None, None)
        self._streams: set[str] = set()
        self._datagrams: dict[str, int] = {}
        self._sent_datagrams: dict[str, int] = {}  # by the sender, since release 3.2
        self._summed: set[tuple[str, str | None]] = set()
        self._interval_ends: dict[tuple[str, str | None], str] = {}  # of the last interval of each stream and role

    def take(self, line: Line) -> None:
        text = line.text.strip(" \t|")  # some pages show logs as tables
        if text == "iperf Done." and self._draft is not None:
            self._ended = True
            self._close()
            return
        if not line.is_complete:
            self._read_last_line(line, text)
            return
        if not text:
            return
        columns = _COLUMNS.match(text)
        if columns:
            self._read_column_line(line, *columns.groups())
        elif _SEPARATOR.match(text) or text == _SUMMARY_TITLE:
            if self._in_summary and text == _SUMMARY_TITLE:
                self._close()
            self._separated = True
        elif not self._read_report_line(line, text):
            self._read_status_line(line, text)

    def _open(self, line: Line) -> Draft:
        if self._draft is None:
            self._draft = Draft("iperf3", line.number, version=self._version)
            if self._title is not None:
                self._draft.parameters.title = self._title
            self._set_addresses(self._draft)
        return self._draft

    def _set_addresses(self, draft: Draft) -> None:
        """Set the addresses of the last connection, whose line may be the first one of a log."""
        draft.parameters.local_address, draft.parameters.remote_address = self._addresses

    def _close(self) -> None:
        draft = self._draft
        if draft is not None:
            draft.complete = self._ended or self._has_server_summary()
            if self._streams and (draft.complete or (self._connected and self._columns)):
                draft.parameters.streams = len(self._streams)
            draft.parameters.datagrams = self._sum_datagrams(self._datagrams)
            draft.parameters.sent_datagrams = self._sum_datagrams(self._sent_datagrams)
            if draft.test is None and any(
                measurement.metric in ("jitter", "lost") for measurement in draft.measurements
            ):
                draft.test = "UDP"
            if draft.test is None and any(measurement.metric == "retransmits" for measurement in draft.measurements):
                draft.test = "TCP"
            interrupted = draft.errors and all("interrupt" in error or "terminated" in error for error in draft.errors)
            status = RunStatus.TRUNCATED if interrupted else None
            if not draft.complete and not draft.errors and self._has_summary():
                status = RunStatus.END_UNKNOWN
            self._read_runs.append(draft.finish(status))
        self._reset()

    def _sum_datagrams(self, by_stream: dict[str, int]) -> int | None:
        """The datagrams of the sum, or of the only stream."""
        return by_stream.get("SUM", next(iter(by_stream.values()), None) if len(self._streams) == 1 else None)

    def _has_server_summary(self) -> bool:
        """Whether a server printed the summary."""
        return self._server and self._connected and self._has_summary()

    def _has_summary(self) -> bool:
        """Whether every stream has a summary, and the sum if a direction has several streams."""
        roles = {role for _, role in self._summed}
        summed = {stream for stream, _ in self._summed}
        if not self._streams or not self._streams <= summed:
            return False
        return len(self._streams) <= len(roles) or {("SUM", role) for role in roles} <= self._summed

    # -- the parts of a report -------------------------------------------------------------------------------------

    def _read_column_line(self, line: Line, rate: str, headings: str) -> None:
        if self._in_summary and not self._separated:
            self._close()
        draft = self._open(line)
        self._in_summary = self._separated or self._in_summary
        self._separated = False
        self._columns = True
        self._retransmits = "Retr" in headings
        self._one_sided = rate == "Bitrate"
        if "Datagrams" in headings:
            draft.test = "UDP"
        elif self._retransmits:
            draft.test = "TCP"

    def _read_report_line(self, line: Line, text: str) -> bool:
        report_line = report(text, retransmits=self._retransmits if self._columns else None)
        if report_line is None:
            return False
        if report_line.end_of is None and self._end_of is not None:
            report_line = replace(report_line, end_of=self._end_of)
        draft = self._open(line)
        is_summary = self._in_summary or report_line.end_of is not None
        if report_line.stream != "SUM":
            self._streams.add(report_line.stream)
        if report_line.role is not None:
            draft.parameters.bidirectional = True
        if is_summary:
            self._in_summary = True
            self._read_summary(line, report_line, draft)
        elif report_line.start == report_line.end:
            draft.notice(
                line.number,
                f"the interval {report_line.start}-{report_line.end} s has no length and so no bandwidth: left out",
            )
        elif not report_line.omitted:
            self._interval_ends[report_line.stream, report_line.role] = report_line.end
            add(draft, line.number, report_line, report_line.interval)
        return True

    def _read_last_line(self, line: Line, text: str) -> None:
        """Read a last line without newline up to its last unit, if it continues the intervals of its stream.

        An interval that iperf3 omits, and a summary, name themselves at the end of their line; both start at 0.
        """
        whole = cut_last_number(text)
        if self._draft is None or whole is None:
            return
        report_line = report(whole, retransmits=self._retransmits if self._columns else None)
        if report_line is None or self._in_summary or self._separated:
            return
        earlier_end = self._interval_ends.get((report_line.stream, report_line.role))
        if earlier_end is None or float(report_line.start) < float(earlier_end):
            return
        add(self._draft, line.number, report_line, report_line.interval)
        cut = " ".join(text.split()).removeprefix(" ".join(whole.split())).strip()
        if cut:
            self._draft.notice(line.number, f"{cut} at the end of the log", "a whole number; left out")

    def _read_summary(self, line: Line, report_line: Report, draft: Draft) -> None:
        # A server of 3.6 and later, which prints Bitrate, summarizes only its side: the data that it sends, with Retr.
        server_sends = self._server and (
            report_line.role.startswith("TX") if report_line.role is not None else self._one_sided and self._retransmits
        )
        is_udp_client = report_line.end_of is None and draft.test == "UDP"  # before 3.2 without the word sender
        if report_line.end_of == "receiver" or server_sends or is_udp_client:
            self._summed.add((report_line.stream, report_line.role))
        self._reported = True
        if report_line.total:
            datagrams = self._sent_datagrams if report_line.end_of == "sender" else self._datagrams
            datagrams[report_line.stream] = report_line.total
        duration = number(report_line.end)
        if duration is not None and report_line.end_of != "receiver":
            draft.parameters.duration_s = duration
        add(draft, line.number, report_line, report_line.label)

    def _read_status_line(self, line: Line, text: str) -> None:
        version = _VERSION.match(text)
        if version:
            self._version = version.group(1)
            return
        error = _ERROR.match(text)
        if error:
            if self._is_of_next(text):
                self._close()
            if "the server has terminated" in text and (self._draft is None or self._has_server_summary()):
                self._close()  # a server that was stopped between tests, as every server is
            else:
                self._open(line).fail(text)
            return
        connecting = _CONNECTING.match(text)
        listening = _LISTENING.match(text)
        if connecting or listening or _ACCEPTED.match(text):
            self._begin_test(line, text, connecting, listening)
            return
        connected = _CONNECTED.match(text)
        if connected:
            self._connected = True
            self._streams.add(connected.group(1))
            self._addresses = (connected.group(2), connected.group(3))
            if self._draft is not None:
                self._set_addresses(self._draft)
            return
        if self._draft is None:
            return
        test = _TEST.match(text)
        if test:
            protocol, _, block, omitted, options = test.groups()
            self._draft.test = protocol
            self._draft.parameters.message_bytes, self._draft.parameters.omitted_s = int(block), int(omitted)
            tos = re.search(r"\btos (\d+)", options)
            if tos:
                self._draft.parameters.tos = int(tos.group(1))
        elif load := _CPU_LOAD.match(text):
            for label, value in (("local", load["local"]), ("remote", load["remote"])):
                if (percentage := number(value)) is not None:
                    self._draft.measure(Metric.CPU_USED, "%", float(percentage), line.number, label=label)
        elif verbose := _VERBOSE.match(text):
            self._draft.parameters.read_setting(_PARAMETERS[verbose.group(1)], verbose.group(2))
        elif text in _ENDS:
            self._end_of = _ENDS[text]
        elif text == "Server output:":
            self._ended = True
            self._close()
        elif text.startswith("Reverse mode"):
            self._draft.parameters.reverse = True

    def _is_of_next(self, error: str) -> bool:
        """Whether an error belongs to the next test: the current one has ended or has failed."""
        if self._draft is None or "terminated" in error or not _FIRST_ERROR.match(error):
            return False
        return self._has_server_summary() or bool(self._draft.errors)

    def _begin_test(
        self, line: Line, text: str, connecting: re.Match[str] | None, listening: re.Match[str] | None
    ) -> None:
        """Begin a test with a line that only a new test, or the wait for one, prints."""
        had_report = self._draft is not None and (bool(self._draft.measurements) or self._in_summary)
        if listening:
            self._ended = self._server and self._reported
            self._close()
            self._port = int(listening.group(1))
            return
        if had_report or (connecting and self._draft is not None and not self._draft.errors):
            self._close()
        draft = self._open(line)
        if connecting:
            draft.parameters.side, draft.parameters.server_address = "client", connecting.group(1)
            draft.parameters.server_port = int(connecting.group(2))
        else:
            self._server = True
            draft.parameters.side = "server"
            if self._port is not None:
                draft.parameters.server_port = self._port
