"""A campaign: its benchmarks, and how each attempt ended.

On disk it is a folder: ``campaign.json`` with the steps, ``journal.jsonl`` with a line for each attempt that ended,
and ``logs/`` with the output of the tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from wirespeed.results.documents import build_object

KIND = "bench-campaign"
SCHEMA = 3
BASELINE = "direct."
"""Prefix of the ids of steps that measure the baseline of a lab."""


class Outcome(StrEnum):
    """How an attempt of a step ended."""

    DONE = "done"
    FAILED = "failed"  # the program reported an error
    MISSING = "missing"  # a program is not installed
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"  # a host does not reply, or refuses the login


class Grade(StrEnum):
    """The result of an attempt: its numbers compared with a limit or baseline."""

    GOOD = "good"
    WARN = "warn"  # below the reachable limit, as `bench judge` warns
    BAD = "bad"
    UNKNOWN = "unknown"  # the step did not run, or no limit is known
    SKIP = "skip"  # shown for information: a latency, a figure of a single machine


class Kind(StrEnum):
    """The kind of a suspect."""

    HOST = "host"
    NIC = "NIC"
    RAIL = "rail"
    LEAF = "leaf"
    PATH = "path"
    PAIR = "pair"  # both ends are healthy with other peers
    GROUP = "group"  # hosts that are only bad as a group
    UNTOLD = "untold"  # no healthy peer is available to measure with


@dataclass(frozen=True, slots=True)
class Suspect:
    """A suspect, and the results that point to it."""

    kind: Kind
    name: str
    because: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command on a host."""

    host: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One benchmark. Its server, if any, listens before the client starts and is stopped after it."""

    id: str
    test: str
    ends: str  # the two ends of a pair, "FROM -> TO", or the hosts of a group
    client: Command
    limit_s: float  # time after which the client is ended
    seconds: float  # expected time
    server: Command | None = None
    port: int | None = None  # TCP port to wait for; None: the client waits
    stage: int = 0  # steps of earlier stages end first
    uses: Mapping[str, int] = field(default_factory=dict)  # used units of each shared resource
    source: str | None = None  # HOST:NIC of a pair
    target: str | None = None
    collective: str | None = None
    nics_only: bool = False  # ranks of a host reach each other over its NICs
    suspects: tuple[str, ...] = ()  # for a step that narrows down: the candidates that it distinguishes


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run of a step that ended. ``log`` is relative to the campaign's folder."""

    step: str
    attempt: int  # from 1
    status: Outcome
    rc: int | None
    started: str
    duration_s: float
    grade: Grade
    log: str
    detail: str | None = None  # the decisive figure, or why there is none
    ends: str | None = None  # those of the step; steps that narrow down are only in the journal


@dataclass(frozen=True, slots=True)
class Campaign:
    """The steps to run. ``holds`` is the capacity of shared resources for which it is not 1."""

    id: str
    suite: str
    cluster: str
    steps: tuple[Step, ...]
    holds: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # parts that the steps do not exercise, with the reason
    label: str | None = None
    started: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)


def parse_campaign(document: Mapping[str, Any]) -> Campaign:
    """Parse a campaign from JSON.

    Raises:
        KeyError, ValueError: the document is not a campaign.
    """
    if not isinstance(document, Mapping):
        raise ValueError("no mapping")
    if document["kind"] != KIND or document["schema"] != SCHEMA:
        raise ValueError(f"kind {document['kind']!r}, schema {document['schema']!r}")
    return build_object(Campaign, document, "campaign")


def parse_step(data: Any) -> Step:
    """Parse a step from JSON."""
    return build_object(Step, data, "step")


def parse_attempt(data: Any) -> Attempt:
    """Parse an attempt from a line of the journal."""
    return build_object(Attempt, data, "attempt")
