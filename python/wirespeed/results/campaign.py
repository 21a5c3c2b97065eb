"""A campaign: benchmarks that are run together, what each of them is, and how each attempt ended.

On disk it is a folder: ``campaign.json`` with the steps, ``journal.jsonl`` with a line for each attempt that ended,
and ``logs/`` with what the tools printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

KIND = "bench-campaign"
SCHEMA = 1
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
    BAD = "bad"
    UNKNOWN = "unknown"  # it did not run, or no limit is known
    SKIP = "skip"  # shown for information: a latency, a figure of one machine alone


class Kind(StrEnum):
    """What is to blame."""

    HOST = "host"
    NIC = "NIC"
    RAIL = "rail"
    LEAF = "leaf"
    PATH = "path"
    PAIR = "pair"  # both ends are good with other partners, in both directions
    GROUP = "group"  # bad together only
    UNTOLD = "untold"  # nothing good is left to measure it with


@dataclass(frozen=True, slots=True)
class Suspect:
    """Something the results accuse, and by what."""

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
    """One benchmark. Where it has a server, that listens before the client starts, and is stopped after it."""

    id: str
    test: str
    place: str  # "FROM -> TO", or the hosts of a group
    client: Command
    limit_s: float  # the client is ended after it
    seconds: float  # what it is likely to take
    server: Command | None = None
    port: int | None = None  # TCP port that is waited for; None: the client itself waits
    stage: int = 0  # steps of earlier stages are done before
    uses: Mapping[str, int] = field(default_factory=dict)  # how much of each shared thing, by its name
    source: str | None = None  # HOST/NIC of a pair
    target: str | None = None
    collective: str | None = None
    suspects: tuple[str, ...] = ()  # of a step that narrows down: the candidates that it distinguishes


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
    detail: str | None = None  # the figure that counts, or why there is none
    place: str | None = None  # of the step: one that narrows down stands in the journal alone


@dataclass(frozen=True, slots=True)
class Campaign:
    """What is to be run. ``holds`` is the number of uses that a shared resource allows, where it is not 1."""

    id: str
    suite: str
    cluster: str
    steps: tuple[Step, ...]
    holds: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what the steps do not exercise, and why
    label: str | None = None
    started: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)


def parse_campaign(document: Mapping[str, Any]) -> Campaign:
    """A campaign as read from JSON.

    Raises:
        KeyError, TypeError, ValueError: it is none.
    """
    if document["kind"] != KIND or document["schema"] != SCHEMA:
        raise ValueError(f"kind {document['kind']!r}, schema {document['schema']!r}")
    return Campaign(
        id=document["id"],
        suite=document["suite"],
        cluster=document["cluster"],
        steps=tuple(parse_step(step) for step in document["steps"]),
        holds=dict(document["holds"]),
        notes=tuple(document["notes"]),
        label=document.get("label"),
        started=document.get("started"),
        facts=dict(document.get("facts", {})),
    )


def parse_step(data: Mapping[str, Any]) -> Step:
    """A step as read from JSON."""
    values = {name: data[name] for name in Step.__dataclass_fields__ if name in data}
    server = data.get("server")
    values |= {
        "client": _parse_command(data["client"]),
        "server": _parse_command(server) if server else None,
        "suspects": tuple(data.get("suspects", ())),
    }
    return Step(**values)


def _parse_command(data: Mapping[str, Any]) -> Command:
    return Command(data["host"], tuple(data["arguments"]), dict(data["environment"]))


def parse_attempt(data: Mapping[str, Any]) -> Attempt:
    """An attempt as read from a line of the journal."""
    values = {name: data[name] for name in Attempt.__dataclass_fields__ if name in data}
    return Attempt(**{**values, "status": Outcome(data["status"]), "grade": Grade(data["grade"])})
