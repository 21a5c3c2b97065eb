"""iperf 2, whose report resembles that of iperf3; its runs are named iperf 2.

The second line of a stream that starts at 0 is the result of its whole run; a run is complete if every stream has this
line. Without -i a stream has one line, its result: a line of 10 s or more, the default time, and no other of its
stream.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.iperf_intervals import add, report, split_by_tool
from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, line_matcher, read_by_process

LOOKS_FOR = "the report of iperf 2 ('Client connecting to', 'connected with')"
IDENTIFYING_TEXTS = ("Client connecting to", "Server listening on", "connected with")

_BEGINS = re.compile(r"(?:Client connecting to (\S+), |Server listening on )(TCP|UDP) port (\d+)")
_CONNECTED = re.compile(r"\[ *\d+\] local (\S+) port \d+ connected with (\S+) port \d+")
_DEFAULT_TIME_S = 10  # of -t


def read(log: Source) -> list[ReadRun]:
    """Every run of iperf 2 in the log."""
    return read_by_process(log.lines, line_matcher(_BEGINS), lambda lines: _read_runs(split_by_tool(lines)[1]))


def _read_runs(lines: list[Line]) -> list[ReadRun]:
    drafts: list[Draft] = []
    single_lines = _find_single_lines(lines)
    started: set[str] = set()
    whole: set[str] = set()
    for line in lines:
        text = line.text.strip()
        begins = _BEGINS.match(text)
        if begins and line.is_complete:
            host, protocol, port = begins.groups()
            drafts.append(Draft("iperf2", line.number, test=protocol))
            started, whole = set(), set()
            side = "client" if host else "server"
            parameters = drafts[-1].parameters
            parameters.side, parameters.server_address, parameters.server_port = side, host, int(port)
            continue
        interval = report(text, retransmits=False) if line.is_complete else None
        connected = _CONNECTED.match(text) if line.is_complete else None
        if interval is None and connected is None:
            continue
        if not drafts:
            drafts.append(Draft("iperf2", line.number))
        if connected:
            drafts[-1].parameters.local_address, drafts[-1].parameters.remote_address = connected.groups()
        elif interval is not None:
            is_whole = float(interval.start) == 0 and (
                interval.stream in started or (line.number in single_lines and float(interval.end) >= _DEFAULT_TIME_S)
            )
            started.add(interval.stream)
            whole |= {interval.stream} if is_whole else set()
            add(drafts[-1], line.number, interval, interval.label if is_whole else interval.interval)
            drafts[-1].complete = whole == started
    return [draft.finish() for draft in drafts]


def _find_single_lines(lines: list[Line]) -> set[int]:
    """The numbers of the lines that are the only one of their stream in their report."""
    by_stream: dict[tuple[int, str], list[int]] = {}
    reports = 0
    for line in lines:
        text = line.text.strip()
        reports += _BEGINS.match(text) is not None
        interval = report(text, retransmits=False)
        if interval is not None:
            by_stream.setdefault((reports, interval.stream), []).append(line.number)
    return {numbers[0] for numbers in by_stream.values() if len(numbers) == 1}
