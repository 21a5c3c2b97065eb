"""What perftest's --output prints: numbers alone, of which only the command says what they are.

One number with six decimals for each size; -a runs the sizes 2, 4, ... 2^23 (src/perftest_parameters.c, the tests'
main files, and --help).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirespeed.benchmarks.logs.run_draft import Draft
from wirespeed.results.benchmarks import Metric

_OUTPUT = re.compile(r"--output[= ](bandwidth|message_rate|latency)\b")
_SIZE = re.compile(r"\s(?:-s ?|--size[= ])(\d+)\b")
_ALL_SIZES = re.compile(r"\s(?:-a|--all)\b")
_NUMBER = re.compile(r"\d+\.\d{6}")
_LAST_POWER = 23


@dataclass(slots=True)
class Alone:
    """The numbers that a command with --output prints."""

    metric: Metric
    unit: str
    size: int | None  # of every number, where one is given
    power: int | None  # of the last number's size, with -a

    def take(self, draft: Draft, line: int, text: str) -> bool:
        """Whether the line is such a number; it is added to the run."""
        if not _NUMBER.fullmatch(text):
            return False
        if self.power is not None:
            self.power += 1
            self.size = 2**self.power
        draft.measure(self.metric, self.unit, float(text), line, self.size)
        draft.complete = self.power in (None, _LAST_POWER)
        return True


def alone(command: str) -> Alone | None:
    """What a command prints when it has --output."""
    output = _OUTPUT.search(command)
    if output is None:
        return None
    size = _SIZE.search(command)
    metric, unit = {
        "bandwidth": (Metric.BW_AVG, "Gb/s" if "--report_gbits" in command else "MiB/s"),
        "message_rate": (Metric.MSG_RATE, "Mpps"),
        "latency": (Metric.LATENCY_AVG, "us"),
    }[output.group(1)]
    return Alone(metric, unit, int(size.group(1)) if size else None, 0 if _ALL_SIZES.search(command) else None)
