"""Apply the relative gates of a profile, which compare runs with each other, to all runs that are judged together.

A gate without a matching run gives no result. Runs that match and have no baseline, or whose NICs are not known, are
unknown, never good.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from wirespeed.benchmarks.endpoints.members import natural
from wirespeed.benchmarks.judge.gate_model import CommonEnd, RelativeGate, Runs, Statistic
from wirespeed.benchmarks.judge.gates import Subject, applies_to_run, measures
from wirespeed.benchmarks.judge.profile import Profile
from wirespeed.benchmarks.judge.relation_runs import (
    RunEnds,
    describe_side,
    find_run_ends,
    gate_differences,
    is_last_attempt,
    list_varied_parameters,
    matches_side,
)
from wirespeed.benchmarks.logs.numbers import SECONDS
from wirespeed.limits.bound import convert, number
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.series import workload
from wirespeed.results.verdicts import SEVERITY_ORDER, JudgedRun, Judgement, Relation, Side
from wirespeed.units import format_percent, format_unit

_NUMBERS: Mapping[Statistic, Callable[[Sequence[float]], float]] = {
    Statistic.MEDIAN: statistics.median,
    Statistic.MEAN: statistics.fmean,
    Statistic.SUM: sum,
    Statistic.MIN: min,
    Statistic.MAX: max,
    Statistic.SPREAD: lambda values: statistics.stdev(values) / statistics.fmean(values),
}
_OF_ALL = (Statistic.MEAN, Statistic.SUM)
"""Statistics that change their meaning where one run gave no value."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A judged run, its properties by which gates select runs, and its start and end in seconds."""

    run: Run
    judged: JudgedRun
    subject: Subject
    span: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class _Value:
    """A measurement that belongs to a group, in the group's unit."""

    value: float
    unit: str
    file: str
    line: int
    ends: RunEnds


@dataclass(slots=True)
class _Group:
    """Comparable measurements of both sides."""

    test: str
    metric: Metric
    size_bytes: int | None
    ends: str | None
    of: list[_Value] = field(default_factory=list)
    to: list[_Value] = field(default_factory=list)
    nowhere_of: int = 0  # measurements between unknown NICs
    nowhere_to: int = 0
    failed: int = 0  # runs of the kind that gave no figure


def relations(entries: Sequence[Entry], plan: Plan, profile: Profile) -> tuple[Relation, ...]:
    """One result per relative gate and test: the worst of several comparisons."""
    ends_of_entries = find_run_ends([(entry.judged, entry.run, entry.span) for entry in entries], plan)
    last = is_last_attempt([entry.judged.file for entry in entries])
    results: list[Relation] = []
    for gate in profile.relative_gates:
        matched = [
            (entry, ends)
            for number_of, (entry, ends) in enumerate(zip(entries, ends_of_entries, strict=True))
            if last[number_of] or gate.statistic is Statistic.SPREAD
        ]
        by_test: dict[object, list[Relation]] = {}
        for key, group in _group_measurements(gate, matched).items():
            relation = _apply_gate(gate, group)
            if relation is not None:
                test = key[1 + len(gate.same) : -1 if _compares_labels(gate) else None]
                by_test.setdefault(test, []).append(relation)
        results += [_select_worst(gate, relations_of_test) for relations_of_test in by_test.values()]
    return tuple(results)


def _compares_labels(gate: RelativeGate) -> bool:
    """Whether a gate compares each label that it selects with itself: ``GPU* -> GPU*``, each pair of GPUs."""
    return gate.of.label is not None and "*" in gate.of.label


def list_missing_tools(
    entries: Sequence[Entry], plan: Plan, profile: Profile, compared: Sequence[Relation]
) -> list[tuple[str, str]]:
    """Files of one side of a gate that compares two tools, and which log they lack, where no run was compared."""
    ends_of_entries = find_run_ends([(entry.judged, entry.run, entry.span) for entry in entries], plan)
    hints: dict[tuple[str, str], None] = {}
    for gate in profile.relative_gates:
        if gate.to is None or gate.to.tools == gate.of.tools or gate.name in {result.name for result in compared}:
            continue
        for side, counterpart in ((gate.of, gate.to), (gate.to, gate.of)):
            tests = " or ".join(counterpart.tests or counterpart.tools)
            text = f"gate {gate.name} compares this run with {tests}: add its log of the same hosts"
            for entry, ends in zip(entries, ends_of_entries, strict=True):
                if entry.run.status.is_intact and _is_of_side(side, entry, ends):
                    hints[entry.judged.file, text] = None
    return list(hints)


def _group_measurements(
    gate: RelativeGate, entries: Iterable[tuple[Entry, RunEnds]]
) -> dict[tuple[object, ...], _Group]:
    """Group comparable measurements by size, ends of their runs, and all other values that both sides share."""
    groups: dict[tuple[object, ...], _Group] = {}
    unlike = gate_differences(gate)
    failed: list[tuple[object, ...]] = []
    for entry, ends in entries:
        shared = tuple(_common_end(kind, ends) for kind in gate.same)
        if entry.run.status is RunStatus.FAILED:
            failed += [shared] if _is_intended_for_side(gate.of, entry, ends) else []
            continue
        sides = [name for name, side in (("of", gate.of), ("to", gate.to)) if side and _is_of_side(side, entry, ends)]
        of_run = (*shared, *_comparison_key(entry, unlike, gate))
        for measurement in entry.run.measurements:
            for name in sides:
                side = gate.of if name == "of" or gate.to is None else gate.to
                if measures(side, measurement):
                    size = None if "sizes" in unlike else measurement.size_bytes
                    common_ends = measurement.label if _compares_labels(gate) else _format_common_ends(shared)
                    group = groups.setdefault(
                        (size, *of_run, measurement.label),
                        _Group(_describe_test(entry, unlike, gate), measurement.metric, size, common_ends),
                    )
                    _add_measurement(group, name, entry, measurement, ends, has_known_ends=None not in shared)
    for shared in failed:
        for key, group in groups.items():
            group.failed += key[1 : 1 + len(shared)] == shared
    return groups


def _add_measurement(
    group: _Group, side: str, entry: Entry, measurement: Measurement, ends: RunEnds, *, has_known_ends: bool
) -> None:
    if not has_known_ends:
        group.nowhere_of += side == "of"
        group.nowhere_to += side == "to"
        return
    values = group.of if side == "of" else group.to
    unit = next((value.unit for value in (*group.of, *group.to)), measurement.unit)
    values.append(
        _Value(
            _convert_value(float(measurement.value), measurement.unit, unit),
            unit,
            entry.judged.file,
            measurement.line,
            ends,
        )
    )


def _convert_value(value: float, unit: str, wanted: str) -> float:
    if unit == wanted:
        return value
    return value * SECONDS[unit] / SECONDS[wanted] if unit in SECONDS else convert(value, unit, wanted)


def _is_of_side(side: Runs, entry: Entry, ends: RunEnds) -> bool:
    return applies_to_run(side, entry.subject) and matches_side(side, entry.run.parameters, ends)


def _is_intended_for_side(side: Runs, entry: Entry, ends: RunEnds) -> bool:
    """Whether a run that failed was meant for a side: if it printed nothing, its program is the test."""
    is_same_kind = applies_to_run(side, entry.subject) or entry.run.tool in side.tests
    return is_same_kind and matches_side(side, entry.run.parameters, ends)


def _comparison_key(entry: Entry, unlike: frozenset[str], gate: RelativeGate) -> tuple[object, ...]:
    """Values that both sides must share: test, hardware and identity parameters, except those that the gate varies.

    Logs of two tools state different parameters: they share the kind of memory, and what the gate requires of each.
    """
    subject = entry.subject
    if "tools" in unlike:
        return (subject.memory == "gpu",)
    named = {
        "tests": subject.test,
        "collective": subject.collective,
        "link": subject.link,
        "memory": subject.memory,
        "bidirectional": subject.bidirectional,
        "hosts": subject.hosts,
        "ranks": subject.ranks,
        "connection_type": subject.connection_type,
    }
    common_values = tuple(None if name in unlike else value for name, value in named.items())
    traffic = tuple(
        pair for pair in workload(entry.run.parameters) if pair[0] not in list_varied_parameters(gate, unlike)
    )
    return (subject.tool, *common_values, traffic)


def _describe_test(entry: Entry, unlike: frozenset[str], gate: RelativeGate) -> str:
    if "tools" in unlike and gate.to is not None:
        return " and ".join(", ".join(side.tests or side.tools) for side in (gate.of, gate.to))
    return entry.run.tool if "tests" in unlike else entry.run.test or entry.run.tool


def _common_end(kind: CommonEnd, ends: RunEnds) -> object | None:
    match kind:
        case CommonEnd.PAIR:
            return ends.pair
        case CommonEnd.HOSTS:
            return ends.hosts
        case CommonEnd.RAIL:
            return ends.rail


def _format_common_ends(shared: Sequence[object]) -> str | None:
    """Format the ends that runs share as text."""
    names = [
        ", ".join(sorted(end, key=natural)) if isinstance(end, frozenset) else f"rail {end}"
        for end in shared
        if end is not None
    ]
    return "; ".join(names) or None


def _apply_gate(gate: RelativeGate, group: _Group) -> Relation | None:
    """The result of a gate for one group; None if nothing of the kind was measured."""
    if not group.of and not group.nowhere_of:
        return None
    if gate.to is None and len(group.of) < gate.runs:
        return None  # a gate on repeatability applies from this number of runs
    measured = _summarize_side(gate, gate.of, gate.statistic, group.of, group.nowhere_of)
    reference = _summarize_side(gate, gate.to, gate.baseline, group.to, group.nowhere_to) if gate.to else None
    reason = _find_unknown_reason(gate, group, measured, reference)
    if reason is not None:
        return _build_relation(gate, group, measured, reference, Judgement.UNKNOWN, None, reason)
    value = _compute_value(gate, measured, reference)
    judgement = _judge_value(gate, value)
    reason = _format_reason(gate, measured, reference, value)
    if value < 0 and _adds_a_layer(gate):
        judgement = Judgement.UNKNOWN
        reason = f"{reason}; a negative difference: the two logs may be of different hosts or settings"
    return _build_relation(gate, group, measured, reference, judgement, value, reason)


def _adds_a_layer(gate: RelativeGate) -> bool:
    """Whether a gate compares the latency of one tool with that of another below it, which cannot be higher."""
    return gate.to is not None and gate.to.tools != gate.of.tools and gate.unit in SECONDS and gate.at_most is not None


_NOWHERE = "the NICs of these runs are not known: name them with --from and --to, or judge a folder of bench run"


def _find_unknown_reason(gate: RelativeGate, group: _Group, measured: Side, reference: Side | None) -> str | None:
    """Why the result is unknown; None if it is known."""
    hint = f"; {gate.measure}" if gate.measure else ""
    if not group.of:
        return _NOWHERE
    if group.failed and gate.statistic in _OF_ALL:
        return f"{group.failed} of {len(group.of) + group.failed} runs gave no value"
    if reference is not None and not group.to:
        return f"nothing to compare with: no comparable run {reference.condition}{hint}"
    for side in (measured, *([reference] if reference else [])):
        if side.count < gate.runs:
            return f"{side.count} measurements {side.condition} of the {gate.runs} it takes{hint}".replace("  ", " ")
    divisor = statistics.fmean([value.value for value in group.of]) if reference is None else reference.value
    return None if divisor else "a value of 0 cannot be compared"


def _compute_value(gate: RelativeGate, measured: Side, reference: Side | None) -> float:
    assert measured.value is not None
    if reference is None or reference.value is None:
        return measured.value
    if gate.unit is None:
        return measured.value / reference.value
    return _convert_value(measured.value - reference.value, measured.unit, gate.unit)


def _judge_value(gate: RelativeGate, value: float) -> Judgement:
    if gate.at_least is not None:
        reached, near = value >= gate.at_least, value >= gate.at_least * (1 - gate.tolerance)
    else:
        maximum = gate.at_most or 0.0
        reached, near = value <= maximum, value <= maximum * (1 + gate.tolerance)
    if reached:
        return Judgement.PASS
    return Judgement.WARN if near or gate.severity == "warn" else Judgement.FAIL


def _summarize_side(
    gate: RelativeGate, runs: Runs, statistic: Statistic, values: Sequence[_Value], nowhere: int
) -> Side:
    description = describe_side(gate, runs)
    unit = values[0].unit if values else ""
    if not values or (statistic is Statistic.SPREAD and len(values) < 2):
        return Side(description, statistic.value, len(values) or nowhere, None, unit)
    numbers = [value.value for value in values]
    if statistic is Statistic.SPREAD and not statistics.fmean(numbers):
        return Side(description, statistic.value, len(values), None, unit)
    standing = _NUMBERS[statistic](numbers)
    side = Side(description, statistic.value, len(values), standing, unit)
    if statistic not in _SINGLE_VALUE_STATISTICS and len(values) > 1:
        return side
    value = next(value for value in values if value.value == standing)
    return replace(side, file=value.file, line=value.line, ends=value.ends.ends)


_SINGLE_VALUE_STATISTICS = (Statistic.MIN, Statistic.MAX)


def _format_reason(gate: RelativeGate, measured: Side, reference: Side | None, value: float) -> str:
    required = _format_requirement(gate)
    if reference is None or reference.value is None or measured.value is None:
        return f"{measured.count} measurements spread by {format_percent(value)} of their mean; {required}"
    sides = f"{_format_side(measured)} to {_format_side(reference)}"
    if gate.unit is None:
        return f"{sides}: {format_percent(value)}; {required}"
    return f"{sides}: {number(value)} {format_unit(gate.unit)} more; {required}"


def _format_side(side: Side) -> str:
    """``391.2 Gb/s between-leaves (min of 4)``."""
    source_text = f"{side.statistic} of {side.count}" if side.count > 1 else side.ends or "1 measurement"
    value = 0.0 if side.value is None else side.value
    return " ".join(filter(None, (number(value), format_unit(side.unit), side.condition, f"({source_text})")))


def _format_requirement(gate: RelativeGate) -> str:
    bound = gate.at_least if gate.at_least is not None else gate.at_most or 0.0
    relation = "at least" if gate.at_least is not None else "at most"
    limit = f"{number(bound)} {format_unit(gate.unit)}" if gate.unit else format_percent(bound)
    return f"{relation} {limit} is required ({gate.source})"


def _build_relation(
    gate: RelativeGate,
    group: _Group,
    measured: Side,
    reference: Side | None,
    judgement: Judgement,
    value: float | None,
    reason: str,
) -> Relation:
    return Relation(
        name=gate.name,
        judgement=judgement,
        reason=reason,
        test=group.test,
        metric=group.metric,
        size_bytes=group.size_bytes,
        ends=group.ends,
        of=measured,
        to=reference,
        value=value,
        unit=gate.unit,
        at_least=gate.at_least,
        at_most=gate.at_most,
        source=gate.source,
    )


def _select_worst(gate: RelativeGate, relations_of_gate: Sequence[Relation]) -> Relation:
    sign = 1 if gate.at_least is not None else -1
    worst = min(
        relations_of_gate,
        key=lambda relation: (
            SEVERITY_ORDER.index(relation.judgement),
            sign * (relation.value or 0.0),
            -(relation.size_bytes or 0),
        ),
    )
    return replace(
        worst,
        compared=len(relations_of_gate),
        passed=sum(relation.judgement is Judgement.PASS for relation in relations_of_gate),
    )
