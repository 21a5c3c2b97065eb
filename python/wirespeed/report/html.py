"""A report as one HTML file, which needs no network and no other file, and can be read without scripts.

Styles and scripts are allowed only by their hash: a browser never runs text that a device printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment
from markupsafe import Markup

from wirespeed.report import (
    campaign_comparison,
    change_chart,
    chart,
    device_matrix,
    document,
    health,
    heatmap,
    history_chart,
    peers,
    picture,
    ranking,
    relations,
    runs,
    wording,
)
from wirespeed.report.ranking import Group
from wirespeed.report.runs import count_verdicts
from wirespeed.results.benchmarks import RunStatus
from wirespeed.results.campaign_history import Difference
from wirespeed.results.findings import Finding, Status
from wirespeed.results.peers import Cell, Matrix, Suspect
from wirespeed.results.report import Report
from wirespeed.results.verdicts import JudgedRun, Judgement, Verdict

_MARKS = {"pass": "✓", "warn": "!", "fail": "✕", "unknown": "?", "error": "⚠", "skip": "–", "none": "·"}
"""A sign per status in addition to its word and colour."""


_MEANINGS = {
    "fail": "not as required",
    "warn": "may be wrong",
    "unknown": "could not be determined",
    "error": "the check stopped with an error",
    "pass": "as required",
    "skip": "no verdict: not planned, not judged, or on a device that is absent (its absence is another finding)",
}
"""The meaning of each status, in the order of the table of statuses."""

_MOST_ROWS = 2000
"""Maximum rows of a table below a picture: browsers become slow with more, and the JSON contains all."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step to take, with its commands by the devices that need these."""

    sentence: str
    consequence: str | None
    commands: Mapping[str, tuple[tuple[str, ...], ...]]


@dataclass(frozen=True, slots=True)
class StatusRow:
    """The number of results of each status; ``section`` has the results. A status that they cannot have is missing."""

    name: str
    unit: str
    section: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A benchmark that failed: its name, the reason, the line of its log, and the commands that repeat it."""

    title: str
    reason: str
    location: str
    repeat: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a check passed and was skipped, with the reasons."""

    check: str
    passed: int
    skipped: int
    reasons: tuple[str, ...]


def page(report: Report, titles: Mapping[str, str] | None = None) -> str:
    """The HTML document. The same report gives the same bytes.

    ``titles`` are those of the failure catalogue, by id.
    """
    environment = _create_environment()
    style, script = document.source("style.css"), document.source("script.js")
    return environment.get_template("report.html.j2").render(
        report=report,
        style=Markup(style),
        script=Markup(script),
        style_hash=document.policy(style),
        script_hash=document.policy(script),
        counts=ranking.counts(report.findings),
        shown=ranking.LISTED,
        verdict=verdict(report),
        first=ranking.rank_first_steps(report.findings),
        warned=ranking.rank_first_steps(report.findings, Status.WARN),
        groups=ranking.merge_findings(report.findings),
        tallies=tallies(report.findings),
        picture=picture.draw(report.topology, report.findings),
        cables=health.cables(report.topology, report.findings),
        judgements=_count_judgements(report.runs),
        status_rows=status_rows(report),
        failed_runs=list_failed_runs(report),
        suspects=suspects(report),
        titles=titles or {},
    )


def verdict(report: Report) -> tuple[Status | None, str]:
    """The overall result in one sentence, and its status."""
    failed = _list_failures(report)
    if failed:
        return Status.FAIL, "; ".join(failed)
    unsure = _count_subjects(report, (Status.UNKNOWN, Status.ERROR), Judgement.UNKNOWN)
    unsure += _count_runs(report.runs, RunStatus.TRUNCATED)
    sentences = [f"{', '.join(unsure)} unknown"] if unsure else []
    if unconfirmed := sum(not suspect.confirmed for suspect, _ in suspects(report)):
        sentences.append(f"{wording.plural(unconfirmed, 'suspect')} to measure again")
    if sentences:
        return Status.UNKNOWN, "; ".join(("Nothing failed", *sentences))
    if warned := _count_subjects(report, (Status.WARN,), Judgement.WARN):
        return Status.WARN, f"Nothing failed; warnings: {', '.join(warned)}"
    if passed := _count_subjects(report, (Status.PASS,), Judgement.PASS):
        return Status.PASS, f"Everything passed: {', '.join(passed)}"
    return None, "Nothing was checked"


def _list_failures(report: Report) -> list[str]:
    """Numbers of results that failed, got worse or were confirmed as slow."""
    failed = _count_subjects(report, (Status.FAIL,), Judgement.FAIL) + _count_runs(report.runs, RunStatus.FAILED)
    sentences = [f"{subject} failed" for subject in failed]
    worse = sum(row.difference is Difference.WORSE for comparison in report.comparisons for row in comparison.series)
    if worse:
        sentences.append(f"{wording.plural(worse, 'series', 'series')} worse")
    if slow := sum(suspect.confirmed for suspect, _ in suspects(report)):
        sentences.append(f"{wording.plural(slow, 'suspect')} confirmed")
    return sentences


def suspects(report: Report) -> tuple[tuple[Suspect, Matrix], ...]:
    """The suspects of all matrices, confirmed ones first, each with its matrix."""
    matrices = [matrix for result in report.peers for matrix in result.matrices]
    pairs = [(suspect, matrix) for matrix in matrices for suspect in matrix.suspects]
    return tuple(sorted(pairs, key=lambda pair: not pair[0].confirmed))


def _count_subjects(report: Report, statuses: tuple[Status, ...], judgement: Judgement) -> list[str]:
    """Numbers of checks, benchmark measurements and relative gates with such a result."""
    checks = ranking.count_checks(report.findings, *statuses)
    counts = (
        (_count_judgements(report.runs)[judgement], "benchmark measurement"),
        (sum(relation.judgement is judgement for relation in report.relations), "relative gate"),
    )
    return [*([checks] if checks else []), *(wording.plural(count, name) for count, name in counts if count)]


def _count_runs(judged: Iterable[JudgedRun], status: RunStatus) -> list[str]:
    count = sum(run.status is status for run in judged)
    return [wording.plural(count, "benchmark run")] if count else []


def list_failed_runs(report: Report) -> tuple[FailedRun, ...]:
    """The runs that failed or have a failed measurement, the slowest first."""
    rows: list[tuple[float, FailedRun]] = []
    for run in report.runs:
        title = runs.name_run(run)
        failed = [entry for entry in run.verdicts if entry.judgement is Judgement.FAIL]
        if run.status is RunStatus.FAILED:
            rows.append((-1.0, FailedRun(title, run.error or runs.ENDED_EARLY, run.file, run.repeat)))
        elif failed:
            worst = min(failed, key=_get_fraction)
            measurement = worst.measurement
            size = wording.size(measurement.size_bytes)
            measured = wording.quantity(measurement.value, measurement.unit)
            name = " ".join(filter(None, (measurement.metric.value, size, measurement.label)))
            text, line = f"{name}: {measured}, {worst.reason}", f"{run.file}:{measurement.line}"
            rows.append((_get_fraction(worst), FailedRun(title, text, line, run.repeat)))
    return tuple(row for _, row in sorted(rows, key=lambda row: row[0]))


def _get_fraction(verdict: Verdict) -> float:
    return verdict.fraction_of_reachable or verdict.fraction_of_physical or 0.0


def steps(group: Group) -> tuple[Step, ...]:
    """The steps for findings of one check; equal advice appears once, equal commands once for all their devices."""
    advice: dict[tuple[str, str | None], dict[str, list[tuple[str, ...]]]] = {}
    for device, fixes in group.fixes_by_device.items():
        for fix in fixes:
            commands = advice.setdefault((fix.sentence, fix.consequence), {}).setdefault(device, [])
            if fix.commands:
                commands.append(fix.commands)
    return tuple(
        Step(sentence, consequence, _merge_commands(commands)) for (sentence, consequence), commands in advice.items()
    )


def _merge_commands(
    commands: Mapping[str, Sequence[tuple[str, ...]]],
) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    devices: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for device, blocks in commands.items():
        if blocks:
            devices.setdefault(tuple(blocks), []).append(device)
    return {wording.format_devices(names): blocks for blocks, names in devices.items()}


def tallies(findings: Iterable[Finding]) -> tuple[Tally, ...]:
    """Checks that passed or were skipped at any place, by ID."""
    rows: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.status in (Status.PASS, Status.SKIP):
            rows.setdefault(finding.check, []).append(finding)
    return tuple(_build_tally(check, rows[check]) for check in sorted(rows))


def _build_tally(check: str, findings: list[Finding]) -> Tally:
    counted = ranking.counts(findings)
    skipped = (finding.found or finding.summary for finding in findings if finding.status is Status.SKIP)
    return Tally(check, counted[Status.PASS], counted[Status.SKIP], tuple(dict.fromkeys(skipped)))


def status_rows(report: Report) -> tuple[StatusRow, ...]:
    """The rows of the table of statuses: checks, benchmarks, or both."""
    rows = []
    if report.findings or not report.runs:
        counts = {status.value: count for status, count in ranking.counts(report.findings).items()}
        rows.append(StatusRow("Checks", "number of places", "findings", counts))
    if report.runs:
        counts = {judgement.value: count for judgement, count in _count_judgements(report.runs).items()}
        rows.append(StatusRow("Benchmarks", "number of measurements", "benchmarks", counts))
    return tuple(rows)


def _count_judgements(judged: Iterable[JudgedRun]) -> Mapping[Judgement, int]:
    counts = count_verdicts(judged)
    return {judgement: counts[judgement] for judgement in Judgement}


def _sort_cells(matrix: Matrix) -> list[Cell]:
    """Sort cells for a table: slowest first, those that could not be compared last."""
    ordered = sorted(matrix.cells, key=lambda cell: (cell.fraction is None, cell.fraction or 0.0))
    return ordered[:_MOST_ROWS]


@cache
def _create_environment() -> Environment:
    environment = document.environment()
    environment.globals.update(
        marks=_MARKS,
        meanings=_MEANINGS,
        format_cause=wording.format_cause,
        format_place=wording.format_place,
        charts=chart.charts,
        describe_verdict=chart.describe_verdict,
        matrices=device_matrix.find_matrices,
        format_cell=device_matrix.format_cell,
        shade=device_matrix.find_shade,
        steps=steps,
        bounds=runs.bounds,
        list_outcomes=runs.list_outcomes,
        assumptions=runs.assumptions,
        format_gate=runs.format_gate,
        format_bottlenecks=runs.format_bottlenecks,
        format_ends=runs.format_ends,
        describe_causes=runs.describe_causes,
        format_fatal_error=runs.format_fatal_error,
        relation=relations,
        ended_early=runs.ENDED_EARLY,
        heats=heatmap.heats,
        heat_legend=heatmap.legend,
        suspect_title=peers.suspect_title,
        slowest=_sort_cells,
        most_rows=_MOST_ROWS,
        before=change_chart.draw,
        merge_changes=campaign_comparison.merge_changes,
        series_name=wording.series,
        difference_status={difference.value: status for difference, status in change_chart.STATUS.items()},
        pasts=history_chart.draw,
        turn_numbers=history_chart.turn_numbers,
        describe_step=history_chart.describe_step,
        campaign_label=history_chart.label,
    )
    return environment
