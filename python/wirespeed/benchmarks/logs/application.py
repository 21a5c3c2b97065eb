"""Applications that print the time of their run, between much other output."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace

from wirespeed.benchmarks.logs.launcher_messages import fail
from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, RunReader, read_by_process, read_runs
from wirespeed.results.benchmarks import Metric


class ApplicationReader(RunReader):
    """Reads one run at a time. Its results count only if its last line was seen: a cut log has no time of a run."""

    tool = ""

    def __init__(self) -> None:
        super().__init__()
        self.draft: Draft | None = None
        self._results: list[tuple[Metric, str, float | int, int, str | None]] = []
        self._last_line = 0

    def take(self, line: Line) -> None:
        """Take the next line."""
        text = line.text.strip()
        if text and self.draft is not None and self.is_end(text):
            self._last_line = line.number
            self.draft.complete = True
            self._close()
        elif text and line.is_complete:
            self.read_line(line, text)
            self._last_line = line.number
            if self.draft is not None:
                fail(self.draft, text)

    def end_run(self) -> None:
        """Keep the run: applications print headings within their output."""

    @abstractmethod
    def is_end(self, text: str) -> bool:
        """Whether this is the line with which the output of a run ends."""

    @abstractmethod
    def read_line(self, line: Line, text: str) -> None:
        """Read a whole line, stripped."""

    def add_totals(self, draft: Draft) -> None:
        """Add what is known at the end of a whole run."""

    def open(self, line: Line, test: str | None = None) -> Draft:
        """Start the next run."""
        self._close()
        self.draft = Draft(self.tool, line.number, test=test)
        return self.draft

    def hold(self, metric: Metric, unit: str, cell: str, line: Line, label: str | None = None) -> None:
        """Keep a result until the end of the run; a later one of the same label replaces it."""
        value = number(cell)
        if self.draft is None:
            return
        if value is None:
            self.draft.notice(line.number, f"{cell} as {metric.value}", "a number; left out")
            self.drop(metric, label)  # an earlier one is not that of the run
            return
        self.hold_value(metric, unit, value, line.number, label)

    def hold_value(self, metric: Metric, unit: str, value: float | int, line: int, label: str | None = None) -> None:
        """Keep a computed result until the end of the run."""
        self.drop(metric, label)
        self._results.append((metric, unit, value, line, label))

    def drop(self, metric: Metric, label: str | None) -> None:
        """Drop a kept result: a later one cannot be read."""
        self._results = [result for result in self._results if (result[0], result[4]) != (metric, label)]

    def _close(self) -> None:
        draft, self.draft = self.draft, None
        if draft is not None:
            if draft.complete:
                self.add_totals(draft)
                for metric, unit, value, line, label in self._results:
                    draft.measure(metric, unit, value, line, label=label)
            self._read_runs.append(replace(draft.finish(), last_line=self._last_line))
        self._results = []


def read_application(
    log: Source, starts_run: Callable[[str], bool], reader: Callable[[], ApplicationReader]
) -> list[ReadRun]:
    """Every run of an application in the log."""
    return read_by_process(log.without_debug(), starts_run, lambda lines: read_runs(reader(), lines))
