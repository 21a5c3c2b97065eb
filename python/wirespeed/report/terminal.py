"""Results in a terminal. Readable at 80 columns, without colour and in a file; commands are never wrapped or framed,
so that they can be copied whole."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wirespeed.report import campaign_comparison, device_matrix, peers, ranking, relations, runs, wording
from wirespeed.report.device_matrix import DeviceMatrix
from wirespeed.report.ranking import Group
from wirespeed.results.benchmarks import Metric
from wirespeed.results.findings import Finding, Fix, Status
from wirespeed.results.report import Report
from wirespeed.results.topology import Topology
from wirespeed.results.verdicts import Bound, JudgedRun, Judgement, Verdict

_JUDGED = (Judgement.FAIL, Judgement.WARN, Judgement.UNKNOWN, Judgement.PASS, Judgement.SKIP)
_PLACES_NAMED = 4
_INDENT = " " * 8
_TEXT_WIDTH = 100  # columns of running text on wide terminals and in files
_SERIES = 30  # maximum series of a comparison or history, as in the commands that print them


def report(content: Report, console: Console, titles: Mapping[str, str] | None = None) -> None:
    """Print the whole report: cluster, findings by device, benchmarks, and what to do first.

    ``titles`` are those of the failure catalogue, by id.
    """
    recorded = f", recorded {wording.moment(content.recorded)}" if content.recorded else ""
    console.print(Text(wording.line(f"{content.cluster}{recorded}"), style="bold"))
    topology(content.topology, console)
    if content.findings:
        findings(content.findings, console)
    print_judged_runs(content.runs, console, titles)
    relations.table(content.relations, console)
    for result in content.peers:
        console.print()
        peers.peers(result, console)
    for comparison in content.comparisons:
        console.print()
        campaign_comparison.comparison(comparison, console, _SERIES)
    for entry in content.histories:
        console.print()
        campaign_comparison.history(entry, console, _SERIES)
    print_first_steps(content.findings, console)


def summary(content: Report, console: Console) -> None:
    """Print what to do first, and the number of results per status."""
    print_first_steps(content.findings, console)
    if content.findings:
        console.print()
        console.print(Text.assemble("checks      ", _status_counts(content.findings)))
    if content.runs:
        counted = {judgement.value: count for judgement, count in runs.count_verdicts(content.runs).items()}
        names = [judgement.value for judgement in _JUDGED]
        ended = Text("".join(f"{text}  " for text in runs.count_incomplete(content.runs)), style=wording.STYLES["fail"])
        console.print(Text.assemble("benchmarks  ", ended, _format_statuses(counted, names, {"skip": "not judged"})))
    if content.relations:
        counted = Counter(relation.judgement.value for relation in content.relations)
        judgements = [judgement.value for judgement in _JUDGED if judgement is not Judgement.SKIP]
        console.print(Text.assemble("compared    ", _format_statuses(counted, judgements)))
    for comparison in content.comparisons:
        console.print(Text.assemble("comparison  ", campaign_comparison.count_differences(comparison)))


def text(content: Report, titles: Mapping[str, str] | None = None, width: int = 100) -> str:
    """`report` as plain text, for a file."""
    stream = io.StringIO()
    console = Console(file=stream, width=width, highlight=False, color_system=None, force_terminal=False)
    report(content, console, titles)
    return "\n".join(row.rstrip() for row in stream.getvalue().splitlines()) + "\n"


def topology(cluster: Topology, console: Console) -> None:
    """Print devices by role and model, and cables by speed, in one line each."""
    devices: dict[tuple[str, str], int] = {}
    for node in cluster.nodes:
        devices[node.role, node.model] = devices.get((node.role, node.model), 0) + 1
    cables: dict[str, int] = {}
    for edge in cluster.edges:
        cables[edge.speed] = cables.get(edge.speed, 0) + 1
    for (role, model), count in devices.items():
        console.print(Text(f"  {wording.line(role)}: {count:,} × {wording.line(model)}"))
    for speed, count in cables.items():
        console.print(Text(f"  {wording.plural(count, 'cable')} at {wording.line(speed)}"))


def findings(
    results: Sequence[Finding],
    console: Console,
    counted: Sequence[Finding] | None = None,
    *,
    verbose: bool = False,
    statuses: Collection[Status] | None = None,
) -> None:
    """Print findings by device, then the number of findings per status, or of those in ``counted``.

    Without ``statuses``, findings that passed or were skipped are only counted. A device of which nothing was read is
    one line, unless ``verbose`` is set or skipped findings are listed.
    """
    counted = results if counted is None else counted
    listed = ranking.LISTED if statuses is None else statuses
    unread = set() if verbose or Status.SKIP in listed else _unread_devices(counted)
    for device, groups in ranking.group_by_device(results, listed).items():
        console.print()
        console.print(Text(wording.line(device), style="bold underline"))
        if device in unread:
            count = sum(len(group.findings) for group in groups)
            status = Text(f"{'UNKNOWN':<8}", style=wording.STYLES["unknown"])
            text = f"nothing was read: {wording.plural(count, 'finding')} unknown"
            console.print(Text.assemble(status, text), soft_wrap=True)
            continue
        for group in groups:
            _print_group(group, console)
    console.print()
    console.print(_status_counts(counted))


def _unread_devices(findings: Iterable[Finding]) -> set[str]:
    """Devices without any finding that needed a value: all are unknown or skipped, of more than a few checks."""
    statuses: dict[str, set[Status]] = {}
    unknown_checks: dict[str, set[str]] = {}
    for finding in findings:
        statuses.setdefault(finding.device, set()).add(finding.status)
        if finding.status is Status.UNKNOWN:
            unknown_checks.setdefault(finding.device, set()).add(finding.check)
    return {
        device
        for device, checks in unknown_checks.items()
        if statuses[device] <= {Status.UNKNOWN, Status.SKIP} and len(checks) > _FEW_CHECKS
    }


_FEW_CHECKS = 3  # one command that is missing leaves as many unknown


def print_first_steps(results: Sequence[Finding], console: Console) -> None:
    """Print failed checks in the order to work on them: largest estimated impact first."""
    ranked = ranking.rank_first_steps(results)
    if not ranked:
        return
    table = Table(title="What to do first", title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("check", no_wrap=True)
    table.add_column("places", justify="right")
    table.add_column("at", overflow="fold")
    table.add_column("estimated impact", justify="right", max_width=12)
    for rank, group in enumerate(ranked, 1):
        table.add_row(
            str(rank),
            wording.line(group.check),
            str(len(group.findings)),
            Text(_format_first(_list_places(group))),
            wording.impact(group.impact) or "not computed",
        )
    console.print()
    console.print(table)


def print_judged_runs(results: Iterable[JudgedRun], console: Console, titles: Mapping[str, str] | None = None) -> None:
    """Print one table per run: measured value, both limits, bottleneck and verdict; then the assumptions.

    ``titles`` are those of the failure catalogue, by id.
    """
    for run in results:
        console.print()
        console.print(Text(wording.line(run.title), style="bold"))
        test = f"{run.tool} {run.test}" if run.test else run.tool
        ranks = wording.plural(run.ranks, "rank") if run.ranks else ""
        parts = filter(None, (test, ranks, runs.format_ends(run), run.file))
        console.print(Text(wording.line(", ".join(parts)), style="dim"))
        if not run.status.is_intact:
            _print_labeled(run.status.value, run.error or runs.ENDED_EARLY, console, style="bold red")
            _print_labeled("fatal", runs.format_fatal_error(run), console)
        if run.failures:
            _print_labeled("causes", f"{runs.describe_causes(run)} (`wirespeed explain ID`):", console)
        for failure in run.failures:
            _print_labeled("", f"{failure:<8} {(titles or {}).get(failure, '')}", console)
        if run.bottlenecks:
            console.print()
            _print_text(
                f"cause in this run: {runs.format_bottlenecks(run)}; the limits below are those without it", console
            )
        matrices = [matrix for matrix in device_matrix.find_matrices(run) if matrix.summary]
        for matrix in matrices:
            console.print()
            _print_matrix(matrix, console)
        in_matrices = {verdict.measurement for matrix in matrices for verdict in matrix.cells.values()}
        for series in _divide_into_series(
            verdict for verdict in run.verdicts if verdict.measurement not in in_matrices
        ):
            console.print()
            _print_series(series, console)
        for outcome in runs.list_outcomes(run):
            if outcome.judgement is not Judgement.PASS:
                sizes = f"{outcome.sizes}: " if outcome.sizes else ""
                _print_labeled(outcome.judgement.value, f"{sizes}{outcome.reason}", console)
        for heading, lines in (("assumed", runs.assumptions(run)), ("note", run.notes)):
            for text in lines:
                _print_note(heading, text, console)


def _print_note(label: str, text: str, console: Console) -> None:
    """Print a note; its indented lines are commands, which are not wrapped."""
    for number, row in enumerate(text.splitlines()):
        if row.startswith("  "):
            console.print(Text(f"{_INDENT}{'':<9}{wording.clean(row)}", style="bold"), soft_wrap=True)
        else:
            _print_labeled("" if number else label, row, console)


def _print_matrix(matrix: DeviceMatrix, console: Console) -> None:
    """Print the pairs of devices of a host; columns that do not fit the width follow in further tables."""
    console.print(Text(wording.line(f"{matrix.heading}; rows send, columns receive")))
    for line in matrix.limits:
        console.print(Text(wording.line(line)))
    cells = {pair: device_matrix.format_cell(verdict) for pair, verdict in matrix.cells.items()}
    width = max(cell_len(text) for text in (*cells.values(), *matrix.columns))
    first = max(map(cell_len, matrix.rows))
    count = max(1, (console.width - first - 1) // (width + 1))
    for start in range(0, len(matrix.columns), count):
        columns = matrix.columns[start : start + count]
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        table.add_column("", min_width=first)
        for column in columns:
            table.add_column(column, justify="right", min_width=width, no_wrap=True)
        for row in matrix.rows:
            texts = (_style_cell(matrix.cells.get((row, column)), cells.get((row, column), "")) for column in columns)
            table.add_row(row, *texts)
        console.print(table)
    for line in matrix.summary:
        console.print(Text(wording.line(line)), soft_wrap=True)


def _style_cell(verdict: Verdict | None, text: str) -> Text:
    judged = verdict is not None and verdict.judgement not in (Judgement.PASS, Judgement.SKIP)
    return Text(text, style=wording.STYLES[verdict.judgement.value] if verdict is not None and judged else "")


def _print_group(group: Group, console: Console) -> None:
    finding = group.first
    status = Text(f"{group.status.value.upper():<8}", style=wording.STYLES[group.status.value])
    head = Text.assemble(status, (wording.line(group.check), "bold"), " ", _format_first(_list_places(group)))
    console.print(head, soft_wrap=True)
    _print_labeled("", finding.summary, console)
    if finding.cause:
        _print_labeled("", f"follows from {wording.format_cause(group.findings)}, not counted", console)
    _print_labeled("expected", finding.expected, console)
    for index, row in enumerate((finding.found or "").splitlines()):
        _print_labeled("" if index else "found", row, console)
    if finding.impact:
        suffix = " each" if len(group.findings) > 1 else ""
        _print_labeled("impact", f"estimated {wording.impact(finding.impact)}{suffix}: {finding.impact.basis}", console)
    for reason in finding.warning_reasons:
        _print_labeled("", f"why a warning: {reason}", console)
    for source in group.evidence[:_PLACES_NAMED]:
        _print_labeled("evidence", source, console, style="dim")
    if len(group.evidence) > _PLACES_NAMED:
        _print_labeled(
            "evidence",
            f"{wording.plural(len(group.evidence) - _PLACES_NAMED, 'more output')}: --format json lists all",
            console,
            style="dim",
        )
    for fix in group.fixes:
        _print_fix(fix, console)


def _print_fix(fix: Fix, console: Console) -> None:
    consequence = f" ({fix.consequence})" if fix.consequence else ""
    _print_labeled("fix", f"{fix.sentence}{consequence}", console)
    for command in fix.commands:
        for row in wording.clean(command).splitlines():
            console.print(Text(f"{_INDENT}{'':<9}{row}", style="bold"), soft_wrap=True)


def _print_text(text: str, console: Console) -> None:
    """Print running text, wrapped at the width of the console."""
    for row in Text(wording.line(text)).wrap(console, min(console.width, _TEXT_WIDTH)):
        row.rstrip()
        console.print(row, soft_wrap=True)


def _print_labeled(label: str, text: str | None, console: Console, style: str = "") -> None:
    """Print a label and its text, which is wrapped next to it."""
    if text is None:
        return
    room = max(20, min(console.width, _TEXT_WIDTH) - len(_INDENT) - 9)
    for row in Text(wording.line(text), style=style).wrap(console, room):
        row.rstrip()
        console.print(Text.assemble(_INDENT, (f"{label:<8} ", "dim"), row), soft_wrap=True)
        label = ""


def _status_counts(results: Sequence[Finding]) -> Text:
    counted = {status.value: count for status, count in ranking.counts(results).items()}
    failed = {finding.check for finding in results if finding.status is Status.FAIL and finding.cause is None}
    is_shared = len(failed) < counted[Status.FAIL.value]  # a check failed at several places
    labels = {Status.FAIL.value: f"fail ({ranking.count_checks(results, Status.FAIL)})"} if is_shared else {}
    text = _format_statuses(counted, [status.value for status in (*ranking.LISTED, Status.PASS, Status.SKIP)], labels)
    consequences = sum(finding.cause is not None for finding in results)
    if not consequences:
        return text
    return Text.assemble(text, f"  {consequences:,} {'follow' if consequences > 1 else 'follows'} from others")


def _format_statuses(
    counted: Mapping[str, int], statuses: Iterable[str], labels: Mapping[str, str] | None = None
) -> Text:
    parts: list[Text] = []
    for status in statuses:
        count = counted.get(status, 0)
        label = (labels or {}).get(status, status)
        parts.append(Text(f"{count:,} {label}", style=wording.STYLES[status] if count else "dim"))
    return Text("  ").join(parts)


@dataclass(frozen=True, slots=True)
class _Series:
    """The verdicts of a table; ``has_labels``: rows have different labels, which are shown in a column."""

    name: str
    rows: list[Verdict]
    has_labels: bool = False


def _divide_into_series(verdicts: Iterable[Verdict]) -> Iterator[_Series]:
    """Judged measurements by metric, label and unit, in the log's order; labels with one row each share a table."""
    by_metric: dict[tuple[str, str], dict[str, list[Verdict]]] = {}
    for verdict in map(_convert_to_gigabits, verdicts):
        measurement = verdict.measurement
        labels = by_metric.setdefault((measurement.metric.value, wording.unit(measurement.unit)), {})
        if verdict.judgement is not Judgement.SKIP:
            labels.setdefault(measurement.label or "", []).append(verdict)
    for (metric, unit), labels in by_metric.items():
        if len(labels) > 1 and all(len(rows) == 1 for rows in labels.values()):
            yield _Series(
                _format_heading(metric, "", unit), [row for rows in labels.values() for row in rows], has_labels=True
            )
            continue
        for label, rows in labels.items():
            yield _Series(_format_heading(metric, label, unit), rows)


def _format_heading(metric: str, label: str, unit: str) -> str:
    """``busbw out-of-place in GB/s``."""
    if metric == Metric.WRONG.value:
        return " ".join(filter(None, ("elements with wrong data", label)))
    return " ".join(filter(None, (metric, label, f"in {unit}")))


def _convert_to_gigabits(verdict: Verdict) -> Verdict:
    """Convert a rate in b/s and its limits to Gb/s; others are unchanged."""
    unit = verdict.measurement.unit
    if unit not in ("b/s", "bits/s"):
        return verdict

    def scale(bound: Bound | None) -> Bound | None:
        return None if bound is None else replace(bound, value=bound.value / 1e9, unit="Gb/s")

    gate = verdict.gate
    if gate is not None:
        minimum, maximum = (None if bound is None else bound / 1e9 for bound in (gate.at_least, gate.at_most))
        gate = replace(gate, at_least=minimum, at_most=maximum, unit="Gb/s")
    return replace(
        verdict,
        measurement=verdict.measurement._replace(unit="Gb/s", value=verdict.measurement.value / 1e9),
        physical=scale(verdict.physical),
        reachable=scale(verdict.reachable),
        found=scale(verdict.found),
        gate=gate,
    )


def _print_series(series: _Series, console: Console) -> None:
    """Print one series as a table. Limiting terms are above the table if they follow its order, else in a column.

    Both limits have a line each where their terms differ.
    """
    above = _format_limiting_terms(series, runs.find_limiting_term)
    of_physical = _format_limiting_terms(series, runs.find_physical_term)
    columns = [
        column
        for column in _list_columns(series.has_labels, with_limiting_terms=above is None)
        if any(column.cell(row) for row in series.rows)
    ]
    common = [column for column in columns if series.has_labels and column.constant and _is_common(column, series)]
    heading = [series.name, *(_common_value(column, series) for column in common)]
    labels = [f"limited by: {above}"] if above else []
    if above and of_physical and of_physical != above:
        labels = [
            f"limited by (physical): {of_physical}{_format_formula(row.physical for row in series.rows)}",
            f"limited by (reachable): {above}{_format_formula(row.reachable or row.physical for row in series.rows)}",
        ]
    is_short = len(labels) == 1 and above in _list_terms(series)
    for text in (", ".join([*heading, *labels]),) if is_short else (", ".join(heading), *labels):
        _print_text(text, console)
    columns = [column for column in columns if column not in common]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        words = [word for row in series.rows for word in column.cell(row).split()]
        widest = max((cell_len(word) for word in (*words, *column.heading.split())), default=0)
        table.add_column(
            column.heading, justify=column.justify, min_width=widest, max_width=column.width, overflow="fold"
        )
    for row in series.rows:
        style = wording.STYLES[row.judgement.value]
        cells = [wording.line(column.cell(row)) for column in columns]
        table.add_row(*(Text(cell, style=style if cell == row.judgement.value else "") for cell in cells))
    console.print(table)


def _format_formula(bounds: Iterable[Bound | None]) -> str:
    """The formula of the limiting term, if it is the same at all sizes; empty otherwise."""
    formulas = set()
    for bound in filter(None, bounds):
        formulas |= {term.formula for term in bound.terms if term.name == bound.bottleneck} or {""}
    return f" = {formulas.pop()}" if len(formulas) == 1 and all(formulas) else ""


def _list_terms(series: _Series) -> set[str]:
    return {runs.find_limiting_term(row) for row in series.rows}


def _is_common(column: _Column, series: _Series) -> bool:
    return len({column.cell(row) for row in series.rows}) == 1


def _common_value(column: _Column, series: _Series) -> str:
    """``1 MiB``, ``reachable limit 46,272``: a column of equal values."""
    value = column.cell(series.rows[0])
    return value if column.heading == "size" else f"{column.heading} {value}"


def _format_limiting_terms(series: _Series, find_term: Callable[[Verdict], str]) -> str | None:
    """``ring``, or ``message rate (2 B to 4 KiB), line rate (256 KiB to 8 MiB)``; None if sizes are out of order."""
    rows_by_term = [(term, list(rows)) for term, rows in groupby(series.rows, key=find_term)]
    terms = [term for term, _ in rows_by_term]
    if len(terms) == 1:
        return terms[0]
    has_sizes = all(row.measurement.size_bytes is not None for row in series.rows)
    if series.has_labels or not has_sizes or len(set(terms)) < len(terms) or not all(terms):
        return None
    return ", ".join(f"{term} ({_format_sizes(rows)})" for term, rows in rows_by_term)


def _format_sizes(rows: Sequence[Verdict]) -> str:
    first, last = (wording.size(row.measurement.size_bytes) for row in (rows[0], rows[-1]))
    return first if first == last else f"{first} to {last}"


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the benchmark table; an empty column is omitted."""

    heading: str
    cell: Callable[[Verdict], str]
    justify: Literal["left", "right"] = "right"
    width: int | None = None
    constant: bool = False  # a property of the run: above the table if it is the same in all rows


def _list_columns(with_labels: bool, with_limiting_terms: bool) -> Iterator[_Column]:
    if with_labels:
        yield _Column("series", lambda row: row.measurement.label or "", "left")
    yield _Column("size", lambda row: wording.size(row.measurement.size_bytes), constant=True)
    yield _Column("measured", _format_measurement)
    yield _Column(
        "physical limit", lambda row: wording.number(row.physical.value) if row.physical else "", width=9, constant=True
    )
    yield _Column("% of physical", lambda row: wording.percent(row.fraction_of_physical), width=8)
    yield _Column(
        "reachable limit",
        lambda row: wording.number(row.reachable.value) if row.reachable else "",
        width=9,
        constant=True,
    )
    yield _Column("% of reachable", lambda row: wording.percent(row.fraction_of_reachable), width=9)
    yield _Column("limit as found", lambda row: wording.number(row.found.value) if row.found else "", width=8)
    yield _Column("% of as found", lambda row: wording.percent(row.fraction_of_found), width=8)
    yield _Column("gate", lambda row: wording.number(runs.gate(row) or 0.0) if row.gate else "")
    if with_limiting_terms:
        yield _Column("limited by", runs.find_limiting_term, "left")
    yield _Column("verdict", lambda row: row.judgement.value, "left")


def _format_measurement(row: Verdict) -> str:
    measurement = row.measurement
    return f"{measurement.value:,}" if measurement.metric is Metric.WRONG else wording.number(measurement.value)


def _list_places(group: Group) -> list[str]:
    """Places as DEVICE or DEVICE:PLACE, so that each line names its device."""
    places = dict.fromkeys((finding.device, finding.place) for finding in group.findings)
    return [wording.format_place(device, place) for device, place in places]


def _format_first(names: Sequence[str]) -> str:
    """The first names and the number of others."""
    named = ", ".join(wording.line(name) for name in names[:_PLACES_NAMED])
    further = len(names) - _PLACES_NAMED
    return f"{named} and {further} more" if further > 0 else named
