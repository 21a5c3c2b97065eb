"""Times of the PFC watchdog, and the queues on which it is active."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wirespeed.errors import Problem
from wirespeed.facts import Observation
from wirespeed.platforms.model import Output
from wirespeed.settings import Place, SwitchQueue
from wirespeed.units import Duration

SONIC_POLLS = range(100, 3001)
"""Polling intervals in ms of Enterprise SONiC; sonic-utilities, `pfcwd interval`; dellemc.enterprise_sonic."""
COMMUNITY_SONIC_POLLS = range(100, 1001)
"""Polling intervals in ms that all releases take: sonic-pfcwd.yang; up to 202505 they take 3000."""


def check_milliseconds(location: str, time: Duration | None, allowed: range) -> Iterator[Problem]:
    """Refuse a time that is no whole number of milliseconds of this range."""
    if time is not None and (not time.is_whole("ms") or time.milliseconds not in allowed):
        step = "" if time.is_whole("ms") else " in steps of 1 ms"
        yield Problem(location, str(time), f"{allowed[0]} ms to {allowed[-1]} ms{step}")


@dataclass(frozen=True, slots=True)
class QueueState:
    """A row of the watchdog's statistics: whether it is active on a queue of a port."""

    port: Place
    queue: int
    is_stuck: bool
    line: int


def observe_stuck_queues(states: Iterable[QueueState], output: Output) -> Iterator[Observation]:
    """Whether the watchdog is active on each port, and on which queues; from the first row that shows it."""
    by_port: dict[Place, list[QueueState]] = {}
    for state in states:
        by_port.setdefault(state.port, []).append(state)
    for port, rows in by_port.items():
        stuck = [row for row in rows if row.is_stuck]
        source = output.source_of_line((stuck or rows)[0].line)
        yield Observation(port, "port.qos.watchdog.active", bool(stuck), source)
        if stuck:
            queues = frozenset(SwitchQueue(row.queue) for row in stuck)
            yield Observation(port, "port.qos.watchdog.stuck_queues", queues, source)
