"""Findings: the results of checks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Outcome of a check. The check returns the first three, only the runner the others."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    UNKNOWN = "unknown"  # a needed fact was not read
    SKIP = "skip"  # no such entity, or nothing planned for it
    ERROR = "error"  # the check raised an exception


@dataclass(frozen=True, slots=True)
class Impact:
    """The estimated impact of a finding: ``value`` in ``unit`` ("Gb/s" or "µs"), and how it was computed."""

    value: float
    unit: str
    basis: str


@dataclass(frozen=True, slots=True)
class Change:
    """A fix in settings: at this place, this setting must become this value. The platform provides the commands.

    ``members`` are the members of a set of numbers to add or remove; empty: the whole value is set. ``removes``: the
    entity at the place, which is not planned, is removed; the setting and its value distinguish it from planned ones.
    """

    place: str
    setting: str
    value: str
    members: tuple[int, ...] = ()
    removes: bool = False


class Grammar(StrEnum):
    """How commands depend on the lines before them. In the last three, ``interface NAME`` begins a block."""

    LINES = "lines"  # each line is complete
    BLOCKS = "blocks"  # the end of the session, and its beginning again, leave a block
    RANGES_OF_NAMES = "ranges-of-names"  # interface Ethernet1/1-16,Ethernet1/49-64
    RANGES_OF_NUMBERS = "ranges-of-numbers"  # interface Ethernet1-16,49-64


@dataclass(frozen=True, slots=True)
class Session:
    """Which commands of a fix begin and end its session, so that the changes of several fixes can be made in one."""

    opening: int  # number of commands at the beginning
    closing: int  # number of commands at the end, which also save the configuration
    grammar: Grammar


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix: a sentence, and for a setting that can be configured, the change and its commands."""

    sentence: str
    change: Change | None = None
    commands: tuple[str, ...] = ()
    consequence: str | None = None  # reboot, link flap, firmware reset …
    session: Session | None = None  # None: the commands are given as they are


@dataclass(frozen=True, slots=True)
class Finding:
    """One check at one place."""

    check: str
    status: Status
    device: str
    place: str
    summary: str
    expected: str | None = None
    found: str | None = None
    unread: str | None = None  # the setting that was not read
    unread_device: str | None = None  # the device of that setting, if another than this one
    not_shown: str | None = None  # the setting that no collected output contains
    warning_reasons: tuple[str, ...] = ()  # why the finding is a warning instead of a failure
    evidence: tuple[str, ...] = ()  # command, file and line each value was read from
    cause: str | None = None  # the check whose finding causes this one, which is not counted then
    cause_device: str | None = None  # device and place of that finding, if another place than this one
    cause_place: str | None = None
    impact: Impact | None = None
    fix: tuple[Fix, ...] = ()
    failures: tuple[str, ...] = ()  # ids of the failure catalogue
    source: str | None = None  # document and section the expectation comes from
