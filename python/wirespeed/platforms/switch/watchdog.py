"""Times of the PFC watchdog."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.errors import Problem
from wirespeed.units import Duration

SONIC_POLLS = range(100, 3001)
"""Polling intervals in ms; sonic-utilities, `pfcwd interval`; dellemc.enterprise_sonic."""


def check_milliseconds(location: str, time: Duration | None, allowed: range) -> Iterator[Problem]:
    """Refuse a time that is no whole number of milliseconds of this range."""
    if time is not None and (not time.is_whole("ms") or time.milliseconds not in allowed):
        step = "" if time.is_whole("ms") else " in steps of 1 ms"
        yield Problem(location, str(time), f"{allowed[0]} ms to {allowed[-1]} ms{step}")
