"""A report on one page for a ticket: measured values, physical limits, findings, next steps.

Markdown that is also readable as plain text. Rows that do not fit are counted. Text of devices is formatted as code,
so that it can be neither markup nor a mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from wirespeed.errors import format_first
from wirespeed.report import campaign_comparison, peers, ranking, relations, runs, wording
from wirespeed.results.benchmarks import RunStatus
from wirespeed.results.campaign_history import Comparison, Difference
from wirespeed.results.findings import Finding, Fix
from wirespeed.results.peers import Matrix, Suspect
from wirespeed.results.report import Report
from wirespeed.results.verdicts import Bound, JudgedRun, Judgement, Relation, Verdict

_INPUTS, _RUNS, _FINDINGS, _SUSPECTS, _SERIES, _CHANGES, _COMMANDS = 4, 5, 4, 3, 3, 3, 8
_STEPS, _STEP_PLACES, _PLACES = 4, 4, 2
"""Maximum rows of each part: with headings and wrapped lines, all parts fit on one page."""
_IN_FULL_REPORT = " in the full report"
_LETTERS = 160  # maximum length of text of devices or files; the full report contains all
_URGENCY = (Judgement.FAIL, Judgement.WARN, Judgement.UNKNOWN, Judgement.PASS)


def text(report: Report) -> str:
    """The page; the same report gives the same bytes."""
    lines = [f"# {_escape(report.cluster)}", ""]
    time_text = (
        f"recorded {wording.line(wording.moment(report.recorded))}" if report.recorded else "time of recording unknown"
    )
    lines += [f"{time_text[0].upper()}{time_text[1:]}. Inputs of wirespeed:", ""]
    lines += _format_bullets([f"{_code(source.name)}: {_escape(source.detail)}" for source in report.inputs], _INPUTS)
    for heading, part in (
        ("Measurements and limits", _worst_measurements(report.runs)),
        ("Runs compared with each other", _format_failed_relations(report.relations)),
        ("Failed checks", _list_failures(report)),
        ("Slow compared with peers", _format_peers(report)),
        ("Changes since the baseline", _format_comparisons(report.comparisons)),
        ("Next", _list_next_steps(report)),
    ):
        if part:
            lines += ["", f"## {heading}", "", *part]
    if any(row.endswith(_IN_FULL_REPORT) for row in lines):
        lines += ["", "The full report: `wirespeed report CLUSTER.yaml -o report.html` with the same inputs."]
    return "\n".join(lines) + "\n"


def _worst_measurements(judged: Sequence[JudgedRun]) -> list[str]:
    """The worst measurement of each run, the worst run first."""
    rows: list[tuple[int, float, str]] = []
    unjudged = _URGENCY.index(Judgement.UNKNOWN), 0.0
    for run in judged:
        if run.error:
            causes = f"; likely causes: {', '.join(run.failures)}" if run.failures else ""
            fatal = runs.format_fatal_error(run, "->")
            addition = f"; first fatal error {_code(fatal)}" if fatal else ""
            error = f"{_code(run.error)} ({_code(run.file)}){addition}{causes}"
            rows.append((-1, 0.0, f"- **failed** {_describe_run(run)}: {error}"))
        elif run.status is RunStatus.TRUNCATED:
            addition = "" if run.verdicts else "; nothing to judge"
            rows.append(
                (*unjudged, f"- **truncated** {_describe_run(run)}: {runs.ENDED_EARLY}{addition} ({_code(run.file)})")
            )
        elif runs.is_without_verdict(run):
            rows.append((*unjudged, f"- **unknown** {_describe_run(run)}: {runs.NO_BANDWIDTH} ({_code(run.file)})"))
        verdicts = [verdict for verdict in run.verdicts if verdict.judgement in _URGENCY]
        if verdicts:
            worst = min(verdicts, key=lambda verdict: (_URGENCY.index(verdict.judgement), _get_fraction(verdict)))
            count = sum(verdict.judgement is worst.judgement for verdict in verdicts)
            text = _format_verdict(run, worst, count)
            if run.bottlenecks and worst.judgement is not Judgement.PASS:
                text += f"; cause in this run: {_escape(runs.format_bottlenecks(run))}"
            rows.append((_URGENCY.index(worst.judgement), _get_fraction(worst), text))
    return _format_bullets([row for *_, row in sorted(rows, key=lambda row: row[:2])], _RUNS, bullet="")


def _format_verdict(run: JudgedRun, worst: Verdict, count: int) -> str:
    measurement = worst.measurement
    subject = " ".join(
        filter(
            None,
            (measurement.metric.value, wording.size(measurement.size_bytes), wording.line(measurement.label or "")),
        )
    )
    measured = f"{wording.number(float(measurement.value))} {wording.unit(measurement.unit)}"
    count_text = f", lowest of {count} values" if count > 1 else ""
    if count > 1 and (largest := _format_largest(run, worst)) is not None:
        count_text += f"; {largest}"
    limit = _format_limit(worst)
    return (
        f"- **{worst.judgement.value}** {_describe_run(run)} {subject}: found {measured}, {limit};"
        f" {_escape(worst.reason)}"
        f" ({_code(f'{run.file}:{measurement.line}')}{count_text})"
    )


def _format_largest(run: JudgedRun, worst: Verdict) -> str | None:
    """The value at the largest size of the same metric, which readers compare with the speed of the NIC."""
    metric = worst.measurement.metric
    rows = [verdict.measurement for verdict in run.verdicts if verdict.measurement.metric is metric]
    largest = max(rows, key=lambda row: row.size_bytes or 0)
    if not largest.size_bytes or largest.size_bytes == worst.measurement.size_bytes:
        return None
    value = f"{wording.number(float(largest.value))} {wording.unit(largest.unit)}"
    return f"at {wording.size(largest.size_bytes)}: {value}"


def _format_failed_relations(results: Sequence[Relation]) -> list[str]:
    """Results of relative gates, the worst first; those that pass are only counted."""
    bad = [relation for relation in results if relation.judgement is not Judgement.PASS]
    ranked = sorted(bad, key=lambda relation: _URGENCY.index(relation.judgement))
    rows = [
        f"**{relation.judgement.value}** {_code(relations.title(relation))}: {_escape(relation.reason)}"
        for relation in ranked
    ]
    if passed := len(results) - len(bad):
        rows.append(f"**pass** {wording.plural(passed, 'relative gate')}")
    return _format_bullets(rows, _RUNS)


def _format_limit(verdict: Verdict) -> str:
    bounds: list[tuple[str, Bound, float | None]] = []
    if verdict.physical is not None:
        bounds.append(("physical limit", verdict.physical, verdict.fraction_of_physical))
    if verdict.reachable is not None:
        bounds.append(("reachable limit", verdict.reachable, verdict.fraction_of_reachable))
    if verdict.found is not None:
        bounds.append(("limit as found", verdict.found, verdict.fraction_of_found))
    limits = [
        f"{name} {wording.number(bound.value)} {wording.unit(bound.unit)} ({_escape(bound.bottleneck)}"
        + (f", reached {wording.percent(fraction)}" if fraction is not None else "")
        + ")"
        for name, bound, fraction in bounds
    ]
    return ", ".join(limits) or "no limit known"


def _get_fraction(verdict: Verdict) -> float:
    fraction = verdict.fraction_of_reachable
    fraction = verdict.fraction_of_physical if fraction is None else fraction
    return 1.0 if fraction is None else fraction


def _describe_run(run: JudgedRun) -> str:
    ranks = wording.plural(run.ranks, "rank") if run.ranks else None
    ends = runs.format_ends(run, "->")
    return ", ".join(filter(None, (_code(run.title), ranks, _code(ends) if ends else None)))


def _list_failures(report: Report) -> list[str]:
    rows = []
    for group in ranking.rank_first_steps(report.findings):
        impact = f", estimated impact {wording.impact(group.impact)}" if group.impact else ""
        read = f" ({_code(group.evidence[0])})" if group.evidence else ""
        rows_by_values: dict[str, list[str]] = {}
        for finding in group.findings:
            rows_by_values.setdefault(_format_values(finding), []).append(
                _code(wording.format_place(finding.device, finding.place))
            )
        place, further = _join_places(rows_by_values)
        rows.append(f"{_code(group.check)} at {place}{further}{impact}{read}")
    lines = _format_bullets(rows, _FINDINGS)
    counts = ranking.counts(report.findings)
    unsure = sum(count for status, count in counts.items() if status.value in ("unknown", "error"))
    if unsure:
        lines.append(f"- {wording.plural(unsure, 'finding')} unknown: settings could not be read")
    return lines


def _format_values(finding: Finding) -> str:
    return f": expected {_code(finding.expected or '?')}, found {_code(wording.join_lines(finding.found or '?'))}"


def _join_places(places_by_values: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """The first places, those with the same values together, and the number of further ones."""
    texts: list[str] = []
    count = 0
    for values, named in places_by_values.items():
        places = list(dict.fromkeys(named))
        printed_places = places[: _PLACES - count]
        if printed_places:
            texts.append(", ".join(printed_places) + values)
        count += len(printed_places)
    total = sum(len(set(named)) for named in places_by_values.values())
    return "; ".join(texts), f"; {wording.plural(total - count, 'more place')}" if total > count else ""


def _sort_suspects(report: Report) -> Iterator[tuple[Matrix, Suspect]]:
    every = [(matrix, suspect) for result in report.peers for matrix in result.matrices for suspect in matrix.suspects]
    yield from sorted(every, key=lambda pair: (not pair[1].confirmed, pair[1].fraction))


def _format_peers(report: Report) -> list[str]:
    rows = [
        f"**{'confirmed' if suspect.confirmed else 'suspect'}** {_code(peers.suspect_title(suspect, matrix))}"
        f" in {_code(matrix.title)}: {_escape(suspect.because)} (slowest: {_code(suspect.evidence[0])})"
        for matrix, suspect in _sort_suspects(report)
    ]
    return _format_bullets(rows, _SUSPECTS)


def _format_comparisons(comparisons: Sequence[Comparison]) -> list[str]:
    lines: list[str] = []
    for comparison in comparisons:
        worse = [row for row in comparison.series if row.difference is Difference.WORSE]
        better = sum(row.difference is Difference.BETTER for row in comparison.series)
        undecided = sum(row.difference is Difference.NOT_PROVEN for row in comparison.series)
        lines.append(
            f"- {_code(comparison.a.label)} to {_code(comparison.b.label)}:"
            f" {len(worse)} of {len(comparison.series)} series worse, {better} better"
            + (f", {undecided} not proven for lack of runs" if undecided else "")
        )
        rows = [
            f"{_code(wording.series(row.series))} {row.series.metric.value} {wording.size(row.series.size_bytes)}:"
            f" {wording.number(row.a.median)} to {wording.number(row.b.median)} {wording.unit(row.series.unit)}"
            + (f", p = {row.adjusted:.2g}" if row.adjusted is not None else "")
            for row in worse
        ]
        lines += _format_bullets(rows, _SERIES, bullet="  - ")
        whole = [joint for joint in comparison.joint_changes if joint.difference is Difference.WORSE]
        rows = [
            f"{_code(campaign_comparison.series_title(joint.series))} worse"
            f" {campaign_comparison.describe_joint_change(joint)}"
            for joint in whole
        ]
        lines += _format_bullets(rows, _SERIES, bullet="  - ")
        changed = [
            f"changed {_code(name)}: {_code(before or 'not read')} to {_code(after or 'not read')} ({_code(places)})"
            for name, before, after, places in campaign_comparison.merge_changes(comparison.changes)
        ]
        lines += _format_bullets(changed, _CHANGES, bullet="  - ")
    return lines


def _list_next_steps(report: Report) -> list[str]:
    """Steps in the order to do them: fixes by estimated impact, then runs and suspects to measure again."""
    steps: dict[tuple[str, tuple[str, ...]], dict[str, str]] = {}  # the device of each place
    checks: dict[tuple[str, tuple[str, ...]], dict[str, None]] = {}
    consequences: dict[tuple[str, tuple[str, ...]], str] = {}
    for group in ranking.rank_first_steps(report.findings):
        for device, fixes in group.fixes_by_device.items():
            for fix in fixes:
                places = steps.setdefault((fix.sentence, fix.commands), {})
                places |= dict.fromkeys(_list_fixed_places(group, device, fix), device)
                checks.setdefault((fix.sentence, fix.commands), {})[group.check] = None
                if fix.consequence:
                    consequences[fix.sentence, fix.commands] = f" ({_escape(fix.consequence)})"
    lines: list[str] = []
    for number, ((sentence, commands), places) in enumerate(list(steps.items())[:_STEPS], 1):
        lines += [
            f"{number}. {_format_step_places(places)}, {_name_checks(checks[sentence, commands])}: {_escape(sentence)}"
            f"{consequences.get((sentence, commands), '')}",
            *_format_code_block(commands),
        ]
    if len(steps) > _STEPS:
        lines += ["", f"{len(steps) - _STEPS} more steps{_IN_FULL_REPORT}"]
    repeats = list(
        dict.fromkeys(
            command for _, suspect in _sort_suspects(report) if not suspect.confirmed for command in suspect.retest
        )
    )
    failed_once = list(dict.fromkeys(command for run in report.runs for command in run.repeat))
    if failed_once:
        lines += [*([""] if lines else []), "Repeat the runs that failed once:", *_format_code_block(failed_once)]
    causes = list(dict.fromkeys(cause for run in report.runs for cause in run.failures))
    if causes:
        explained = [f"wirespeed explain {cause}" for cause in causes]
        lines += [*([""] if lines else []), "Read the causes of these runs, most likely first:"]
        lines += _format_code_block(explained)
    if repeats:
        lines += [*([""] if lines else []), "Repeat to confirm the suspects:", *_format_code_block(tuple(repeats))]
    return lines


def _list_fixed_places(group: ranking.Group, device: str, fix: Fix) -> Iterator[str]:
    """Places of a device whose fixes were merged to this one."""
    for finding in group.findings:
        if finding.device == device and any(part.sentence == fix.sentence for part in finding.fix):
            yield wording.format_place(finding.device, finding.place)


def _format_step_places(device_of: Mapping[str, str]) -> str:
    """``leaf1:Eth1/1``, ``leaf1:Eth1/2``; of many places the devices and the number: ``leaf1`` (32 places)."""
    if len(device_of) <= _STEP_PLACES:
        return ", ".join(map(_code, device_of))
    devices = format_first(list(dict.fromkeys(device_of.values())), _STEP_PLACES)
    return f"{_code(devices)} ({wording.plural(len(device_of), 'place')})"


def _name_checks(checks: Iterable[str]) -> str:
    return _code(format_first(list(checks), _PLACES))


def _format_code_block(commands: Sequence[str]) -> list[str]:
    """Commands as one code block, as many as fit."""
    if not commands:
        return []
    lines = [line for command in commands[:_COMMANDS] for line in wording.clean(command).splitlines()]
    fence = "`" * max(3, 1 + max(map(_count_ticks, lines), default=0))
    further_commands = (
        [f"{len(commands) - _COMMANDS} more commands in the full report", ""] if len(commands) > _COMMANDS else []
    )
    return ["", fence, *lines, fence, "", *further_commands]


def _format_bullets(rows: Sequence[str], limit: int, bullet: str = "- ") -> list[str]:
    lines = [f"{bullet}{row}" for row in rows[:limit]]
    if len(rows) > limit:
        lines.append(f"{bullet or '- '}{len(rows) - limit} more{_IN_FULL_REPORT}")
    return lines


def _escape(text: str) -> str:
    """Escape text for a Markdown sentence; what stands between backticks is formatted as code."""
    parts = _CODE.split(wording.line(text))
    return "".join(_code(part) if index % 2 else _escape_letters(part) for index, part in enumerate(parts))


_CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")


def _escape_letters(text: str) -> str:
    return "".join(f"\\{letter}" if letter in r"\`*_[]<>#|~@" else letter for letter in text)


def _code(text: str) -> str:
    """Format text as code, with any number of backticks in it."""
    cleaned = wording.line(text)
    if len(cleaned) > _LETTERS:
        cleaned = f"{cleaned[: _LETTERS - 1]}…"
    ticks = "`" * (_count_ticks(cleaned) + 1)
    pad = " " if cleaned.startswith("`") or cleaned.endswith("`") or not cleaned else ""
    return f"{ticks}{pad}{cleaned}{pad}{ticks}"


def _count_ticks(text: str) -> int:
    """The longest run of backticks."""
    return max(_runs_of_ticks(text), default=0)


def _runs_of_ticks(text: str) -> Iterable[int]:
    count = 0
    for letter in text:
        count = count + 1 if letter == "`" else 0
        yield count
