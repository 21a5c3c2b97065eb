"""The schedule of steps: in order, concurrently where they share no resource, a stage only after the one before it."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping

from wirespeed.results.campaign import Step


class Queue:
    """Waiting steps, and the resources that running steps occupy."""

    def __init__(self, steps: Iterable[Step], holds: Mapping[str, int], parallel: int) -> None:
        self._waiting: dict[int, list[Step]] = {}
        for step in steps:
            self._waiting.setdefault(step.stage, []).append(step)
        self._holds, self._parallel = holds, parallel
        self._used_shares: dict[str, int] = {}
        self._running: list[Step] = []

    def take(self) -> Step | None:
        """Take the first step that may run now; None if all must wait for another to end, or none is left."""
        if len(self._running) >= self._parallel or not self._waiting:
            return None
        stage = min([*self._waiting, *(step.stage for step in self._running)])
        waiting = self._waiting.get(stage, [])
        for position, step in enumerate(waiting):
            if all(
                self._used_shares.get(name, 0) + share <= self._holds.get(name, 1) for name, share in step.uses.items()
            ):
                del waiting[position]
                if not waiting:
                    del self._waiting[stage]
                self._running.append(step)
                for name, share in step.uses.items():
                    self._used_shares[name] = self._used_shares.get(name, 0) + share
                return step
        return None

    def finish(self, step: Step) -> None:
        """Release the resources of a step that ended."""
        self._running.remove(step)
        for name, share in step.uses.items():
            self._used_shares[name] -= share

    def requeue(self, step: Step) -> None:
        """Queue a step once more, after the others of its stage."""
        self._waiting.setdefault(step.stage, []).append(step)

    @property
    def pending_steps(self) -> list[Step]:
        """Steps that have not begun."""
        return [step for stage in sorted(self._waiting) for step in self._waiting[stage]]

    @property
    def running_steps(self) -> list[Step]:
        """Steps that have begun."""
        return list(self._running)


def duration(steps: Iterable[Step], holds: Mapping[str, int], parallel: int) -> float:
    """The expected time of all steps in seconds."""
    return max((start_s + step.seconds for start_s, step in schedule(steps, holds, parallel)), default=0.0)


def schedule(steps: Iterable[Step], holds: Mapping[str, int], parallel: int) -> list[tuple[float, Step]]:
    """The steps in the order of their expected start, each with this time in seconds."""
    queue, time_s = Queue(steps, holds, parallel), 0.0
    starts: list[tuple[float, Step]] = []
    ends: list[tuple[float, int, Step]] = []
    while True:
        while (step := queue.take()) is not None:
            starts.append((time_s, step))
            heapq.heappush(ends, (time_s + step.seconds, len(starts), step))
        if not ends:
            return starts
        time_s, _, step = heapq.heappop(ends)
        queue.finish(step)
