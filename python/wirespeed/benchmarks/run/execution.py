"""Run a campaign: every step as soon as its resources are free, and a bad step once more.

A step that fails does not stop the others. Steps that have ended are stored, even if the program is killed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from wirespeed.benchmarks.run.attempt import LISTEN_S, AttemptResult, attempt
from wirespeed.benchmarks.run.queue import Queue, duration
from wirespeed.benchmarks.run.result_folder import Folder
from wirespeed.reach import Reach
from wirespeed.results.campaign import Attempt, Grade, Outcome, Step

_LOOK_S = 0.2  # interval of checks for Ctrl-C


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run."""

    parallel: int = 64  # as the default fanout of ClusterShell
    retests: int = 1
    path: tuple[str, ...] = ()  # folders of programs on the hosts
    listen_s: float = LISTEN_S


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a campaign."""

    count: int
    total: int
    running: tuple[Step, ...]
    left_s: float
    last: Attempt | None = None


Grader = Callable[[Step, Outcome, str], tuple[Grade, str | None]]
ProgressCallback = Callable[[Progress], None]


def execute(
    steps: tuple[Step, ...],
    folder: Folder,
    reach: Reach,
    grader: Grader,
    how: RunOptions,
    on_progress: ProgressCallback,
    interrupted: Callable[[], bool],
) -> bool:
    """Run the steps that have not been run; False when interrupted before all were.

    Raises:
        OSError: the disk is full; attempts that were recorded before are kept.
    """
    return _Execution(steps, folder, reach, grader, how, on_progress, interrupted).run()


def open_steps(steps: tuple[Step, ...], folder: Folder, retests: int) -> list[Step]:
    """The steps to run or to repeat."""
    latest, counts = folder.latest(), _count_attempts(folder)
    return [step for step in steps if step.id not in latest or _is_to_repeat(latest[step.id], counts[step.id], retests)]


def _count_attempts(folder: Folder) -> dict[str, int]:
    counts: dict[str, int] = {}
    for recorded in folder.attempts:
        counts[recorded.step] = counts.get(recorded.step, 0) + 1
    return counts


def _is_to_repeat(last: Attempt, count: int, retests: int) -> bool:
    """Whether a step was bad or failed and has retests left. A missing program is not tried again."""
    bad = last.grade is Grade.BAD or last.status not in (Outcome.DONE, Outcome.MISSING)
    return bad and count <= retests


class _Execution:
    def __init__(
        self,
        steps: tuple[Step, ...],
        folder: Folder,
        reach: Reach,
        grader: Grader,
        how: RunOptions,
        on_progress: ProgressCallback,
        interrupted: Callable[[], bool],
    ) -> None:
        self._folder, self._reach, self._grader, self._how = folder, reach, grader, how
        self._on_progress, self._interrupted = on_progress, interrupted
        todo = open_steps(steps, folder, how.retests)
        self._total, self._counts = len(steps), _count_attempts(folder)
        self._queue = Queue(todo, folder.campaign.holds, how.parallel)
        self._likely = duration(todo, folder.campaign.holds, how.parallel)
        self._work = self._planned_work = sum(step.seconds for step in todo)
        self._worked = 0.0
        self._remaining = len(todo)
        self._clock = time.monotonic()
        self._stop = False

    def run(self) -> bool:
        if not self._remaining:
            return True
        running: dict[Future[AttemptResult], Step] = {}
        with ThreadPoolExecutor(min(self._how.parallel, self._remaining)) as pool:
            try:
                self._report(None)
                while True:
                    while not self._stop and (step := self._queue.take()) is not None:
                        how = self._how
                        tried = pool.submit(attempt, step, self._reach, how.path, self._is_stopped, how.listen_s)
                        running[tried] = step
                    if not running:
                        break
                    ended, _ = wait(running, _LOOK_S, FIRST_COMPLETED)
                    self._stop = self._stop or self._interrupted()
                    for future in ended:
                        self._record_end(running.pop(future), future.result())
            finally:
                self._stop = True
        return self._remaining == 0

    def _is_stopped(self) -> bool:
        return self._stop

    def _record_end(self, step: Step, tried: AttemptResult) -> None:
        self._queue.finish(step)
        if self._stop:
            return  # the step was or may have been ended early: it runs again
        number = self._counts[step.id] = self._counts.get(step.id, 0) + 1
        log = self._folder.keep(step, number, tried.output, tried.server_output)
        grade, detail = self._grader(step, tried.status, tried.output.decode("utf-8", "replace"))
        noted = Attempt(
            step=step.id,
            attempt=number,
            status=tried.status,
            rc=tried.rc,
            started=tried.started,
            duration_s=round(tried.seconds, 3),
            grade=grade,
            log=log,
            detail=detail or tried.detail,
            ends=step.ends,
        )
        self._folder.note(noted)
        if _is_to_repeat(noted, number, self._how.retests):
            self._queue.requeue(step)
            self._work += step.seconds
        else:
            self._remaining -= 1
        self._worked += step.seconds
        self._report(noted)

    def _report(self, last: Attempt | None) -> None:
        self._on_progress(
            Progress(
                self._total - self._remaining,
                self._total,
                tuple(self._queue.running_steps),
                self._estimate_remaining_s(),
                last,
            )
        )

    def _estimate_remaining_s(self) -> float:
        return estimate_remaining_s(
            self._likely, self._planned_work, self._work, self._worked, time.monotonic() - self._clock
        )


def estimate_remaining_s(likely_s: float, planned_s: float, total_s: float, ended_s: float, elapsed_s: float) -> float:
    """The remaining time of a campaign: the expected one times the pace so far, which counts by the share that ended.

    A few steps that took longer than expected do not describe the others.

    ``likely_s``: expected time of the campaign; ``planned_s``: that of its steps one after the other; ``total_s``: the
    same with the repetitions so far; ``ended_s``: that of the steps that ended.
    """
    if not planned_s or not ended_s:
        return likely_s
    share = ended_s / total_s
    pace = elapsed_s / (likely_s * ended_s / planned_s)
    return likely_s * (total_s - ended_s) / planned_s * (1 - share + share * pace)
