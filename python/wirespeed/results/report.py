"""The content of a report, which is passed to the requested format."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.results.campaign_history import Comparison, History
from wirespeed.results.findings import Finding
from wirespeed.results.peers import Peers
from wirespeed.results.topology import Topology
from wirespeed.results.verdicts import JudgedRun, Relation


@dataclass(frozen=True, slots=True)
class ComputedNumber:
    """A number that the plan computed, its formula with the inserted numbers, and the source of the formula."""

    name: str
    value: str
    formula: str
    source: str
    compared: str | None = None


@dataclass(frozen=True, slots=True)
class Input:
    """An input of the report: a file, a bundle, or one device's part of a bundle."""

    name: str
    detail: str


@dataclass(frozen=True, slots=True)
class Report:
    """The report of one cluster: findings, performance, and first steps.

    ``recorded`` is the time of the evidence in ISO 8601, never the current time; None if nothing was recorded.
    ``summary`` describes the plan in rows of (what, how many of what).
    """

    cluster: str
    recorded: str | None
    topology: Topology
    findings: tuple[Finding, ...] = ()
    runs: tuple[JudgedRun, ...] = ()
    computed: tuple[ComputedNumber, ...] = ()
    summary: tuple[tuple[str, str], ...] = ()
    inputs: tuple[Input, ...] = ()
    notes: tuple[str, ...] = ()
    peers: tuple[Peers, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    histories: tuple[History, ...] = ()
    relations: tuple[Relation, ...] = ()
