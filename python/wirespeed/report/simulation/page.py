"""One or several runs of the simulator as one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from wirespeed.report import document, wording
from wirespeed.report.simulation import (
    axes,
    color_scale,
    distributions,
    network_maps,
    pause_timeline,
    terminal,
    time_series,
)
from wirespeed.report.simulation.axes import Chart
from wirespeed.report.simulation.network_maps import Map, Player
from wirespeed.report.simulation.pause_timeline import PauseTimelines
from wirespeed.results.simulation_view import Distribution, FlowRow, Group, SimulationView

_LINKS = 500
"""Maximum rows of the table of pauses; the folder contains all."""
_VICTIMS = 100
_ORIGINS = 5
RUN_FACTS = ("plan", "tables SHA-256", "assumed", "run time", "set-up time", "memory")
"""Rows of the summary about the run, not about the network."""


@dataclass(frozen=True, slots=True)
class RunPictures:
    """A run for the template."""

    run: SimulationView
    charts: tuple[Chart, ...]
    constant_zero: tuple[str, ...]
    """Titles of time series that are always 0."""
    spread: tuple[Chart, ...]
    paused: Map | None
    pause_timelines: PauseTimelines | None
    player: Player | None


def page(runs: Sequence[SimulationView]) -> str:
    """The HTML document. The same runs give the same bytes."""
    style = document.source("style.css") + document.source("simulation.css")
    script = document.source("simulation.js")
    return (
        environment()
        .get_template("simulation.html.j2")
        .render(
            shown=tuple(map(show, runs)),
            compared=tuple(rows(runs)) if len(runs) > 1 else (),
            distributions_compared=tuple(compare_distributions(runs)) if len(runs) > 1 else (),
            style=Markup(style),
            script=Markup(script),
            style_hash=document.policy(style),
            script_hash=document.policy(script),
        )
    )


def show(run: SimulationView) -> RunPictures:
    """Build all pictures of a run."""
    charts = [(series, time_series.chart(series, run.summary.faults)) for series in run.time_series]
    return RunPictures(
        run=run,
        charts=tuple(drawing for _, drawing in charts if drawing),
        constant_zero=tuple(series.title for series, drawing in charts if not drawing),
        spread=tuple(drawing for distribution in run.distributions if (drawing := distributions.chart(distribution))),
        paused=network_maps.pause_map(run),
        pause_timelines=pause_timeline.draw_timelines(
            run.pauses, run.network, round(run.summary.end_us * 1e6), run.summary.faults
        ),
        player=network_maps.player(run),
    )


def rows(runs: Sequence[SimulationView]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The summary rows of several runs, side by side."""
    columns = [summary_rows(run) for run in runs]
    for name in dict.fromkeys(name for column in columns for name in column):
        yield name, tuple("; ".join(column.get(name, ())) for column in columns)


def summary_rows(run: SimulationView) -> Mapping[str, Sequence[str]]:
    """The rows of the summary: all texts of each name."""
    texts: dict[str, list[str]] = {}
    for name, text in terminal.rows(run.summary, run.congested, run.ack_timeouts):
        texts.setdefault(name, []).append(str(text))
    return texts


def compare_distributions(runs: Sequence[SimulationView]) -> Iterator[Chart]:
    """One chart per distribution with all flows of each run."""
    for title in dict.fromkeys(distribution.title for run in runs for distribution in run.distributions):
        of_runs = [
            (run, distribution) for run in runs for distribution in run.distributions if distribution.title == title
        ]
        groups = tuple(_name_group(run, entry) for run, entry in of_runs)
        drawing = distributions.chart(Distribution(title, of_runs[0][1].unit, groups))
        if drawing:
            yield replace(drawing, meaning=drawing.meaning + _describe_missing(runs, title))


def _describe_missing(runs: Sequence[SimulationView], title: str) -> str:
    """The runs that the chart of a distribution lacks, each with the reason."""
    return "".join(
        f" '{label(run)}' is not in this chart: {_explain_missing(run)}."
        for run in runs
        if title not in (distribution.title for distribution in run.distributions)
    )


def _explain_missing(run: SimulationView) -> str:
    if not run.summary.completed:
        return "no flow completed"
    return "paths change during the run, so ideal times are not computed"


def _name_group(run: SimulationView, distribution: Distribution) -> Group:
    return replace(distribution.groups[0], name=label(run))


def origins(run: SimulationView) -> list[tuple[str, int, int, int]]:
    """Roots of congestion: devices that paused others mostly while they were not paused themselves.

    Each has the number of ports that it paused, the sum of their pause times, and the part of it that downstream pauses
    do not cause. Longest first.
    """
    ports: dict[int, int] = {}
    total: dict[int, int] = {}
    not_propagated: dict[int, int] = {}
    for port in run.pauses.ports:
        node = run.network.peer(port.port)
        ports[node] = ports.get(node, 0) + 1
        total[node] = total.get(node, 0) + port.total_ps
        not_propagated[node] = not_propagated.get(node, 0) + port.total_ps - port.passed_on_ps
    roots = [node for node in total if 2 * not_propagated[node] > total[node]]
    roots.sort(key=lambda node: (-not_propagated[node], node))
    return [(_root_name(run, node), ports[node], total[node], not_propagated[node]) for node in roots[:_ORIGINS]]


def _root_name(run: SimulationView, node: int) -> str:
    """The name of a device, with its deepest queue if this is one of the most congested ports."""
    name = run.network.names[node]
    queues = (entry.port for entry in run.congested if entry.port.startswith(f"{name}:"))
    queue = next(queues, None)
    return name if queue is None else f"{name} (deepest queue: {queue})"


def label(run: SimulationView) -> str:
    """Name of a run: result folder, scenario, and the cluster file, in which variants of a plan differ."""
    source = run.summary.source
    return f"{Path(run.folder).name}: {run.summary.name}{f', {source.cluster}' if source else ''}"


def flow_cells(run: SimulationView, flow: FlowRow) -> tuple[tuple[str, str], ...]:
    """The table cells of a flow, each with its sort key."""
    ports = run.network.port_names
    rate = flow.bytes * 8e3 / flow.took_ps if flow.took_ps else None
    return (
        (str(flow.flow), str(flow.flow)),
        (ports[flow.source_port], str(flow.source_port)),
        (ports[flow.target_port], str(flow.target_port)),
        (flow.verb, flow.verb),
        (wording.size(flow.bytes), str(flow.bytes)),
        (_format_microseconds(flow.start_ps), str(-1 if flow.start_ps is None else flow.start_ps)),
        (_format_microseconds(flow.took_ps), str(-1 if flow.took_ps is None else flow.took_ps)),
        (_format_microseconds(flow.least_ps), str(-1 if flow.least_ps is None else flow.least_ps)),
        ("" if flow.slowdown is None else f"{wording.number(flow.slowdown)} ×", str(flow.slowdown or -1)),
        ("" if rate is None else wording.number(rate), str(rate or -1)),
        (flow.status, flow.status),
    )


def _format_microseconds(picoseconds: int | None) -> str:
    return "" if picoseconds is None else f"{picoseconds / 1e6:,.1f}"


@cache
def environment() -> Environment:
    """The templates of simulations."""
    templates = document.environment()
    templates.globals.update(
        summary_rows=summary_rows,
        flow_cells=flow_cells,
        label=label,
        origins=origins,
        shade_legend=color_scale.legend,
        kinds=network_maps.KINDS,
        most_links=_LINKS,
        run_facts=RUN_FACTS,
        most_victims=_VICTIMS,
        legend_width=axes.WIDTH,
        us=_format_microseconds,
    )
    return templates
