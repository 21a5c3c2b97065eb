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
    UNKNOWN = "unknown"  # above a physical limit, or no limit is known
    SKIP = "skip"  # shown for information: a peak, a latency, a size too small to be bandwidth-bound


SEVERITY_ORDER = (Judgement.FAIL, Judgement.UNKNOWN, Judgement.WARN, Judgement.PASS)
"""The worst first. What is shown for information has no severity."""


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
    """A limit: its terms, the smallest of them, and every assumption."""

    value: float
    unit: str
    bottleneck: str  # name of the smallest term
    terms: tuple[Term, ...]
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """A number of an acceptance profile that a measurement must reach or stay below, and whether it does."""

    name: str
    at_least: float | None
    at_most: float | None
    unit: str  # that of the measurement
    judgement: Judgement
    source: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """One measurement against both limits of the design, against the cluster as found, and against a gate.

    For a latency the physical limit is the minimum possible value, and the fraction is that limit over the measurement.
    """

    measurement: Measurement
    judgement: Judgement
    reason: str
    physical: Bound | None  # maximum for any algorithm
    reachable: Bound | None  # rate of the named algorithm or of a catalogue figure
    fraction_of_physical: float | None
    fraction_of_reachable: float | None
    found: Bound | None = None  # limit of the cluster as found
    fraction_of_found: float | None = None
    gate: Gate | None = None


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """What limited one run, proven by its log, with the known failures that the log proves.

    ``limit`` is the reachable limit with this bottleneck; None without a formula for it.
    """

    name: str  # "2 of 8 NICs on node1"
    failures: tuple[str, ...] = ()
    limit: Bound | None = None


@dataclass(frozen=True, slots=True)
class FatalError:
    """The first message that aborted a communicator of NCCL or RCCL, and both ends of the connection.

    ``source`` is HOST:NIC or the host that printed the message; ``target`` is HOST:NIC or the host by the cluster file,
    else an address of the log.
    """

    text: str
    line: int
    source: str
    target: str | None


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
    fatal_error: FatalError | None = None
    failures: tuple[str, ...] = ()  # entries of the failure catalogue that cause the error or the loss, likeliest first
    proven_failures: tuple[str, ...] = ()  # those of them that the log proves
    bottlenecks: tuple[Bottleneck, ...] = ()  # of a run that does not pass
    source: str | None = None  # HOST:NIC of a point-to-point test, if the log or the command line states it
    target: str | None = None
    repeat: tuple[str, ...] = ()  # commands that repeat a run that failed once
    times: tuple[Measurement, ...] = ()  # of a collective at each size; no limit applies to them


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison between runs: its description, its number of measurements, and their statistic."""

    condition: str  # the difference from the other side
    statistic: str
    count: int
    value: float | None  # None where nothing was measured
    unit: str
    file: str | None = None  # file of the measurement with this value, if the value is from a single one
    line: int | None = None
    ends: str | None = None  # "node1:bnxt_re0 -> node2:bnxt_re4"


@dataclass(frozen=True, slots=True)
class Relation:
    """A comparison of runs with other runs, and whether it meets a relative gate of a profile.

    ``value`` is the ratio of both sides, their difference in ``unit``, or the spread of one side; None if a side is
    missing. With several comparisons (message sizes, pairs) it is the worst, with its ``ends``.
    """

    name: str
    judgement: Judgement
    reason: str
    test: str
    metric: Metric
    size_bytes: int | None
    ends: str | None  # the pair, the hosts or the rail that both sides share
    of: Side
    to: Side | None
    value: float | None
    unit: str | None  # unit of a difference; None: value is a fraction
    at_least: float | None
    at_most: float | None
    source: str
    compared: int = 1  # number of comparisons of this gate and test
    passed: int = 0  # number of comparisons that passed
