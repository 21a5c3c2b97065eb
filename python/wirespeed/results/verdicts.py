"""Verdicts of the judge. Two limits, shown separately and never mixed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wirespeed.results.benchmarks import Measurement, Metric, RunStatus


class Judgement(StrEnum):
    """Outcome for one measurement."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    UNKNOWN = "unknown"  # above a limit nothing can beat, or no limit is known
    SKIP = "skip"  # shown for information: a peak, a latency, a size too small to be bandwidth-bound


@dataclass(frozen=True, slots=True)
class Term:
    """One named term of a limit, in the unit of the measurement, with its formula and the source of its constants."""

    name: str
    value: float
    unit: str
    formula: str
    source: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit: its terms, the smallest of them, and every assumption made."""

    value: float
    unit: str
    bottleneck: str  # name of the smallest term
    terms: tuple[Term, ...]
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """A number of an acceptance profile that a measurement had to reach or stay below, and whether it did."""

    name: str
    at_least: float | None
    at_most: float | None
    unit: str  # that of the measurement
    judgement: Judgement
    source: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """One measurement against both limits of the design, against the cluster as found, and against a gate.

    Of a latency the physical limit is what nothing can be below, and its fraction that limit over the measurement.
    """

    measurement: Measurement
    judgement: Judgement
    reason: str
    physical: Bound | None  # what no algorithm can beat
    reachable: Bound | None  # what the named algorithm or a catalogue figure reaches
    fraction_of_physical: float | None
    fraction_of_reachable: float | None
    found: Bound | None = None  # what the cluster as found reaches
    fraction_of_found: float | None = None
    gate: Gate | None = None


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """All verdicts of one run."""

    file: str
    tool: str
    test: str | None
    title: str
    ranks: int | None
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()
    status: RunStatus = RunStatus.COMPLETE
    error: str | None = None  # the tool's error message
    failures: tuple[str, ...] = ()  # entries of the failure catalogue that cause the error, likeliest first
    source: str | None = None  # HOST/NIC of a point-to-point test, if the log or the command line states it
    target: str | None = None
    repeat: tuple[str, ...] = ()  # commands that repeat a run that failed once


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison between runs: what it is, how many measurements, and the number that stands for them."""

    condition: str  # the difference from the other side
    statistic: str
    count: int
    value: float | None  # None where nothing was measured
    unit: str
    file: str | None = None  # of the measurement that is that number, where one is
    line: int | None = None
    ends: str | None = None  # "node1/bnxt_re0 -> node2/bnxt_re4"


@dataclass(frozen=True, slots=True)
class Relation:
    """What runs reach of other runs, and whether that is what a relative gate of a profile requires.

    ``value`` is the ratio of both sides, their difference in ``unit``, or the spread of the one; None where a side is
    missing. Of several comparisons (message sizes, pairs) it is the worst, and ``location`` names its ends.
    """

    name: str
    judgement: Judgement
    reason: str
    test: str
    metric: Metric
    size_bytes: int | None
    location: str | None  # the pair, the hosts or the rail that both sides share
    of: Side
    to: Side | None
    value: float | None
    unit: str | None  # of a difference; None: value is a fraction
    at_least: float | None
    at_most: float | None
    source: str
    compared: int = 1  # comparisons of this gate and test
    passed: int = 0  # of them
