"""WRF: the times of its time steps in rsl.error.0000 or rsl.out.0000, as the sum and the mean of each domain.

Formats: frame/module_timing.F, end_timing; frame/module_integrate.F (a step of a domain contains those of its nests and
the output before it: the sum of domain 1 is that of the run); main/module_wrf_top.F (version, last line);
external/RSL_LITE/module_dm.F (processes that compute, grid: list-directed, so the compiler chooses spaces and commas; a
build may print the processes before or after the version). Only the first process prints times. A log without its
beginning lacks steps: it has no sum and no mean.
"""

from __future__ import annotations

import re
from math import fsum

from wirespeed.benchmarks.logs.application import ApplicationReader, read_application
from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, line_matcher
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "rsl.error.0000 or rsl.out.0000 of WRF ('Timing for main: time …', 'SUCCESS COMPLETE WRF')"
IDENTIFYING_TEXTS = ("Timing for main: time ", "WRF V")

_PROGRAM = re.compile(r"WRF (V\S+) MODEL$")
_TASKS = re.compile(r"Ntasks in X[ ,]+(\d+)[ ,]+ntasks in Y[ ,]+(\d+)$")
_OUTER_GRID = "Parent domain"
_GRID = re.compile(r"ids,ide,jds,jde +(\d+) +(\d+) +(\d+) +(\d+)$")
_STEP = re.compile(r"Timing for main: time \S+ on domain +(\d+): +(\S+) elapsed seconds$")
_STEP_OF_ANY_FORM = "Timing for main"  # with a number that is masked
_END = re.compile(r"(?:d\d+ \S+ )?wrf: SUCCESS COMPLETE WRF$")
_FATAL = re.compile(r"-+ FATAL CALLED -+$")
_FATAL_FILE = "CALLED FROM FILE:"  # after FATAL, which is removed as a level where a logger adds a time
_RULE = re.compile(r"-{20,}$")
_DIGITS = 5  # after the point of a printed time


def read(log: Source) -> list[ReadRun]:
    """Every run of WRF in the log."""
    return read_application(log, line_matcher(_PROGRAM), _Reader)


class _Reader(ApplicationReader):
    """Reads one run at a time: its version, the steps of each domain, its last line."""

    tool = "WRF"

    def __init__(self) -> None:
        super().__init__()
        self._ranks: int | None = None  # printed before the version, of the run that follows
        self._steps: dict[int, list[float]] = {}
        self._lines: dict[int, int] = {}
        self._broken: set[int] = set()  # domains with a time that is no number
        self._is_abridged = False  # by the author of a page
        self._message: list[str] | None = None  # of a fatal error
        self._previous_text = ""

    def is_end(self, text: str) -> bool:
        """Whether a run ends here."""
        return _END.match(text) is not None

    def read_line(self, line: Line, text: str) -> None:
        """Read one line of the output."""
        previous_text, self._previous_text = self._previous_text, text
        program, tasks, step = _PROGRAM.match(text), _TASKS.match(text), _STEP.match(text)
        if program is not None:
            draft = self._start(line)
            draft.version, draft.ranks, self._ranks = program.group(1), self._ranks, None
        elif tasks is not None:
            self._read_tasks(int(tasks.group(1)) * int(tasks.group(2)))
        elif step is not None:
            self._read_step(line, int(step.group(1)), step.group(2))
        elif text.startswith(_STEP_OF_ANY_FORM) and "elapsed seconds" in text:
            draft = self.draft if self.draft is not None else self._start(line)
            draft.notice(line.number, repr(text), "the time of a step; no sum and no mean")
            self._is_abridged = True
        elif self.draft is not None and not text.strip("[]().… "):
            self.draft.notice(line.number, f"{text} where lines were omitted", "all steps; no sum and no mean")
            self._is_abridged = True
        elif self.draft is not None:
            grid = _GRID.match(text) if previous_text == _OUTER_GRID else None
            if grid is not None:
                west, east, south, north = map(int, grid.groups())
                self.draft.parameters.grid_points = f"{east - west + 1}x{north - south + 1}"
            self._read_fatal_error(self.draft, text)

    def add_totals(self, draft: Draft) -> None:
        """Add the sum and the mean of the steps of each domain, of a log with its beginning."""
        if draft.version is None:
            draft.complete = False
            draft.notice(draft.line, "steps without the beginning of the log", "all steps; no sum and no mean")
            return
        for domain, times in sorted(self._steps.items()):
            if domain in self._broken or self._is_abridged:
                continue
            total, label = fsum(times), f"domain {domain}"
            self.hold_value(Metric.RUN_TIME, "s", round(total, _DIGITS), self._lines[domain], label)
            self.hold_value(Metric.STEP_TIME, "s", round(total / len(times), _DIGITS), self._lines[domain], label)
        draft.parameters.time_steps = None if self._is_abridged else len(self._steps.get(1, [])) or None

    def _start(self, line: Line) -> Draft:
        draft = self.open(line)
        self._steps, self._lines, self._broken, self._is_abridged, self._message = {}, {}, set(), False, None
        return draft

    def _read_tasks(self, ranks: int) -> None:
        """Keep the number of ranks: of this run if it lacks it and has not computed yet, otherwise of the next one."""
        if self.draft is not None and self.draft.version and self.draft.ranks is None and not self._steps:
            self.draft.ranks = ranks
        else:
            self._ranks = ranks

    def _read_step(self, line: Line, domain: int, cell: str) -> None:
        draft = self.draft if self.draft is not None else self._start(line)
        value = number(cell)
        if value is None:
            draft.notice(line.number, f"{cell} as the time of a step of domain {domain}", "a number; no sum, no mean")
            self._broken.add(domain)
            return
        self._steps.setdefault(domain, []).append(value)
        self._lines[domain] = line.number

    def _read_fatal_error(self, draft: Draft, text: str) -> None:
        if _FATAL.match(text):
            self._message = []
        elif self._message is not None and _RULE.match(text):
            draft.fail(" ".join(self._message) or "FATAL CALLED")
            self._message = None
        elif self._message is not None and _FATAL_FILE not in text:
            self._message.append(text)
