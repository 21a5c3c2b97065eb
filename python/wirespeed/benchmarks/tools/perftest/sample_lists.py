"""The lists of perftest's -H and -U: the latency of every message of a size, before the size's row.

``#, usec`` or, with -C, ``#, cycles``, then ``1, 2.13`` and so on, then a dashed line and the column line once more
(src/perftest_parameters.c, print_report_lat). The row has the values that count; of the list its length is kept.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.run_draft import Draft

_STARTS = re.compile(r"#, (usec|cycles)$")
_SAMPLE = re.compile(r"([1-9]\d*), \S+$")


class SampleList:
    """Where reading is: in a list, just behind one, or at neither."""

    def __init__(self) -> None:
        self.in_cycles = False  # whether times of the row are cycles, though its column line says usec
        self._samples: int | None = None
        self._behind = False

    def take(self, text: str) -> bool:
        """Whether the line belongs to a list."""
        if self._samples is None and not text.startswith("#, "):
            return False
        starts = _STARTS.match(text)
        sample = _SAMPLE.match(text) if self._samples is not None else None
        if starts:
            self._samples, self.in_cycles = 0, starts.group(1) == "cycles"
        elif sample:
            self._samples = int(sample.group(1))
        return bool(starts or sample)

    def ends(self, draft: Draft) -> bool:
        """Whether a dashed line ends a list; its length is then noted."""
        if self._samples is None:
            return False
        draft.parameters["samples"] = self._samples
        self._samples, self._behind = None, True
        return True

    def repeats(self) -> bool:
        """Whether a column line is the one that follows a list."""
        behind, self._behind = self._behind, False
        return behind
