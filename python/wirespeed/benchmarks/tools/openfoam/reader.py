"""OpenFOAM: the execution and clock time of a solver after its last time step.

Formats: src/OpenFOAM/global/argList/argList.C (header, hosts), src/OpenFOAM/db/Time/TimeIO.C, printExecutionTime and
printTimeHMS (times), src/OpenFOAM/db/error/error.C (errors). Times count from the start of the program: the last one is
that of the run. *CPU* is the time of the first process, *wall* that of the run. Programs that print no such time, such
as blockMesh, are left out, unless the log is cut in them.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.application import ApplicationReader, read_application
from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, line_matcher
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "the log of an OpenFOAM solver ('Exec   : simpleFoam', 'ExecutionTime = … s  ClockTime = … s')"
IDENTIFYING_TEXTS = ("Exec   : ", "ExecutionTime = ")

_BUILD = re.compile(r"Build  : (\S.*)$")
_EXEC = re.compile(r"Exec   : (\S+)(?: .*)?$")
_CASE = re.compile(r"Case   : (?:\S*/)?([^\s/]+)/?$")
_PROCESSES = re.compile(r"nProcs : (\d+)$")
_HOSTS = "Hosts  :"
_HOST = re.compile(r"\((\S+) \d+\)$")
_DURATION = r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)"
_TIME = re.compile(r"Time = (\S+?)s?$")
_SECONDS = re.compile(r"ExecutionTime = (\S+) s  ClockTime = (\S+) s$")
_CLOCKS = re.compile(r"ExecutionTime = ([-\d:.]+)  ClockTime = ([-\d:.]+)$")
_CLOCK = re.compile(_DURATION)
_ERROR = re.compile(r"(?:\[\d+\] *)?--> FOAM FATAL (?:IO )?ERROR ?:")
_RANK = re.compile(r"\[\d+\] *")


def read(log: Source) -> list[ReadRun]:
    """Every run of a solver in the log."""
    return read_application(log, line_matcher(_EXEC), _Reader)


class _Reader(ApplicationReader):
    """Reads one run at a time: header, times of each step, last line."""

    tool = "OpenFOAM"

    def __init__(self) -> None:
        super().__init__()
        self._build: str | None = None
        self._hosts: list[str] | None = None  # None outside the list
        self._time: str | None = None  # that is simulated
        self._has_times = False
        self._is_followed = False  # by another program
        self._has_error = False  # its message follows

    def is_end(self, text: str) -> bool:
        """Whether a program ends here."""
        return text == "End"

    def read_line(self, line: Line, text: str) -> None:
        """Read one line of the output."""
        build, program = _BUILD.match(text), _EXEC.match(text)
        if build is not None:
            self._end_program()
            self._build = build.group(1)
        elif program is not None:
            self._end_program()
            draft = self.open(line, program.group(1).rpartition("/")[2])
            draft.version, self._build = self._build, None
            draft.parameters.command = text.partition(": ")[2]
            self._hosts, self._has_error = None, False
        elif text.startswith("ExecutionTime = "):
            self._read_times(line, text)
        elif self.draft is not None:
            time = _TIME.match(text)
            self._time = time.group(1) if time is not None else self._time
            self._read_header(self.draft, text)
            self._read_error(self.draft, text)

    def add_totals(self, draft: Draft) -> None:
        """Add the last simulated time, which for a steady solver is the number of iterations."""
        draft.parameters.end_time = self._time

    def _end_program(self) -> None:
        self._is_followed = True
        self._close()

    def _close(self) -> None:
        """End the open run, unless its program has ended and printed no time."""
        draft = self.draft
        if draft is not None and not self._has_times and not draft.errors and (draft.complete or self._is_followed):
            self.draft = None
        super()._close()
        self._time, self._has_times, self._is_followed = None, False, False

    def _read_header(self, draft: Draft, text: str) -> None:
        case, processes, host = _CASE.match(text), _PROCESSES.match(text), _HOST.match(text)
        if case is not None:
            draft.parameters.case_name = case.group(1)
        elif processes is not None:
            draft.ranks = int(processes.group(1))
        elif text == _HOSTS:
            self._hosts = []
        elif self._hosts is not None and host is not None:
            self._hosts.append(host.group(1))
        elif self._hosts and text == ")":
            names, self._hosts = sorted(set(self._hosts)), None
            draft.parameters.nodes, draft.parameters.host_names = len(names), ",".join(names)

    def _read_error(self, draft: Draft, text: str) -> None:
        message = _RANK.sub("", text, count=1)
        if _ERROR.match(text):
            self._has_error = not draft.errors  # every process prints one
        elif self._has_error and message:
            draft.fail(message)
            self._has_error = False

    def _read_times(self, line: Line, text: str) -> None:
        draft = self.draft if self.draft is not None else self.open(line)
        self._has_times = True
        seconds, clocks = _SECONDS.match(text), _CLOCKS.match(text)
        if seconds is None and clocks is None:
            draft.notice(line.number, repr(text), "an execution and a clock time; left out, and those before it")
        cells = seconds.groups() if seconds else tuple(map(_convert_clock, clocks.groups())) if clocks else (None, None)
        for label, cell in zip(("CPU", "wall"), cells, strict=True):
            if cell is None:
                self.drop(Metric.RUN_TIME, label)
            else:
                self.hold(Metric.RUN_TIME, "s", cell, line, label)


def _convert_clock(text: str) -> str:
    """Seconds of ``[days-][hours:]minutes:seconds``; another text unchanged."""
    clock = _CLOCK.fullmatch(text)
    if clock is None:
        return text
    days, hours, minutes, seconds = clock.groups()
    whole, _, hundredths = seconds.partition(".")
    total = ((int(days or 0) * 24 + int(hours or 0)) * 60 + int(minutes)) * 60 + int(whole)
    return f"{total}.{hundredths}" if hundredths else str(total)
