"""Text about a judged run, for all formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from wirespeed.report import wording
from wirespeed.results.benchmarks import RunStatus
from wirespeed.results.verdicts import Bottleneck, Bound, JudgedRun, Judgement, Relation, Verdict

ENDED_EARLY = "the log ends before the run does"
"""Why a run is not complete, if the tool does not report it."""
NO_BANDWIDTH = "the log contains no bandwidth to judge"
"""Why a complete run has no verdict."""


def overall_verdict(judged: Sequence[JudgedRun], relations: Sequence[Relation], verdict: Judgement) -> str:
    """The last line of a judgement: the overall verdict, and the number of measurements per verdict."""
    counts = count_verdicts(judged)
    parts = []
    decided = [kind for kind in (Judgement.FAIL, Judgement.WARN, Judgement.PASS) if counts[kind]]
    if decided:
        counts_text = ", ".join(f"{counts[kind]:,} {kind.value}" for kind in decided)
        total = sum(counts[kind] for kind in decided)
        parts.append(f"{counts_text} of {wording.plural(total, 'judged measurement')}{_format_failed_tests(judged)}")
    if counts[Judgement.UNKNOWN]:
        parts.append(f"{wording.plural(counts[Judgement.UNKNOWN], 'measurement')} could not be judged")
    parts += count_incomplete(judged)
    if counts and (unjudged := sum(is_without_verdict(run) for run in judged)):
        parts.append(f"{wording.plural(unjudged, 'run')} without a bandwidth to judge")
    is_compared = any(relation.judgement is not Judgement.UNKNOWN for relation in relations)
    if counts[Judgement.SKIP] == counts.total() > 0:
        parts.append("no run is judged alone" if is_compared else "nothing is judged")
    if counts[Judgement.SKIP]:
        parts.append(f"{counts[Judgement.SKIP]:,} not judged (no verdict)")
    elif not counts:
        parts.append("no run is judged alone" if is_compared else "nothing to judge")
    outcomes = Counter(relation.judgement for relation in relations)
    if outcomes:
        compared = ", ".join(f"{count} {kind.value}" for kind, count in outcomes.items())
        parts.append(f"comparisons of runs: {compared}")
    return f"{verdict.value.upper()}: {'; '.join(parts)}"


def count_verdicts(judged: Iterable[JudgedRun]) -> Counter[Judgement]:
    """Verdicts by judgement. Of a run with verdicts, values that are not judged count where others of their metric are.

    The times and peaks beside judged bandwidths are of the same messages, so they are not counted again. A row of a
    pattern without a judged value, as GPCNet prints them, counts.
    """
    counts: Counter[Judgement] = Counter()
    for run in judged:
        metrics = {verdict.measurement.metric for verdict in run.verdicts if verdict.judgement is not Judgement.SKIP}
        labels = {verdict.measurement.label for verdict in run.verdicts if verdict.measurement.metric in metrics} | {
            None
        }
        counts.update(
            verdict.judgement
            for verdict in run.verdicts
            if not metrics or verdict.measurement.metric in metrics or verdict.measurement.label not in labels
        )
    return counts


def name_run(run: JudgedRun, arrow: str = "→") -> str:
    """The title of a run with its NICs, as far as they are named."""
    ends = format_ends(run, arrow)
    return f"{run.title}, {ends}" if ends else run.title


def format_ends(run: JudgedRun, arrow: str = "→") -> str:
    """``node1:bnxt_re0 → node2:bnxt_re4``; ``from node1:bnxt_re0`` if only this end is named; empty for none."""
    if run.source and run.target:
        return f"{run.source} {arrow} {run.target}"
    return f"from {run.source}" if run.source else f"to {run.target}" if run.target else ""


def format_fatal_error(run: JudgedRun, arrow: str = "→") -> str | None:
    """The first fatal error of NCCL or RCCL: its ends, its line, and its text unless the run's error contains it."""
    error = run.fatal_error
    if error is None:
        return None
    ends = f"{error.source} {arrow} {error.target}" if error.target else error.source
    text = "" if run.error and error.text in run.error else f": {error.text}"
    return f"{ends} ({run.file}:{error.line}){text}"


def format_bottlenecks(run: JudgedRun) -> str:
    """``2 of 8 NICs on node1 (NCCL-02; reachable limit 97.04 GB/s), no GPUDirect RDMA between hosts``, or nothing."""
    return ", ".join(map(_format_bottleneck, run.bottlenecks))


def describe_causes(run: JudgedRun) -> str:
    """Whether the log proves the causes of a run, or they are likely ones."""
    proven = sum(failure in run.proven_failures for failure in run.failures)
    if proven == 0:
        return "likely, most likely first"
    if proven == len(run.failures):
        return "proven by the log"
    return f"the first {proven if proven > 1 else 'one'} proven by the log, the others likely"


def _format_bottleneck(bottleneck: Bottleneck) -> str:
    limit = bottleneck.limit
    reachable = f"reachable limit {wording.quantity(limit.value, limit.unit)}" if limit else ""
    details = "; ".join(filter(None, (" ".join(bottleneck.failures), reachable)))
    return f"{bottleneck.name} ({details})" if details else bottleneck.name


def is_without_verdict(run: JudgedRun) -> bool:
    """Whether a run ended well and nothing in its log can be judged."""
    return run.status.is_intact and not run.verdicts


def count_incomplete(judged: Sequence[JudgedRun]) -> list[str]:
    """``1 run failed``, ``2 runs truncated``: runs that did not end well, by status."""
    counts = Counter(run.status for run in judged)
    statuses = [status for status in (RunStatus.FAILED, RunStatus.TRUNCATED) if counts[status]]
    return [f"{wording.plural(counts[status], 'run')} {status.value}" for status in statuses]


def _format_failed_tests(judged: Sequence[JudgedRun]) -> str:
    """`` (fail: sendrecv, gather)``: the tests with failed measurements, if there are several runs."""
    failed = [run for run in judged if any(result.judgement is Judgement.FAIL for result in run.verdicts)]
    names = list(dict.fromkeys(run.test or run.tool for run in failed))
    if len(judged) < 2 or not names:
        return ""
    further_tests = f" and {len(names) - _TESTS_NAMED} more" if len(names) > _TESTS_NAMED else ""
    return f" (fail: {', '.join(names[:_TESTS_NAMED])}{further_tests})"


_TESTS_NAMED = 4


def assumptions(run: JudgedRun) -> tuple[str, ...]:
    """Every assumption behind the limits of a run, each once."""
    bounds = [bound for verdict in run.verdicts for bound in (verdict.physical, verdict.reachable) if bound]
    return tuple(dict.fromkeys(text for bound in bounds for text in bound.assumptions))


def find_limiting_term(verdict: Verdict) -> str:
    """The limiting term of the reachable limit, or of the physical one if no reachable one is known."""
    bound = verdict.reachable or verdict.physical
    return bound.bottleneck if bound else ""


def find_physical_term(verdict: Verdict) -> str:
    """The limiting term of the physical limit."""
    return verdict.physical.bottleneck if verdict.physical else ""


def gate(verdict: Verdict) -> float | None:
    """The number that a profile's gate requires."""
    gate = verdict.gate
    return None if gate is None else gate.at_least if gate.at_least is not None else gate.at_most


def format_gate(verdict: Verdict) -> str:
    """The requirement of a gate, ``≥ 390 Gb/s``; empty without a gate."""
    required = gate(verdict)
    if verdict.gate is None or required is None:
        return ""
    return f"{'≥' if verdict.gate.at_least is not None else '≤'} {wording.quantity(required, verdict.gate.unit)}"


def bounds(run: JudgedRun) -> tuple[tuple[str, Bound], ...]:
    """Both limits at the largest message, with their terms; judged measurements are preferred."""

    def build_order(verdict: Verdict) -> tuple[bool, int]:
        return verdict.judgement is Judgement.SKIP, -(verdict.measurement.size_bytes or 0)

    for verdict in sorted(run.verdicts, key=build_order):
        if verdict.physical or verdict.reachable:
            pair = (("physical", verdict.physical), ("reachable", verdict.reachable))
            return tuple((kind, bound) for kind, bound in pair if bound is not None)
    return ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Measurements with the same judgement and reason."""

    judgement: Judgement
    reason: str
    sizes: str  # such as "64 MiB to 1 GiB, 4 GiB"; empty without sizes
    count: int


def list_outcomes(run: JudgedRun) -> tuple[Outcome, ...]:
    """The judgements of a run with their reasons, each once; the lowest fraction of a limit for those that pass."""
    grouped: dict[tuple[Judgement, str], list[Verdict]] = {}
    for verdict in run.verdicts:
        if verdict.judgement is not Judgement.SKIP:
            grouped.setdefault((verdict.judgement, verdict.reason), []).append(verdict)
    return tuple(
        Outcome(judgement, f"{reason}{_format_lowest(verdicts)}", format_sizes(run, verdicts), len(verdicts))
        for (judgement, reason), verdicts in grouped.items()
    )


def _format_lowest(verdicts: Sequence[Verdict]) -> str:
    if verdicts[0].judgement is not Judgement.PASS or verdicts[0].gate is not None:
        return ""
    fractions = [
        verdict.fraction_of_physical if verdict.reachable is None else verdict.fraction_of_reachable
        for verdict in verdicts
    ]
    lowest = min((fraction for fraction in fractions if fraction is not None), default=None)
    return "" if lowest is None else f" (lowest measured: {wording.percent(lowest)})"


def format_sizes(run: JudgedRun, verdicts: Iterable[Verdict]) -> str:
    """The message sizes of some measurements of a run: ``64 MiB to 1 GiB, 4 GiB``; empty without sizes."""
    every = sorted({verdict.measurement.size_bytes or 0 for verdict in run.verdicts})
    chosen = {verdict.measurement.size_bytes or 0 for verdict in verdicts}
    if 0 in chosen or len(every) < 2:
        return ""
    ranges = [list(sizes) for is_chosen, sizes in groupby(every, key=lambda size: size in chosen) if is_chosen]
    return ", ".join(
        wording.size(sizes[0]) if len(sizes) == 1 else f"{wording.size(sizes[0])} to {wording.size(sizes[-1])}"
        for sizes in ranges
    )
