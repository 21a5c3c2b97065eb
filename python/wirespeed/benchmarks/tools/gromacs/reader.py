"""GROMACS: the times and the performance at the end of md.log, and of what mdrun prints on the terminal.

Formats: src/gromacs/gmxlib/nrnb.cpp, print_perf (times, columns of the performance); hardware/printhardware.cpp
(hosts); mdrun/runner.cpp (processes, steps of the command line); mdlib/gmx_omp_nthreads.cpp (threads);
utility/errorformat.cpp (errors). md.log ends with "Finished mdrun", the terminal with a quotation. *Core* is the time
of all cores, *wall* that of the run.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.application import ApplicationReader, read_application
from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, line_matcher
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "md.log of GROMACS ('Core t (s)   Wall t (s)', 'Performance:')"
IDENTIFYING_TEXTS = ("GROMACS", "Core t (s)")

_TITLE = re.compile(r":-\) GROMACS - (?:gmx\S* )?(\S+), (?:VERSION )?(\S+)(?: \(double precision\))? \(-:$")
_VERSION = re.compile(r"GROMACS: +(?:gmx\S* )?(\S+), (?:VERSION|version) (\S+)")
_END = re.compile(r"Finished mdrun on \S+ \d+|GROMACS reminds you: ")
_COMMAND = "Command line:"
_SETTINGS = (
    (re.compile(r"Running on (\d+) nodes? with total "), "nodes"),
    (re.compile(r"Using (\d+) OpenMP threads?(?: per \S+ \S+)?$"), "threads_per_process"),
    (re.compile(r"There are: (\d+) Atoms$"), "atoms"),
)
_STEPS = (
    re.compile(r"nsteps += (\d+)$"),
    re.compile(r"Overriding nsteps with value passed on the command line: (-?\d+) steps"),  # after the former
    re.compile(r"(\d+) steps, +\S+ ps\.$"),
)
_RANKS = re.compile(r"Using (\d+) MPI (?:process(?:es)?|threads?)$")
_INPUTS = (re.compile(r" -s (?:\S*/)?(\S+)"), re.compile(r" -deffnm (?:\S*/)?(\S+)"))
_TIMES = "Core t (s)"
_TIME = re.compile(r"Time: +(\S+) +(\S+) +\S+$")
_COLUMNS = re.compile(r"(?:\([^()\s]+\)\s*)+$")
_PERFORMANCE = re.compile(r"Performance: +(\S.*)$")
_RATES = {
    "(ns/day)": (Metric.SIMULATION_RATE, "ns/day"),
    "(hour/ns)": (Metric.TIME_PER_NS, "h/ns"),
    "(steps/hour)": (Metric.SIMULATION_RATE, "steps/h"),  # of an energy minimization
}
_ERROR = re.compile(r"(?:Fatal error|Software inconsistency error|Inconsistency in user input):$")


def read(log: Source) -> list[ReadRun]:
    """Every run of mdrun in the log."""
    return read_application(log, line_matcher(_TITLE), _Reader)


class _Reader(ApplicationReader):
    """Reads one run at a time: title, settings, times, performance, last line."""

    tool = "GROMACS"

    def __init__(self) -> None:
        super().__init__()
        self._columns: list[str] = []
        self._previous_text = ""
        self._steps: int | None = None

    def is_end(self, text: str) -> bool:
        """Whether the output of mdrun ends here."""
        return _END.match(text) is not None

    def read_line(self, line: Line, text: str) -> None:
        """Read one line of the output."""
        previous_text, self._previous_text = self._previous_text, text
        title, version = _TITLE.match(text), _VERSION.match(text)
        if title is not None:
            self._close()
        program = title or (version if self.draft is None else None)
        if program is not None and "mdrun" in program.group(1):
            self.open(line, "mdrun").version = program.group(2)
            self._steps = None
        elif text.startswith(_TIMES) and self.draft is None:
            self.open(line, "mdrun")
            self._steps = None
        elif self.draft is not None:
            self._read_setting(self.draft, text, previous_text)
            self._read_result(line, text)

    def add_totals(self, draft: Draft) -> None:
        """Add the number of steps that was stated last; -1 is without an end."""
        draft.parameters.time_steps = self._steps if self._steps is not None and self._steps >= 0 else None

    def _read_setting(self, draft: Draft, text: str, previous_text: str) -> None:
        ranks = _RANKS.match(text)
        if ranks is not None:
            draft.ranks = int(ranks.group(1))
        for pattern, name in _SETTINGS:
            setting = pattern.match(text)
            if setting is not None:
                draft.parameters.read_setting(name, int(setting.group(1)))
        for pattern in _STEPS:
            steps = pattern.match(text)
            self._steps = self._steps if steps is None else int(steps.group(1))
        if previous_text == _COMMAND:
            draft.parameters.command = text
            run_input = next(filter(None, (pattern.search(text) for pattern in _INPUTS)), None)
            draft.parameters.case_name = run_input.group(1).removesuffix(".tpr") if run_input else None
        elif _ERROR.match(previous_text):
            draft.fail(text)

    def _read_result(self, line: Line, text: str) -> None:
        times, performance = _TIME.match(text), _PERFORMANCE.match(text)
        if times is not None:
            self.hold(Metric.RUN_TIME, "s", times.group(1), line, "core")
            self.hold(Metric.RUN_TIME, "s", times.group(2), line, "wall")
        elif _COLUMNS.match(text):
            self._columns = text.split()
        elif performance is not None:
            cells = performance.group(1).split()
            if len(cells) == len(self._columns):
                for column, cell in zip(self._columns, cells, strict=True):
                    if column in _RATES:
                        self.hold(*_RATES[column], cell, line)
