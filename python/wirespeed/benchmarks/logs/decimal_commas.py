"""Numbers with a decimal comma in some lines of a log: a line is read with points if readers then take more of it.

A log in which most numbers have decimal commas is converted as a whole before it is read (``crates/logs``). A comma
before exactly three digits may separate thousands, as in qperf, and stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence

from wirespeed.benchmarks.logs.log import Source
from wirespeed.benchmarks.logs.run_draft import ReadRun

_NUMBER = re.compile(r"(?<![\w.,[])(?:(\d+),(?!\d{3}(?!\d))|(0|\d{4,}),(?=\d{3}(?!\d)))(?=\d+(?![\d.,]\d))")
_INTERVAL = re.compile(r"\d(?:,\d+ *- *\d+[.,]\d+|\.\d+ *- *\d+,\d+) +sec\b")  # of iperf


def read_decimal_commas(
    runs: list[ReadRun], log: Source, text: str, read: Callable[[Source], list[ReadRun]]
) -> tuple[list[ReadRun], Source, str]:
    """The runs, the log and its text, with points in the lines of which readers then take more."""
    numbers = {number for number, _ in log.decimal_commas()}
    if any(read_run.run.tool.startswith("iperf") for read_run in runs):
        numbers |= {text.count("\n", 0, match.start()) + 1 for match in _INTERVAL.finditer(text)}
    if not numbers:
        return runs, log, text
    before = _count_measured(runs)
    after = _count_measured(read(Source(_replace_commas(text, numbers))))
    changed_lines = {number for number in numbers if after[number] > before[number]}
    if not changed_lines:
        return runs, log, text
    changed_text = _replace_commas(text, changed_lines)
    changed_log = Source(changed_text)
    changed_runs = read(changed_log)
    after = _count_measured(changed_runs)
    if any(after[number] < count for number, count in before.items()):
        return runs, log, text
    return changed_runs, changed_log, changed_text


def _count_measured(runs: Sequence[ReadRun]) -> Counter[int]:
    """The number of measurements of each line."""
    return Counter(measurement.line for read_run in runs for measurement in read_run.run.measurements)


def _replace_commas(text: str, numbers: Collection[int]) -> str:
    lines = text.split("\n")
    for number in numbers:
        lines[number - 1] = _NUMBER.sub(lambda match: f"{match[1] or match[2]}.", lines[number - 1])
    return "\n".join(lines)
