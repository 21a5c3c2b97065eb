"""The report lines that iperf3 and iperf 2 share: a stream's interval with its bytes and bitrate.

Both print bytes in powers of 1024 and bits in powers of 1000 (iperf src/units.c and src/stdio.c), so GBytes is GiB and
Gbits/sec is Gb/s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from wirespeed.benchmarks.logs.log import Line
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft
from wirespeed.results.benchmarks import Metric

_REPORT = re.compile(
    r"\[ *(?P<stream>SUM|\d+)\](?:\[(?P<role>[TR]X-[CS])\])?\s*"
    r"(?P<start>\d+\.\d+) *[-–] *(?P<end>\d+\.\d+) *sec +"  # with a dash where a page set one
    r"(?P<transfer>\d[\d.]*|-?inf|-?nan) (?P<bytes>[KMGTP]?Bytes) +"
    r"(?P<rate>\d[\d.]*|-?inf|-?nan) (?P<bits>[KMGTP]?(?:bits|Bytes)/sec)(?P<rest>.*)"
)
_UDP = re.compile(
    r"\s+(?P<jitter>\d[\d.]*) ms +(?P<lost>-?\d+)/ *(?P<total>\d+) +\((?P<percent>[\d.e+-]+|-?nan)%\)(?P<more>.*)"
)
_RETRANSMITS = re.compile(r"\s+(?P<retransmits>\d+)(?P<more>(?:\s.*)?)")
_MASKED_COUNT = re.compile(r"\s+([Xx*▒?]+)(?:\s|$)")
_WINDOW = re.compile(r"\s+(?P<window>\d[\d.]*) (?P<unit>[KMG]?Bytes)\b")  # the column Cwnd

# Texts that only iperf3 prints, and those that only iperf 2 prints.
_IPERF3 = re.compile(
    r"Connecting to host |Server listening on \d|Accepted connection from \S+, port |local \S+ port \d+ connected to"
    r"|\bBitrate\b|sender$|receiver$|iperf3:|iperf Done"
)
_FOREIGN = re.compile(
    r"connected with \S+ port|Client connecting to \S+, (?:TCP|UDP) port|listening on (?:TCP|UDP) port|Write/Err"
)

_BYTES = {"Bytes": "B", "KBytes": "KiB", "MBytes": "MiB", "GBytes": "GiB", "TBytes": "TiB", "PBytes": "PiB"}
_RATES = {
    "bits/sec": "b/s",
    "Kbits/sec": "kb/s",
    "Mbits/sec": "Mb/s",
    "Gbits/sec": "Gb/s",
    "Tbits/sec": "Tb/s",
    **{f"{name}/sec": f"{unit}/s" for name, unit in _BYTES.items()},
}


@dataclass(frozen=True, slots=True)
class Report:
    """One line of a report. ``end_of`` is sender or receiver where the line names it."""

    stream: str
    role: str | None
    start: str
    end: str
    cells: tuple[tuple[Metric, str, int | float], ...]
    total: int | None
    end_of: str | None
    omitted: bool
    negative: str | None = None  # a count of retransmits that is a negative number printed as unsigned
    unread: str | None = None  # the cell of the retransmits, if its digits are masked
    impossible: str | None = None  # lost and sent datagrams, if more are lost than were sent

    @property
    def label(self) -> str:
        """Stream, role and end: ``stream 5 sender``, ``SUM TX-C receiver``."""
        stream = self.stream if self.stream == "SUM" else f"stream {self.stream}"
        return " ".join(word for word in (stream, self.role, self.end_of) if word)

    @property
    def interval(self) -> str:
        """The label of an interval's values: ``stream 5 interval 0.00-1.00``."""
        return f"{self.label} interval {self.start}-{self.end}"


def report(text: str, *, retransmits: bool | None) -> Report | None:
    """The report that a line contains, or None.

    ``retransmits``: whether the columns contain Retr, None when no columns are known. Without columns a count is
    taken for retransmits only where nothing else can stand: before "sender" or before the congestion window. Emphasis
    in Markdown is passed over.
    """
    match = _REPORT.match(text.replace("**", "").strip())
    if match is None or match["bits"] not in _RATES:
        return None
    cells: list[tuple[Metric, str, int | float]] = []
    for metric, unit, cell in (
        (Metric.TRANSFER, _BYTES[match["bytes"]], match["transfer"]),
        (Metric.BITRATE, _RATES[match["bits"]], match["rate"]),
    ):
        value = number(cell)
        if value is not None:
            cells.append((metric, unit, value))
    remainder = match["rest"]
    total = negative = impossible = None
    end_of = re.search(r"\b(sender|receiver)\b", remainder)
    masked = _MASKED_COUNT.match(remainder) if retransmits else None
    udp = _UDP.match(remainder)
    if udp:
        jitter = number(udp["jitter"])
        if jitter is not None:
            cells.append((Metric.JITTER, "ms", jitter))
        total = int(udp["total"])
        if int(udp["lost"]) > total:
            impossible = f"{udp['lost']}/{total} lost datagrams"
            cells, total = (cells[:2], total) if total else ([], None)
        else:
            cells.append((Metric.LOST, "datagrams", int(udp["lost"])))
    else:
        count = _RETRANSMITS.match(remainder)
        if count and (retransmits or (retransmits is None and _is_certain(count["more"]))):
            if is_negative(int(count["retransmits"])):
                negative = count["retransmits"]
            else:
                cells.append((Metric.RETRANSMITS, "segments", int(count["retransmits"])))
            window = _WINDOW.match(count["more"])
            size = number(window["window"]) if window else None
            if window and size is not None:
                cells.append((Metric.CONGESTION_WINDOW, _BYTES[window["unit"]], float(size)))
    return Report(
        stream=match["stream"],
        role=match["role"],
        start=match["start"],
        end=match["end"],
        cells=tuple(cells),
        total=total,
        end_of=end_of.group(1) if end_of else None,
        omitted="omitted" in remainder,
        negative=negative,
        unread=masked[1] if masked else None,
        impossible=impossible,
    )


def cut_last_number(text: str) -> str | None:
    """A last line without newline up to its last unit, without a number behind it, which may lack digits.

    None: the line does not contain a whole bitrate.
    """
    match = _REPORT.match(text.replace("**", "").strip())
    if match is None:
        return None
    whole = [unit.end() for unit in re.finditer(r"(?<=\s)(?:[KMG]?Bytes|ms|\([^)]*%\))", match["rest"])]
    cells = match["rest"][: whole[-1]] if whole else " ".join(match["rest"].split()[:-1])
    return f"{match.string[: match.start('rest')]} {cells.strip()} "


def is_negative(count: int) -> bool:
    """Whether a count of retransmits is negative, or such a number printed as unsigned: 4294967294.

    iperf3 subtracts counters of the kernel, of which some were not read: esnet/iperf issues 725 and 80.
    """
    return count < 0 or 2**31 <= count < 2**32


NEGATIVE_COUNT = "a count of retransmits; left out: iperf3 prints a negative number so (esnet/iperf issue 725)"


IMPOSSIBLE_LOSS = "at most as many as were sent; left out (esnet/iperf issues 1489 and 1554)"
"""iperf3 prints 17179869184/0 (-2.5e-39%), without the word sender, in a row that is none; and more than 100 %."""


def _is_certain(remainder: str) -> bool:
    return "sender" in remainder or _WINDOW.match(remainder) is not None


def split_by_tool(lines: Iterable[Line]) -> tuple[list[Line], list[Line]]:
    """Split lines into those of iperf3 and of iperf 2: a text that only one tool prints starts lines of that tool."""
    iperf3_lines: list[Line] = []
    foreign: list[Line] = []
    undecided: list[Line] = []
    current: list[Line] | None = None
    for line in lines:
        if _FOREIGN.search(line.text):
            current = foreign
        elif _IPERF3.search(line.text):
            current = iperf3_lines
        if current is None:
            undecided.append(line)
            continue
        current += [*undecided, line]
        undecided = []
    return iperf3_lines + undecided, foreign


def is_interval(label: str | None) -> bool:
    """Whether a label is that of one interval, not of a whole run."""
    return label is not None and " interval " in label


def add(draft: Draft, line: int, report_line: Report, label: str) -> None:
    """Add a report's values to a run."""
    if report_line.impossible is not None:
        draft.notice(line, report_line.impossible, IMPOSSIBLE_LOSS)
    for metric, unit, value in report_line.cells:
        draft.measure(metric, unit, value, line, label=label)
    if report_line.negative is not None:
        draft.notice(line, f"{report_line.negative} retransmits", NEGATIVE_COUNT)
    if report_line.unread is not None:
        draft.notice(line, f"{report_line.unread} retransmits", "a number; left out")
