"""mpiGraph: the bandwidth of every node to every other, as measured by the sender and by the receiver.

A value is in 2^20 bytes per second (mpiGraph.c: MBsec); the fork that sets colons after its settings prints 1e6 bytes.
The label is "FROM -> TO"; the label of a value of the receiver ends with "received". The diagonal is not measured. A
run is complete with "END mpiGraph".
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.launcher_messages import fail
from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, RunReader, line_matcher, read_by_process, read_runs
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "the tables of mpiGraph ('START mpiGraph', 'Send max', ':0 to')"
IDENTIFYING_TEXTS = ("mpiGraph", "Send\t", "Recv\t")

_START = re.compile(r"START mpiGraph v(\S+)$")
_SETTING = re.compile(r"(Msg ?Size|Times|Iterations|Window(?: Size)?|Procs)(:?)\s+(\d+)(?: Bytes)?$")
_SETTINGS = {
    "MsgSize": "message_bytes",
    "Msg Size": "message_bytes",
    "Times": "iterations",
    "Iterations": "iterations",
    "Window": "window_messages",
    "Window Size": "window_messages",
    "Procs": "ranks",
}
_SUMMARY = re.compile(r"(Send|Recv) (max|avg|min)(:?)\s+(\S+)(?: MB/s)?$")
_NODE = re.compile(r"(\S+):(\d+)")
_ROW = re.compile(r"(\S+):(\d+)\s+(to|from)\s+(.*)$")
_METRICS = {"max": Metric.BW_MAX, "avg": Metric.BW_AVG, "min": Metric.BW_MIN}
_UNITS = {"": "MiB/s", ":": "MB/s"}  # the fork that sets colons divides bytes by microseconds
_SIDES = {"Send": "sent", "Recv": "received"}


def read(log: Source) -> list[ReadRun]:
    """Every run of mpiGraph in the log."""
    return read_by_process(
        log.without_debug(),
        line_matcher(_START),
        lambda lines: read_runs(_Reader(), lines),
    )


class _Reader(RunReader):
    """Reads one run at a time: settings, progress, two summaries with their table."""

    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
        self._nodes: list[tuple[str, str]] = []
        self._side: str | None = None
        self._unit: str | None = None

    def take(self, line: Line) -> None:
        text = line.text.strip()
        start = _START.match(text)
        if text == "END mpiGraph" and self._draft is not None:
            self._draft.complete = True
            self._close()
        elif not line.is_complete or not text:
            return
        elif start:
            self._close()
            self._open(line).version = start.group(1)
        elif text.startswith(("Send", "Recv")):
            self._read_heading(line, text)
        elif self._draft is not None and not self._read_setting(self._draft, text) and not self._read_row(line, text):
            fail(self._draft, text)

    def _open(self, line: Line) -> Draft:
        if self._draft is None:
            self._draft = Draft("mpigraph", line.number, test="mpiGraph")
        return self._draft

    def _close(self) -> None:
        if self._draft is not None:
            self._read_runs.append(self._draft.finish())
        self._draft, self._nodes, self._side, self._unit = None, [], None, None

    def _read_setting(self, draft: Draft, text: str) -> bool:
        setting = _SETTING.match(text)
        if setting is None:
            return False
        name, value = _SETTINGS[setting.group(1)], int(setting.group(3))
        self._unit = _UNITS[setting.group(2)]
        if name == "ranks":
            draft.ranks = value
        else:
            draft.parameters.read_setting(name, value)
        return True

    def _read_heading(self, line: Line, text: str) -> None:
        """Read a summary, or the line with the nodes of a table."""
        summary = _SUMMARY.match(text)
        if summary:
            side, statistic, colon, cell = summary.groups()
            self._unit = _UNITS[colon]
            value = number(cell)
            draft = self._draft
            if value is not None and draft is not None:
                draft.measure(_METRICS[statistic], self._unit, value, line.number, self._find_size(draft), _SIDES[side])
            return
        side, *names = text.split()
        nodes = [_NODE.fullmatch(name) for name in names]
        if side not in _SIDES or not nodes or not all(nodes):
            return
        if self._draft is None and not text.startswith(("Send\t", "Recv\t")):
            return
        self._open(line)
        self._side = side
        named = [(node.group(1), node.group(2)) for node in nodes if node]
        shared = len({name for name, _ in named}) < len(named)  # several ranks on a node
        self._nodes = [(f"{name}:{rank}" if shared else name, rank) for name, rank in named]

    def _read_row(self, line: Line, text: str) -> bool:
        row = _ROW.match(text)
        draft = self._draft
        if row is None or draft is None:
            return False
        row_name = next((name for name, rank in self._nodes if rank == row.group(2)), None)
        cells = row.group(4).split()
        expected = "to" if self._side == "Send" else "from"
        if self._unit is None:
            draft.notice(line.number, "a table without what stands before it", "it, which contains the unit; left out")
            return True
        if row_name is None or len(cells) != len(self._nodes) or row.group(3) != expected:
            draft.notice(
                line.number, f"a row of {len(cells)} values", f"{len(self._nodes)} values; the row is left out"
            )
            return True
        for (peer_name, rank), cell in zip(self._nodes, cells, strict=True):
            value = number(cell)
            if rank == row.group(2):
                continue
            if value is None:
                draft.notice(line.number, f"{cell} for {row_name} and {peer_name}", "a number; left out")
                continue
            label = f"{row_name} -> {peer_name}" if self._side == "Send" else f"{peer_name} -> {row_name}"
            metric_label = label if self._side == "Send" else f"{label}, received"
            draft.measure(Metric.BW_AVG, self._unit, value, line.number, self._find_size(draft), metric_label)
        return True

    @staticmethod
    def _find_size(draft: Draft) -> int | None:
        return draft.parameters.message_bytes
