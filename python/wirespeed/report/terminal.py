"""Results in a terminal. Readable at 80 columns, without colour and in a file; commands are never wrapped or framed,
so that they can be copied whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wirespeed.report import order, words
from wirespeed.report.order import Group
from wirespeed.results.findings import Finding, Fix, Status
from wirespeed.results.report import Report
from wirespeed.results.topology import Topology
from wirespeed.results.verdicts import JudgedRun, Judgement, Verdict

_STYLES = {
    "pass": "green",
    "warn": "yellow",
    "fail": "bold red",
    "unknown": "magenta",
    "skip": "dim",
    "error": "bold magenta",
}
_PLACES_NAMED = 4
_INDENT = " " * 8


def report(content: Report, console: Console) -> None:
    """Everything: the cluster, the findings by device, the benchmarks, and what to do first."""
    recorded = f", recorded {content.recorded}" if content.recorded else ""
    console.print(Text(words.line(f"{content.cluster}{recorded}"), style="bold"))
    topology(content.topology, console)
    findings(content.findings, console)
    if content.runs:
        judged(content.runs, console)
    first_things(content.findings, console)


def topology(drawn: Topology, console: Console) -> None:
    """Devices by role and model, cables by speed, in a line each."""
    devices: dict[tuple[str, str], int] = {}
    for node in drawn.nodes:
        devices[node.role, node.model] = devices.get((node.role, node.model), 0) + 1
    cables: dict[str, int] = {}
    for edge in drawn.edges:
        cables[edge.speed] = cables.get(edge.speed, 0) + 1
    for (role, model), count in devices.items():
        console.print(Text(f"  {words.line(role)}: {count:,} × {words.line(model)}"))
    for speed, count in cables.items():
        console.print(Text(f"  {words.plural(count, 'cable')} at {words.line(speed)}"))


def findings(found: Sequence[Finding], console: Console) -> None:
    """Every finding a reader must look at, by device, then how many there are of each status."""
    for device, groups in order.by_device(found).items():
        console.print()
        console.print(Text(words.line(device), style="bold underline"))
        for group in groups:
            _group(group, console)
    console.print()
    console.print(_counted(found))


def first_things(found: Sequence[Finding], console: Console) -> None:
    """Failed checks in the order to work on them: what costs most first."""
    ranked = order.first_things(found)
    if not ranked:
        return
    table = Table(title="What to do first", title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("check", overflow="fold")
    table.add_column("places", justify="right")
    table.add_column("on", overflow="fold")
    table.add_column("costs up to", justify="right")
    for rank, group in enumerate(ranked, 1):
        table.add_row(
            str(rank),
            words.line(group.check),
            str(len(group.findings)),
            Text(_listed(group.devices)),
            words.cost(group.cost) or "not computable",
        )
    console.print()
    console.print(table)


def judged(runs: Iterable[JudgedRun], console: Console) -> None:
    """Benchmarks, one table per run: measured, both limits, the term that binds, the verdict; then the assumptions."""
    for run in runs:
        console.print()
        console.print(Text(words.line(run.title), style="bold"))
        ranks = f", {words.plural(run.ranks, 'rank')}" if run.ranks else ""
        test = f" {run.test}" if run.test else ""
        console.print(Text(words.line(f"{run.tool}{test}{ranks}, {run.file}"), style="dim"))
        shown = [verdict for verdict in run.verdicts if verdict.judgement is not Judgement.SKIP]
        for (metric, place, unit), verdicts in _series(shown).items():
            console.print()
            console.print(_table(" ".join(filter(None, (metric, place, f"in {unit}"))), verdicts))
        _reasons(shown, console)
        left = len(run.verdicts) - len(shown)
        if left:
            console.print(Text(f"{words.plural(left, 'measurement')} shown for information only, not judged"))
        for heading, lines in (("assumed", assumptions(run)), ("note", run.notes)):
            for text in lines:
                _labelled(heading, text, console)


def assumptions(run: JudgedRun) -> tuple[str, ...]:
    """Every assumption the limits of a run rest on, each once."""
    bounds = [bound for verdict in run.verdicts for bound in (verdict.physical, verdict.reachable) if bound]
    return tuple(dict.fromkeys(text for bound in bounds for text in bound.assumptions))


def _group(group: Group, console: Console) -> None:
    finding = group.first
    status = Text(f"{group.status.value.upper():<8}", style=_STYLES[group.status.value])
    head = Text.assemble(status, (words.line(group.check), "bold"), " ", _listed(group.places))
    console.print(head, soft_wrap=True)
    _labelled("", finding.summary, console)
    _labelled("expected", finding.expected, console)
    _labelled("found", finding.found, console)
    if finding.cost:
        each = " at each place" if len(group.findings) > 1 else ""
        _labelled("costs", f"{words.cost(finding.cost)}{each} ({finding.cost.basis})", console)
    for source in group.evidence[:_PLACES_NAMED]:
        _labelled("read", source, console, style="dim")
    if len(group.evidence) > _PLACES_NAMED:
        _labelled("read", f"and {len(group.evidence) - _PLACES_NAMED} more", console, style="dim")
    for fix in group.fixes:
        _fix(fix, console)


def _fix(fix: Fix, console: Console) -> None:
    consequence = f" ({fix.consequence})" if fix.consequence else ""
    _labelled("fix", f"{fix.sentence}{consequence}", console)
    for command in fix.commands:
        for row in words.clean(command).splitlines():
            console.print(Text(f"{_INDENT}{'':<9}{row}", style="bold"), soft_wrap=True)


def _labelled(label: str, text: str | None, console: Console, style: str = "") -> None:
    """A label and its text, wrapped beside it."""
    if text is None:
        return
    room = max(20, console.width - len(_INDENT) - 9)
    for row in Text(words.line(text), style=style).wrap(console, room):
        row.rstrip()
        console.print(Text.assemble(_INDENT, (f"{label:<9}", "dim"), row), soft_wrap=True)
        label = ""


def _counted(found: Sequence[Finding]) -> Text:
    counted = order.counts(found)
    parts: list[Text] = []
    for status in (*order.SHOWN, Status.PASS, Status.SKIP):
        style = _STYLES[status.value] if counted[status] else "dim"
        parts.append(Text(f"{counted[status]:,} {status.value}", style=style))
    return Text("  ").join(parts)


def _series(shown: Sequence[Verdict]) -> Mapping[tuple[str, str | None, str], list[Verdict]]:
    """Verdicts by metric, place and unit, in the order they come."""
    series: dict[tuple[str, str | None, str], list[Verdict]] = {}
    for verdict in shown:
        key = (verdict.measurement.metric.value, verdict.measurement.place, verdict.measurement.unit)
        series.setdefault(key, []).append(verdict)
    return series


def _table(title: str, shown: Sequence[Verdict]) -> Table:
    table = Table(
        title=Text(words.line(title)),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("size", justify="right", no_wrap=True)
    for heading in ("measured", "physical limit", "of it", "reachable limit", "of it"):
        table.add_column(heading, justify="right", max_width=9)
    table.add_column("binds", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    for verdict in shown:
        binding = verdict.physical or verdict.reachable
        table.add_row(
            words.size(verdict.measurement.size_bytes),
            words.number(verdict.measurement.value),
            words.number(verdict.physical.value) if verdict.physical else "",
            words.percent(verdict.fraction_of_physical),
            words.number(verdict.reachable.value) if verdict.reachable else "",
            words.percent(verdict.fraction_of_reachable),
            Text(words.line(binding.binding) if binding else ""),
            Text(verdict.judgement.value, style=_STYLES[verdict.judgement.value]),
        )
    return table


def _reasons(shown: Sequence[Verdict], console: Console) -> None:
    """Why what did not pass did not, each reason once."""
    told = [verdict for verdict in shown if verdict.judgement is not Judgement.PASS]
    for judgement, reason in dict.fromkeys((verdict.judgement, verdict.reason) for verdict in told):
        _labelled(judgement.value, reason, console)


def _listed(names: Sequence[str]) -> str:
    """A few names and how many more there are."""
    named = ", ".join(words.line(name) for name in names[:_PLACES_NAMED])
    more = len(names) - _PLACES_NAMED
    return f"{named} and {more} more" if more > 0 else named
