"""One or several runs of the simulator as one HTML file that needs nothing else."""

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
from wirespeed.report.simulation.pause_timeline import Stripes
from wirespeed.results.simulation_types import Summary
from wirespeed.results.simulation_view import Distribution, FlowRow, Group, Simulated

_LINKS = 500
"""Rows of the table of pauses; all of them are in the folder."""
_VICTIMS = 100
_ORIGINS = 5


@dataclass(frozen=True, slots=True)
class Shown:
    """A run as the template has it."""

    run: Simulated
    charts: tuple[Chart, ...]
    nothing: tuple[str, ...]
    """Courses that are 0 all the time."""
    spread: tuple[Chart, ...]
    paused: Map | None
    stripes: Stripes | None
    player: Player | None


def page(runs: Sequence[Simulated]) -> str:
    """The HTML document. The same runs give the same bytes."""
    style = document.source("style.css") + document.source("simulation.css")
    script = document.source("simulation.js")
    return (
        environment()
        .get_template("simulation.html.j2")
        .render(
            shown=tuple(map(show, runs)),
            compared=tuple(rows(runs)) if len(runs) > 1 else (),
            together=tuple(together(runs)) if len(runs) > 1 else (),
            style=Markup(style),
            script=Markup(script),
            style_hash=document.policy(style),
            script_hash=document.policy(script),
        )
    )


def show(run: Simulated) -> Shown:
    """All pictures of a run."""
    charts = [(course, time_series.chart(course, run.summary.faults)) for course in run.courses]
    return Shown(
        run=run,
        charts=tuple(drawn for _, drawn in charts if drawn),
        nothing=tuple(course.title for course, drawn in charts if not drawn),
        spread=tuple(drawn for one in run.distributions if (drawn := distributions.chart(one))),
        paused=network_maps.pause_map(run),
        stripes=pause_timeline.stripes(run.pausing, run.network, round(run.summary.end_us * 1e6), run.summary.faults),
        player=network_maps.player(run),
    )


def rows(runs: Sequence[Simulated]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What runs amount to, side by side."""
    columns = [told(run.summary) for run in runs]
    for name in dict.fromkeys(name for said in columns for name in said):
        yield name, tuple("; ".join(said.get(name, ())) for said in columns)


def told(run: Summary) -> Mapping[str, Sequence[str]]:
    """What a run amounts to: all that is said under each name."""
    said: dict[str, list[str]] = {}
    for name, text in terminal.rows(run):
        said.setdefault(name, []).append(str(text))
    return said


def together(runs: Sequence[Simulated]) -> Iterator[Chart]:
    """All flows of each run in one chart of a kind."""
    titles = [one.title for one in runs[0].distributions]
    for title in titles:
        of_runs = [(run, one) for run in runs for one in run.distributions if one.title == title]
        groups = tuple(_named(run, one) for run, one in of_runs)
        drawn = distributions.chart(Distribution(title, of_runs[0][1].unit, groups))
        if drawn:
            yield drawn


def _named(run: Simulated, one: Distribution) -> Group:
    return replace(one.groups[0], name=label(run))


def origins(run: Simulated) -> list[tuple[str, int, float]]:
    """Who paused others mostly while nobody paused it: for how long in all, and the share of that. Longest first."""
    total: dict[int, int] = {}
    own: dict[int, int] = {}
    for one in run.pausing.ports:
        node = run.network.peer(one.port)
        total[node] = total.get(node, 0) + one.total_ps
        own[node] = own.get(node, 0) + one.total_ps - one.passed_on_ps
    some = [(node, own[node] / total[node]) for node in own if 2 * own[node] > total[node]]
    ordered = sorted(some, key=lambda item: (-own[item[0]], item[0]))
    return [(run.network.names[node], total[node], share) for node, share in ordered[:_ORIGINS]]


def label(run: Simulated) -> str:
    """Name of a run: scenario and result folder."""
    return f"{run.summary.name} ({Path(run.folder).name})"


def flow_cells(run: Simulated, flow: FlowRow) -> tuple[tuple[str, str], ...]:
    """What a table shows of a flow, each beside what it is sorted by."""
    names = run.network.names
    rate = flow.bytes * 8e3 / flow.took_ps if flow.took_ps else None
    return (
        (str(flow.flow), str(flow.flow)),
        (names[flow.source], str(flow.source)),
        (names[flow.target], str(flow.target)),
        (flow.verb, flow.verb),
        (wording.size(flow.bytes), str(flow.bytes)),
        (_us(flow.start_ps), str(-1 if flow.start_ps is None else flow.start_ps)),
        (_us(flow.took_ps), str(-1 if flow.took_ps is None else flow.took_ps)),
        (_us(flow.least_ps), str(-1 if flow.least_ps is None else flow.least_ps)),
        ("" if flow.slowdown is None else f"{wording.number(flow.slowdown)} ×", str(flow.slowdown or -1)),
        ("" if rate is None else wording.number(rate), str(rate or -1)),
        (flow.status, flow.status),
    )


def _us(picoseconds: int | None) -> str:
    return "" if picoseconds is None else f"{picoseconds / 1e6:,.1f}"


@cache
def environment() -> Environment:
    """The templates of simulations."""
    made = document.environment()
    made.globals.update(
        told=told,
        flow_cells=flow_cells,
        label=label,
        origins=origins,
        shade_legend=color_scale.legend,
        kinds=network_maps.KINDS,
        most_links=_LINKS,
        most_victims=_VICTIMS,
        legend_width=axes.WIDTH,
        us=_us,
    )
    return made
