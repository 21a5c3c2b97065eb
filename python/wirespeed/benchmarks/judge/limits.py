"""The interface between the judge and each kind of benchmark: two limits per measurement, and which sizes are small."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from wirespeed.benchmarks.judge.nccl_evidence import Evidence
from wirespeed.benchmarks.judge.profile import Profile, PublishedRange, Thresholds
from wirespeed.limits.algorithms import Algorithm
from wirespeed.limits.nic_losses import DegradedRate
from wirespeed.results.benchmarks import Measurement, Metric
from wirespeed.results.verdicts import Bound, Term
from wirespeed.units import Bandwidth

BANDWIDTHS = frozenset({Metric.ALGBW, Metric.BUSBW, Metric.AVG_BUSBW, Metric.BW_PEAK, Metric.BW_AVG, Metric.BITRATE})
"""Metrics that have a limit."""


REFUTED = 1.05
"""Fraction of a reachable limit above which what it assumes is refuted: usable link rates are measured figures, and
published runs exceed their limits by up to 1.4 % (Broadcom 957608-AN210, section 2.8.2)."""


StartJob = Callable[[Sequence[str], int, Sequence[str]], tuple[str, ...]]
"""From hosts, ranks on each host and a program to the command of the planned launcher."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the user states and logs do not contain: both NICs of a point-to-point test, algorithm and collective."""

    source: str | None = None
    target: str | None = None
    algorithm: Algorithm | None = None
    collective: str | None = None
    cluster: str | None = None  # path of the cluster file, for the command that judges a repetition
    options: tuple[str, ...] = ()  # further options of that command: profile and bundle
    start: StartJob | None = None  # formats the command that starts a program on hosts of the plan
    evidence: Evidence | None = None  # facts about the run from NCCL's debug lines in the same log
    ranks: int | None = None
    nodes: int | None = None  # hosts that take part
    interface: str | None = None  # interface of TCP sockets between hosts
    nics_only: bool = False  # GPUs of a host reach each other over its NICs, by the suite that started the run
    prefers_slow_hosts: bool = False  # hosts of a collective that the log does not name are the slowest of the plan
    as_observed: bool = False  # the plan is that of the cluster as found
    host: str | None = None  # host whose GPUs have the PCIe addresses of the log, by a bundle
    own_gpus: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    """Of hosts that borrow GPUs: whether the GPU at a PCIe address is the host's own, by a bundle."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A lower reachable limit that applies if something is so that the log does not state.

    A value that is better with it (passes, or warns instead of failing) is unknown. ``condition``: when it applies;
    ``action``: what states it. ``thresholds``: its fractions; None: those of the measurement.
    """

    reachable: Bound
    condition: str
    action: str
    thresholds: Thresholds | None = None


@dataclass(frozen=True, slots=True)
class Limit:
    """The limits of one measurement in its unit.

    ``skip_reason``: why the measurement is shown and not judged; ``unknown``: why no limit is known. ``thresholds``
    replace those of the run. ``bounded``: a measurement that is not judged must still not exceed the physical limit.
    ``alternatives``: lower limits, if the log leaves open which of them applies. ``refuted``: a lower limit whose
    assumption the log refutes; a measurement above it passes, as it would if the log refuted nothing.
    """

    physical: Bound | None = None
    reachable: Bound | None = None
    skip_reason: str | None = None
    unknown: str | None = None
    thresholds: Thresholds | None = None
    bounded: bool = False
    alternatives: tuple[Alternative, ...] = ()
    refuted: Bound | None = None


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """The planned bandwidth of the NICs as a term of the reachable limit, and what is left of it by each loss.

    ``published``: what healthy runs of the algorithm reach of the reachable limit, where it is known; ``nics``: NICs of
    a host, of which some may be missing; ``queue_pair_hint``: why the only queue pair of the log may be the cause, and
    how to repeat the run.
    """

    planned: Term
    rates: Sequence[DegradedRate]
    published: PublishedRange | None = None
    nics: int = 1
    queue_pair_hint: str | None = None


class ComputedBandwidth(NamedTuple):
    """A bandwidth by the time of its row in the unit of its measurement, and how much the true one may differ."""

    value: float
    rounding: float
    time: Measurement


class Limits(Protocol):
    """The limits of one run."""

    @property
    def thresholds(self) -> Thresholds:
        """Fractions of the limit that must be reached."""

    @property
    def reasons_above(self) -> tuple[str, ...]:
        """Likely reasons for a measurement above the physical limit, likeliest first."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the run for the reader."""

    @property
    def causes(self) -> tuple[str, ...]:
        """Causes of a loss that the log proves."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts of the plan whose settings the limits are computed from."""

    @property
    def link(self) -> Bandwidth | None:
        """Speed of the slowest NIC of these hosts."""

    def limit(self, measurement: Measurement) -> Limit:
        """The limits of one bandwidth."""

    def bandwidth_bound(self, measurement: Measurement, limit: Limit) -> str | None:
        """None if the transfer is long compared with the latency floor, else why it is not judged as bandwidth."""

    def minimum_latency(self, measurement: Measurement) -> Bound | None:
        """The minimum possible time in µs; None where the latency is not that of one message."""

    @property
    def fingerprints(self) -> Fingerprints | None:
        """Bandwidths that NICs have with a known loss; None where the limits are not those of NICs."""

    @property
    def highest_latency(self) -> Term | None:
        """The highest healthy time of the smallest operation in µs; None where none is known."""


@dataclass(frozen=True, slots=True)
class UnknownLimits:
    """The limits of a run for which none are known."""

    reason: str
    profile: Profile
    reasons_above: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())
    causes: tuple[str, ...] = field(default=())
    hosts: tuple[str, ...] = field(default=())
    link: Bandwidth | None = None
    highest_latency: Term | None = None
    fingerprints: Fingerprints | None = None

    @property
    def thresholds(self) -> Thresholds:
        """Never used: there is no limit to compare with."""
        return self.profile.fractions.rdma

    def limit(self, measurement: Measurement) -> Limit:
        """No limit, with the reason, for measurements that would be judged."""
        interval = " interval " in f" {measurement.label} "
        if interval or measurement.metric in (Metric.ALGBW, Metric.AVG_BUSBW, Metric.BW_PEAK):
            return Limit(skip_reason=self.reason)
        return Limit(unknown=self.reason)

    def bandwidth_bound(self, measurement: Measurement, limit: Limit) -> str | None:
        """Nothing is known of latency either."""
        return None

    def minimum_latency(self, measurement: Measurement) -> Bound | None:
        """Nothing is known of latency either."""
        return None
