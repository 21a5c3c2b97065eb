"""CP2K: the total time of the routine CP2K, the outermost of all, in the table of timings.

Format of the table: src/common/timings_report.F, print_reports: the average of all ranks, and the slowest rank. The
table of energy has the same rows and is left out. A run ends with "PROGRAM ENDED AT".
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.application import ApplicationReader, read_application
from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, line_matcher
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "the output of CP2K with its table of timings ('T I M I N G', 'PROGRAM ENDED AT')"
IDENTIFYING_TEXTS = ("PROGRAM STARTED AT", "CP2K| version string:", "T I M I N G")

_START = re.compile(r"\*.*\* +PROGRAM STARTED AT +\d")
_END = re.compile(r"\*.*\* +PROGRAM ENDED AT +\d")
_VERSION = re.compile(r"CP2K\| version string: +(?:CP2K version )?(\S.*)$")
_RANKS = re.compile(r"GLOBAL\| Total number of message passing processes +(\d+)$")
_SETTINGS = (
    (re.compile(r"GLOBAL\| Number of threads for this process +(\d+)$"), "threads_per_process"),
    (re.compile(r"GLOBAL\| Project name +(\S+)$"), "case_name"),
    (re.compile(r"(?:Total number of +)?- Atoms: +(\d+)$"), "atoms"),
)
_TABLE = re.compile(r"- +([A-Z](?: [A-Z])+) +-$")
_TIMINGS = "T I M I N G"
_NUMBER = r"\d+(?:\.\d*)?"
_ROW = re.compile(rf"CP2K +\d+ +{_NUMBER} +{_NUMBER} +{_NUMBER} +(\S+) +(\S+)(?: +\d+)?$")
_ABORT = re.compile(r"\* *\[ABORT\] *(.*?) *\*$")
_FIGURE = 9  # columns to the left of the message, in which a stick figure holds the sign


def read(log: Source) -> list[ReadRun]:
    """Every run of CP2K in the log."""
    return read_application(log, line_matcher(_START), _Reader)


class _Reader(ApplicationReader):
    """Reads one run at a time: settings, table of timings, last line."""

    tool = "CP2K"

    def __init__(self) -> None:
        super().__init__()
        self._table: str | None = None
        self._message: list[str] | None = None  # of an abort

    def is_end(self, text: str) -> bool:
        """Whether a run ends here."""
        return _END.match(text) is not None

    def read_line(self, line: Line, text: str) -> None:
        """Read one line of the output."""
        version, table, row = _VERSION.match(text), _TABLE.match(text), _ROW.match(text)
        if _START.match(text):
            self.open(line)
            self._table, self._message = None, None
        elif version is not None:
            draft = self.draft if self.draft is not None and self.draft.version is None else self.open(line)
            draft.version = version.group(1)
        elif table is not None:
            self._table = table.group(1)
            if self.draft is None and self._table == _TIMINGS:
                self.open(line)
        elif row is not None and self._table == _TIMINGS:
            self.hold(Metric.RUN_TIME, "s", row.group(1), line, "average of ranks")
            self.hold(Metric.RUN_TIME, "s", row.group(2), line, "slowest rank")
        elif self.draft is not None:
            self._read_setting(self.draft, text)
            self._read_abort(self.draft, text)

    def _read_setting(self, draft: Draft, text: str) -> None:
        ranks = _RANKS.match(text)
        if ranks is not None:
            draft.ranks = int(ranks.group(1))
        for pattern, name in _SETTINGS:
            setting = pattern.match(text)
            if setting is not None:
                draft.parameters.read_setting(name, setting.group(1))

    def _read_abort(self, draft: Draft, text: str) -> None:
        """Read the message in the frame below the sign: the text beside the figure, up to the frame's last line."""
        abort = _ABORT.match(text)
        if abort is not None:
            self._message = [abort.group(1)]
        elif self._message is not None and set(text) == {"*"}:
            draft.fail(" ".join(self._message) or "ABORT")
            self._message = None
        elif self._message is not None:
            self._message.append(text.strip("*")[_FIGURE - 1 :].strip())
