"""Select the runs of a relative gate by their NICs, their path, and what was measured at the same time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wirespeed.benchmarks.endpoints.members import MemberDirectory
from wirespeed.benchmarks.judge.gate_model import AtOnce, Path, Range, RelativeGate, Runs
from wirespeed.benchmarks.judge.retest import parse_step
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import PAIR_ARROW, Run
from wirespeed.results.parameters import Parameters, Scalar
from wirespeed.results.peers import Member
from wirespeed.results.series import read_ends
from wirespeed.results.verdicts import JudgedRun

_OVERLAP = 0.5
"""Fraction of the shorter of two runs by which they must overlap to be measured at once: connecting takes time."""

SELECTION_FIELDS = (
    "tools",
    "tests",
    "collective",
    "link",
    "memory",
    "bidirectional",
    "gpu",
    "hosts",
    "ranks",
    "connection_type",
    "sizes",
    "from_size",
)
VARIED_PARAMETERS = {
    "memory": ("memory", "send_memory", "receive_memory"),
    "bidirectional": ("bidirectional",),
    "hosts": ("nodes",),
    "connection_type": ("connection_type",),
}
"""Parameters of logs by the field of a gate that varies them."""


@dataclass(frozen=True, slots=True)
class RunEnds:
    """The ends of a run; None where they are unknown."""

    source: Member | None = None
    target: Member | None = None
    path: Path | None = None
    at_once: AtOnce | None = None

    @property
    def ends(self) -> str | None:
        """Both ends."""
        return f"{self.source.name}{PAIR_ARROW}{self.target.name}" if self.source and self.target else None

    @property
    def pair(self) -> frozenset[str] | None:
        """Both NICs, in either order."""
        has_both_devices = self.source and self.target and self.source.device and self.target.device
        return (
            frozenset((self.source.name, self.target.name))
            if has_both_devices and self.source and self.target
            else None
        )

    @property
    def hosts(self) -> frozenset[str] | None:
        """Both hosts."""
        return frozenset((self.source.host, self.target.host)) if self.source and self.target else None

    @property
    def rail(self) -> int | None:
        """The rail of both NICs; None if their rails differ."""
        is_same_rail = self.source and self.target and self.source.rail == self.target.rail
        return self.source.rail if is_same_rail and self.source else None


_TimedRun = tuple[JudgedRun, Run, tuple[float, float] | None]


def find_run_ends(runs: Sequence[_TimedRun], plan: Plan) -> list[RunEnds]:
    """Find the ends of each run: from the user or the campaign, else from the addresses in its log."""
    directory = MemberDirectory(plan)
    ends_of_runs = [_run_ends(judged, run, directory) for judged, run, _ in runs]
    return _add_concurrent_runs(ends_of_runs, [span for _, _, span in runs], plan)


def _run_ends(judged: JudgedRun, run: Run, directory: MemberDirectory) -> RunEnds:
    near, far = judged.source, judged.target
    if near is None or far is None:
        near, _, far = (read_ends(run) or "").partition(PAIR_ARROW)
    if not near or not far:
        return RunEnds()
    source, target = directory.member(near), directory.member(far)
    if not directory.is_planned(source) or not directory.is_planned(target):
        return RunEnds()
    return RunEnds(source, target, _find_path(source, target))


def _find_path(source: Member, target: Member) -> Path | None:
    if source.leaf is None or target.leaf is None or source.host == target.host:
        return None
    return Path.SAME_LEAF if source.leaf == target.leaf else Path.BETWEEN_LEAVES


def _add_concurrent_runs(
    ends_of_runs: list[RunEnds], spans: Sequence[tuple[float, float] | None], plan: Plan
) -> list[RunEnds]:
    """Add to each run what was measured at the same time; runs without times stay as they are."""
    rails = {
        host: len({nic.rail for nic in host_settings.nics.values() if nic.rail is not None})
        for host, host_settings in plan.hosts.items()
    }
    of_host: dict[str, list[tuple[float, float, RunEnds]]] = {}
    for run_ends, span in zip(ends_of_runs, spans, strict=True):
        if span is not None:
            for host in run_ends.hosts or ():
                of_host.setdefault(host, []).append((*span, run_ends))
    for timed in of_host.values():
        timed.sort(key=lambda run: run[:2])
    longest = max((span[1] - span[0] for span in spans if span is not None), default=0.0)
    return [
        run_ends
        if span is None
        else replace(run_ends, at_once=_find_concurrent_runs(run_ends, span, of_host, longest, rails))
        for run_ends, span in zip(ends_of_runs, spans, strict=True)
    ]


def _find_concurrent_runs(
    ends_of_run: RunEnds,
    span: tuple[float, float],
    of_host: Mapping[str, list[tuple[float, float, RunEnds]]],
    longest: float,
    rails: Mapping[str, int],
) -> AtOnce | None:
    """Which rails of the same hosts were measured at that time; None if it was neither this one only nor all."""
    hosts = ends_of_run.hosts or frozenset()
    rails_by_hosts: dict[frozenset[str] | None, set[int | None]] = {}
    count = 0
    for host in hosts:
        timed = of_host[host]
        first = bisect_left(timed, span[0] - longest, key=lambda run: run[0])
        for start, end, other_run in timed[first : bisect_right(timed, span[1], key=lambda run: run[0])]:
            if _is_overlapping(span, (start, end)):
                rails_by_hosts.setdefault(other_run.hosts, set()).add(other_run.rail)
                count += 1
    if count == len(hosts):
        return AtOnce.ALONE  # the run itself, seen from each of its hosts
    if set(rails_by_hosts) != {hosts}:
        return None
    return AtOnce.RAILS if len(rails_by_hosts[hosts] - {None}) == max(rails.get(host, 0) for host in hosts) else None


def _is_overlapping(a: tuple[float, float], b: tuple[float, float]) -> bool:
    common = min(a[1], b[1]) - max(a[0], b[0])
    return common >= _OVERLAP * min(a[1] - a[0], b[1] - b[0])


def is_last_attempt(files: Sequence[str]) -> list[bool]:
    """Whether each is the last attempt of its step: a step that was bad once and then good is good."""
    last = {step: position for position, file in enumerate(files) if (step := parse_step(file)) is not None}
    attempt = {step: files[position] for step, position in last.items()}
    return [(step := parse_step(file)) is None or attempt[step] == file for file in files]


def matches_side(side: Runs, parameters: Parameters, ends: RunEnds) -> bool:
    """Whether a run belongs to a side: its path, what was measured at the same time, and the parameters of its log.

    Names of parameters are from the profile; `Runs` refuses a name that is no field of `Parameters`.
    """
    stated = parameters.to_dict() if side.parameters else {}
    return (
        side.path in (None, ends.path)
        and side.at_once in (None, ends.at_once)
        and all(_matches_value(stated.get(name), wanted) for name, wanted in side.parameters.items())
    )


def _matches_value(value: Scalar, wanted: Range | Scalar) -> bool:
    if value is None:
        return False
    if not isinstance(wanted, Range):
        return value == wanted or str(value).lower() == str(wanted).lower()
    if isinstance(value, str | bool):
        return False
    return (wanted.at_least is None or value >= wanted.at_least) and (wanted.at_most is None or value <= wanted.at_most)


def gate_differences(gate: RelativeGate) -> frozenset[str]:
    """The fields in which the sides of a gate differ; the two of sizes count as one."""
    if gate.to is None:
        return frozenset()
    measured, baseline = dict(gate.of), dict(gate.to)
    names = {name for name in SELECTION_FIELDS if measured[name] != baseline[name]}
    return frozenset("sizes" if name == "from_size" else name for name in names)


def list_varied_parameters(gate: RelativeGate, differing: frozenset[str]) -> frozenset[str]:
    """The parameters of logs that a gate varies."""
    parameters = {*gate.of.parameters, *(gate.to.parameters if gate.to else ())} if gate.to else set()
    return frozenset(parameters | {name for field in differing for name in VARIED_PARAMETERS.get(field, ())})


def describe_side(gate: RelativeGate, side: Runs) -> str:
    """Describe how a side differs from the other: ``between-leaves``, ``qps 1``, ``from gpu memory``."""
    if gate.to is None:
        return ""
    baseline = gate.to if side is gate.of else gate.of
    parts = []
    if side.path not in (None, baseline.path):
        parts.append(str(side.path))
    if side.at_once not in (None, baseline.at_once):
        parts.append(str(side.at_once))
    selected, reference = dict(side), dict(baseline)
    parts += [
        f"{name} {_format_value(selected[name])}"
        for name in SELECTION_FIELDS
        if selected[name] not in (None, [], reference[name])
    ]
    parts += [
        f"{name} {_format_value(value)}"
        for name, value in side.parameters.items()
        if baseline.parameters.get(name) != value
    ]
    return ", ".join(parts) or "any"


def _format_value(value: object) -> str:
    if isinstance(value, Range):
        minimum = f"from {value.at_least:g}" if value.at_least is not None else ""
        maximum = f"up to {value.at_most:g}" if value.at_most is not None else ""
        return " ".join(filter(None, (minimum, maximum)))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
