"""Text about runs that a relative gate compares, for all formats."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wirespeed.report import wording
from wirespeed.results.verdicts import Judgement, Relation, Side


def title(relation: Relation) -> str:
    """The gate and its subject: ``cross-leaf: ib_write_bw bw_avg 1 MiB, worst of 8 results``."""
    subject = " ".join(filter(None, (relation.test, relation.metric.value, wording.size(relation.size_bytes))))
    ends = f", {relation.ends}" if relation.ends else ""
    worst = f", worst of {relation.compared} results" if relation.compared > 1 else ""
    return wording.line(f"{relation.name}: {subject}{ends}{worst}")


def side(measured_side: Side | None) -> str:
    """``388.1 Gb/s, the min of 4``, or a note that there is no result."""
    if measured_side is None:
        return ""
    if measured_side.value is None:
        return "not measured" if not measured_side.count else f"{measured_side.count} measured"
    value = (
        wording.percent(measured_side.value)
        if measured_side.statistic == "spread"
        else wording.quantity(measured_side.value, measured_side.unit)
    )
    if measured_side.count > 1:
        return wording.line(f"{value}, {measured_side.statistic} of {measured_side.count}")
    return wording.line(value + (f", {measured_side.ends}" if measured_side.ends else ""))


def value(relation: Relation) -> str:
    """The ratio, the difference, or the spread."""
    if relation.value is None:
        return ""
    return wording.quantity(relation.value, relation.unit) if relation.unit else wording.percent(relation.value)


def requirement(relation: Relation) -> str:
    """``≥ 98.0 %``."""
    bound = relation.at_least if relation.at_least is not None else relation.at_most or 0.0
    sign = "≥" if relation.at_least is not None else "≤"
    return f"{sign} {wording.quantity(bound, relation.unit)}" if relation.unit else f"{sign} {wording.percent(bound)}"


def format_location(measured_side: Side | None) -> str | None:
    """The file and line of a side that is one measurement."""
    return (
        f"{measured_side.file}:{measured_side.line}"
        if measured_side is not None and measured_side.file is not None
        else None
    )


def table(relations: Sequence[Relation], console: Console) -> None:
    """Print all results, then the reasons of those that do not pass."""
    if not relations:
        return
    console.print()
    console.print(Text("Runs compared with each other", style="bold"))
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    grid.add_column("gate", overflow="fold", ratio=3)
    grid.add_column("runs", overflow="fold", ratio=3)
    grid.add_column("baseline", overflow="fold", ratio=3)
    grid.add_column("reached", justify="right")
    grid.add_column("required", justify="right")
    grid.add_column("verdict")
    for relation in relations:
        style = wording.STYLES[relation.judgement.value]
        cells = (
            title(relation),
            _side_cell(relation.of),
            _side_cell(relation.to),
            value(relation),
            requirement(relation),
        )
        grid.add_row(*(Text(cell) for cell in cells), Text(relation.judgement.value, style=style))
    console.print(grid)
    for relation in relations:
        if relation.judgement is not Judgement.PASS:
            location = format_location(relation.of)
            count = f"{relation.passed} of {relation.compared} pass; " if relation.compared > 1 else ""
            line = f"{relation.judgement.value}: {relation.name}: {count}{relation.reason}" + (
                f" ({location})" if location else ""
            )
            console.print(Text(wording.line(line)), soft_wrap=True)


def _side_cell(measured_side: Side | None) -> str:
    """The value of a side and its condition, each on one line."""
    return (
        ""
        if measured_side is None
        else "\n".join(filter(None, (wording.line(measured_side.condition), side(measured_side))))
    )
