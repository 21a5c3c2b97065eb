"""Figures of a lab compared with the baseline: two directly connected hosts of the lab, measured right before.

All hosts of a lab are one machine, and its cables are memory: no line rate, no PCIe and nothing else of the cluster
limits them, so none of these limits applies here. The other work of the machine limits them, so a figure above the
baseline is possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wirespeed.benchmarks.judge.limits import BANDWIDTHS, Fingerprints, Limit
from wirespeed.benchmarks.judge.profile import Profile, Thresholds, load_bundled_profile
from wirespeed.benchmarks.judge.runs import judge_with_limits
from wirespeed.benchmarks.tools.run_totals import find_total_labels
from wirespeed.results.benchmarks import Measurement, Run
from wirespeed.results.verdicts import Bound, JudgedRun, Term
from wirespeed.units import Bandwidth

PROFILE = "lab"
"""The profile with the fractions of the baseline that must be reached."""

_TERM = "baseline"
_SOURCE = "measured on this machine, right before"
_TCP = frozenset({"iperf3", "iperf2"})

_Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """The best bandwidths of both hosts, as printed, by tool, test and what else identifies a measurement.

    ``reference`` is set where figures are shown without judgement: for both hosts of the baseline, or without one.
    """

    best: Mapping[_Key, float]
    reference: bool = False


def figures(runs: Iterable[Run]) -> Figures:
    """The best figures of these runs."""
    best: dict[_Key, float] = {}
    for run in runs:
        for measurement in run.measurements if run.status.is_intact else ():
            if measurement.metric in BANDWIDTHS and measurement.value > 0:
                best[_make_key(run, measurement)] = max(measurement.value, best.get(_make_key(run, measurement), 0.0))
    return Figures(best)


def judge_direct(run: Run, figures: Figures, file: str, cluster: str) -> JudgedRun:
    """Judge one run of a lab."""
    profile = load_bundled_profile(PROFILE)
    return judge_with_limits(run, _Limits(run, figures, profile), profile, file, cluster)


@dataclass(frozen=True, slots=True)
class _Limits:
    run: Run
    figures: Figures
    profile: Profile
    reasons_above: tuple[str, ...] = ()
    notes: tuple[str, ...] = ("these values do not show how fast the cluster is",)
    causes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = field(default=())
    link: Bandwidth | None = None
    highest_latency: Term | None = None
    fingerprints: Fingerprints | None = None

    @property
    def thresholds(self) -> Thresholds:
        return self.profile.fractions.tcp

    def limit(self, measurement: Measurement) -> Limit:
        if self.figures.reference:
            return Limit(skip_reason="a lab has no limit for it")
        if self.run.tool in _TCP and measurement.label not in find_total_labels(self.run):
            return Limit(skip_reason="part of the run; the total is judged")
        best = self.figures.best.get(_make_key(self.run, measurement))
        if best is None:
            return Limit(unknown=f"{_TERM} gave no such figure")
        unit = measurement.unit
        term = Term(_TERM, best, unit, f"the best of their runs: {best:g} {unit}", _SOURCE)
        return Limit(reachable=Bound(best, unit, term.name, (term,)))

    def bandwidth_bound(self, measurement: Measurement, limit: Limit) -> str | None:
        return None

    def minimum_latency(self, measurement: Measurement) -> Bound | None:
        return None


def _make_key(run: Run, measurement: Measurement) -> _Key:
    return (run.tool, run.test, measurement.metric, measurement.unit, measurement.size_bytes, measurement.label)
