"""The patterns of ucx_perftest: its tests, and the columns of its tables.

From UCX's src/tools/perf/perftest.c and perftest_run.c, releases 1.4 to 1.18.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirespeed.benchmarks.logs.numbers import number
from wirespeed.results.benchmarks import Metric

TESTS = {
    ("transport layer", "active message latency"): "am_lat",
    ("transport layer", "put latency"): "put_lat",
    ("transport layer", "atomic add latency"): "add_lat",
    ("transport layer", "get latency / bandwidth / message rate"): "get",
    ("transport layer", "atomic fetch-and-add latency / rate"): "fadd",
    ("transport layer", "atomic swap latency / rate"): "swap",
    ("transport layer", "atomic compare-and-swap latency / rate"): "cswap",
    ("transport layer", "active message bandwidth / message rate"): "am_bw",
    ("transport layer", "put bandwidth / message rate"): "put_bw",
    ("transport layer", "atomic add message rate"): "add_mr",
    ("protocol layer", "tag match latency"): "tag_lat",
    ("protocol layer", "tag match bandwidth"): "tag_bw",
    ("protocol layer", "tag sync match latency"): "tag_sync_lat",
    ("protocol layer", "tag sync match bandwidth"): "tag_sync_bw",
    ("protocol layer", "put latency"): "ucp_put_lat",
    ("protocol layer", "put bandwidth"): "ucp_put_bw",
    ("protocol layer", "get latency / bandwidth / message rate"): "ucp_get",
    ("protocol layer", "atomic add bandwidth / message rate"): "ucp_add",
    ("protocol layer", "atomic fetch-and-add latency / bandwidth / rate"): "ucp_fadd",
    ("protocol layer", "atomic swap latency / bandwidth / rate"): "ucp_swap",
    ("protocol layer", "atomic compare-and-swap latency / bandwidth / rate"): "ucp_cswap",
    ("protocol layer", "stream bandwidth"): "stream_bw",
    ("protocol layer", "stream latency"): "stream_lat",
    ("protocol layer", "am latency"): "ucp_am_lat",
    ("protocol layer", "am bandwidth / message rate"): "ucp_am_bw",
}
_TEXT = re.compile(r"# iterations +(?:(\d+\.\d+)%ile|typical) +average +overall +average +overall +average +overall$")
_CSV = re.compile(
    r"((?:[\w.-]+,)*)iterations,(?:(\d+\.\d+)_percentile|typical)_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr$"
)
_PERCENTILES = {
    "50.0": Metric.LATENCY_P50,
    "90.0": Metric.LATENCY_P90,
    "95.0": Metric.LATENCY_P95,
    "99.0": Metric.LATENCY_P99,
    "99.9": Metric.LATENCY_P999,
}


@dataclass(frozen=True, slots=True)
class Columns:
    """The content of the column line: a percentile, or "typical" in releases before 1.10, and whether it is CSV."""

    rank: str | None
    csv: bool = False
    batches: int = 0  # names before the numbers of a row
    final: bool = False  # only final rows, without a label
    old: bool = False  # of a release whose rows do not mark the last one, and whose heads all contain latency

    def first(self, is_latency: bool) -> tuple[Metric, str | None]:
        """The metric of the first time of a row, and the label that names it."""
        if not is_latency:
            return Metric.TIME, "typical" if self.rank is None else f"P{float(self.rank):g}"
        if self.rank is None:
            return Metric.LATENCY_TYPICAL, None
        metric = _PERCENTILES.get(self.rank)
        return metric or Metric.LATENCY_PERCENTILE, None if metric else f"P{float(self.rank):g}"


def parse_columns(text: str) -> Columns | None:
    """The columns of a line, if it is a column line."""
    csv = _CSV.match(text)
    if csv:
        rank = csv.group(2)
        return Columns(rank, csv=True, batches=csv.group(1).count(","), final=True, old=rank is None)
    words = " ".join(text.replace("|", " ").split())
    label, _, _ = words.partition(" # ")
    match = _TEXT.search(words)
    if match is None:
        return None
    return Columns(match.group(1), final=label == "Test", old=label not in ("Stage", "Test"))


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the cells before its numbers, and the numbers; None for one that a final row of threads omits."""

    name: str | None
    thread: str | None
    final: bool
    values: tuple[int | float | None, ...]


_FINAL = re.compile(r"(Final:)? *(?:\[thread (\d+)\])? *((?:[\w.-]+? +)??)(\d[\d,.]*(?: +\d[\d,.]*){3,7})(?: +\D.*)?$")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")  # -N separates thousands
_SPREAD: tuple[int | float | None, ...] = (None,) * 8
_SPARSE = (0, 3, 5, 7)  # the sum of threads has no percentile and no recent values


def parse_row(text: str, columns: Columns) -> Row | None:
    """The row in a line, if it is one; ``text`` has no table bars."""
    if columns.csv:
        return _parse_csv_row(text, columns)
    match = _FINAL.match(text)
    if match is None:
        return None
    label, thread, name, numbers = match.groups()
    cells = numbers.split()
    if len(cells) not in (4, 8) or (len(cells) == 4 and not label):
        return None
    values = [_parse_cell(cell) for cell in cells]
    with_decimals = values[1:6] if len(values) == len(_SPREAD) else values[1:3]
    if None in values or not all(isinstance(value, float) for value in with_decimals):
        return None
    if len(values) != len(_SPREAD):
        spread = [*_SPREAD]
        for position, value in zip(_SPARSE, values, strict=True):
            spread[position] = value
        values = spread
    final = bool(label) or (columns.final and thread is None and not columns.old)
    return Row(name.strip() or None, thread, final, tuple(values))


def _parse_cell(cell: str) -> int | float | None:
    return number(cell.replace(",", "") if _GROUPED.fullmatch(cell) else cell)


def _parse_csv_row(text: str, columns: Columns) -> Row | None:
    names, cells = text.split(",")[: columns.batches], text.split(",")[columns.batches :]
    if len(cells) != 8:
        return None
    thread = re.match(r"\[thread (\d+)\] *", cells[0])
    if thread:
        cells[0] = cells[0][thread.end() :]
    values = tuple(number(cell.strip()) for cell in cells)
    if any(value is None for value in values):
        return None
    return Row(",".join(names) or None, thread.group(1) if thread else None, not thread and not columns.old, values)
