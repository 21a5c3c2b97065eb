"""ibv_rc_pingpong and its variants uc, ud, srq and xsrq of ibverbs-utils: addresses, then two lines of results.

An iteration is one message in each direction. Bytes and Mbit/sec, 1e6 bits per second, are the sum of both directions
(libibverbs/examples/rc_pingpong.c: ``bytes = size * iters * 2``); seconds are rounded to two
decimals, so only the rate and the time of an iteration are read. The output names neither the tool nor its side: the
command line does, where it is in the log.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, RunReader, line_matcher, read_by_process, read_runs
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "the report of ibv_rc_pingpong ('8192000 bytes in 0.46 seconds = 142.09 Mbit/sec')"
IDENTIFYING_TEXTS = ("local address:  LID 0x", "remote address: LID 0x", "_pingpong", " usec/iter", " Mbit/sec")

_TOOL = "ibv_pingpong"
_COMMAND = re.compile(r"(?:^|[\s/])ibv_(rc|uc|ud|srq|xsrq)_pingpong(?=\s|$)")
_ADDRESS = re.compile(
    r"(local|remote) address: +LID 0x[0-9a-f]{4}, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}"
    r"(?:, SRQN 0x[0-9a-f]+)?[,:] GID (\S+)$"
)
_BYTES = re.compile(r"(\d+) bytes in \d+\.\d\d seconds = (\S+) Mbit/sec$")
_ITERATIONS = re.compile(r"(\d+) iters in \d+\.\d\d seconds = (\S+) usec/iter$")
_NO_GID = "::"  # of a device without a GID, or without the option
_ERROR = re.compile(
    r"Couldn't (?:connect to|listen to port|read|write|get|post|bind|allocate|create|register|set|request) ?.*"
    r"|Failed to (?:modify|transition|modify QP|set) .*|Failed status .* for wr_id \d+|poll CQ failed .*"
    r"|parse WC failed .*|invalid data in page \d+|IB device \S+ not found|No IB devices found|accept\(\) failed"
    r"|(?:client |server )?read/write: .*|can't read sgid .*"
)


def read(log: Source) -> list[ReadRun]:
    """Every run of a pingpong in the log."""
    return read_by_process(
        log.without_debug(),
        line_matcher(_ADDRESS),
        lambda lines: read_runs(_Reader(), lines),
    )


class _Reader(RunReader):
    """Reads one report at a time: the addresses of its queue pairs, its two results, or its error."""

    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
        self._transport: str | None = None
        self._early: list[str] = []  # errors are not buffered as addresses are, and may come before them
        self._sides: list[str] = []
        self._moved: tuple[Line, int, float] | None = None

    def take(self, line: Line) -> None:
        text = line.text.strip()
        if not line.is_complete or not text:
            return
        command, address = _COMMAND.search(text), _ADDRESS.match(text)
        if address:
            self._read_address(line, *address.groups())
        elif command:
            self._close()
            self._transport, self._early = command.group(1), []
        elif moved := _BYTES.match(text):
            rate = number(moved.group(2))
            self._moved = None if rate is None else (line, int(moved.group(1)), rate)
        elif turns := _ITERATIONS.match(text):
            self._read_result(line, int(turns.group(1)), number(turns.group(2)))
        elif _ERROR.fullmatch(text):
            if self._draft is None:
                self._early.append(text)
            else:
                self._draft.fail(text)

    def _read_address(self, line: Line, side: str, gid: str) -> None:
        if self._draft is None or (side == "local" and "remote" in self._sides):
            self._close()
            test = None if self._transport is None else f"ibv_{self._transport}_pingpong"
            self._draft = Draft(_TOOL, line.number, test=test)
            for text in self._early:
                self._draft.fail(text)
            self._early = []
        self._sides.append(side)
        if gid != _NO_GID:
            if side == "local":
                self._draft.parameters.local_gid = gid
            else:
                self._draft.parameters.remote_gid = gid

    def _read_result(self, line: Line, iterations: int, time: float | None) -> None:
        draft, moved = self._draft, self._moved
        if draft is None or moved is None or time is None or not iterations:
            return
        bytes_line, moved_bytes, rate = moved
        size, remainder = divmod(moved_bytes, 2 * iterations)
        draft.parameters.queue_pairs = self._sides.count("local")
        draft.parameters.iterations, draft.parameters.round_trip = iterations, True
        draft.measure(Metric.BW_AVG, "Mb/s", rate, bytes_line.number, None if remainder else size, "both directions")
        draft.measure(Metric.LATENCY_AVG, "us", time, line.number, None if remainder else size)
        draft.complete = True
        self._close()

    def _close(self) -> None:
        if self._draft is not None:
            self._read_runs.append(self._draft.finish())
        self._draft, self._moved, self._sides = None, None, []
