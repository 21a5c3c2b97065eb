"""The pictures of a report as files: SVG with literal colours, and PNG rendered from it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from markupsafe import Markup

from wirespeed.errors import refuse
from wirespeed.report import document
from wirespeed.report.simulation import terminal
from wirespeed.report.simulation.network_maps import Map
from wirespeed.report.simulation.page import RunPictures, compare_distributions, environment, label, show
from wirespeed.results.simulation_types import Summary
from wirespeed.results.simulation_view import SimulationView

ZOOM = 2
"""PNG pixels per SVG pixel: sharp on paper and on high-resolution screens."""

_FONTS = "DejaVu Sans, Liberation Sans, Noto Sans, Arial, sans-serif"
_SHAPE_PROPERTIES = (
    "fill",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "opacity",
    "paint-order",
    "font-size",
    "font-weight",
)
_LEGEND = 34
_FAULTS = 4
"""Maximum number of faults in the subtitle of a picture; the summary contains all."""
_LETTER = 6.9


class _SizedMap:
    """A map with the size of its layout."""

    def __init__(self, picture: Map) -> None:
        self.picture = picture
        self.width, self.height = picture.layout.width, picture.layout.height


def pictures(runs: Sequence[SimulationView]) -> Iterator[tuple[str, str]]:
    """Name and SVG of every picture; the same runs give the same bytes."""
    if len(runs) > 1:
        for chart in compare_distributions(runs):
            yield f"compared-{_make_slug(chart.title)}", _render_svg("lines", chart, chart.title, chart.meaning)
    for number, run in enumerate(runs, 1):
        prefix = f"{number}-" if len(runs) > 1 else ""
        for name, svg in _run_pictures(show(run), label(run)):
            yield prefix + name, svg


def png(svg: str, option: str = "--png") -> bytes:
    """Render the picture as PNG; ``option`` is the one that selects PNG.

    Raises:
        Refusal: the renderer is not installed, or no font is available.
    """
    draw = _load_renderer(option)
    return bytes(draw(svg_string=svg, zoom=ZOOM))


@cache
def _load_renderer(option: str) -> Any:
    """Load the renderer, and check that it draws text."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise refuse(option, "the Python package resvg_py is missing", hint="pip install 'wirespeed[png]'") from None
    probe = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15" font-family="{}">{}</text></svg>'
    )
    if svg_to_bytes(svg_string=probe.format(_FONTS, "W")) == svg_to_bytes(svg_string=probe.format(_FONTS, " ")):
        raise refuse(option, "no font is installed", hint="Debian: apt install fonts-dejavu-core")
    return svg_to_bytes


def _run_pictures(run_pictures: RunPictures, run_name: str) -> Iterator[tuple[str, str]]:
    faults = _list_faults(run_pictures.run.summary)
    dashed = f"; dashed: {faults}" if faults else ""
    if run_pictures.paused:
        yield (
            "pause-map",
            _render_svg(
                "network",
                _SizedMap(run_pictures.paused),
                "PFC pauses",
                f"{run_name}: time paused, % of the run. {run_pictures.paused.description}{dashed}",
            ),
        )
    if run_pictures.pause_timelines:
        red = f"; red areas: {faults}" if run_pictures.pause_timelines.spans else ""
        yield (
            "pauses",
            _render_svg(
                "stripes",
                run_pictures.pause_timelines,
                "Pauses over time",
                f"{run_name}: time paused, % of each interval{red}",
            ),
        )
    if run_pictures.player:
        subtitle = f"{run_name}: queue depth at the peak ({run_pictures.player.moment}), % of the maximum{dashed}"
        yield (
            "network",
            _render_svg("network", _SizedMap(run_pictures.player.picture), "Queue depth at the peak", subtitle),
        )
    for chart in (*run_pictures.charts, *run_pictures.spread):
        yield (
            _make_slug(chart.title),
            _render_svg(
                "lines",
                chart,
                chart.title,
                f"{run_name}. {chart.meaning}{f' Red areas: {faults}.' if chart.spans else ''}",
            ),
        )


def _list_faults(run: Summary) -> str:
    """The first faults, as text."""
    return "; ".join(terminal.faults(run, _FAULTS))


def _render_svg(kind: str, picture: Any, title: str, subtitle: str) -> str:
    template = environment().get_template("simulation.svg.j2")
    below = 0 if kind == "lines" else _LEGEND
    lines = textwrap.wrap(subtitle, int(picture.width / _LETTER))
    return template.render(
        kind=kind,
        drawn=picture,
        title=title,
        subtitle=lines,
        above=40 + 17 * len(lines),
        below=below,
        fonts=_FONTS,
        style=Markup(style()),
    )


@cache
def style() -> str:
    """The CSS rules for shapes with the colours of the light theme, because not all programs support CSS variables."""
    shared, simulation = document.source("style.css"), document.source("simulation.css")
    colours: dict[str, str] = {}
    for text in (simulation, shared):
        root = re.search(r":root \{(.*?)\}", text, re.DOTALL)
        assert root is not None
        colours |= dict(re.findall(r"(--[\w-]+): ([^;]+);", root[1]))
    axis = re.findall(r"^\.axis[^\n]+$", shared, re.MULTILINE)
    plain = re.sub(r"@media[^{]+\{.*", "", simulation[simulation.index("\n.") :], flags=re.DOTALL)
    return "\n".join(
        _resolve_rule(rule, colours) for rule in [*axis, *plain.splitlines()] if _resolve_rule(rule, colours)
    )


def _resolve_rule(line: str, colours: dict[str, str]) -> str:
    """A rule reduced to properties of shapes; empty if it has none."""
    match = re.fullmatch(r"([^{}]+)\{([^{}]*)\}", line.strip())
    if match is None:
        return ""
    properties = [entry.strip() for entry in match[2].split(";") if entry.split(":")[0].strip() in _SHAPE_PROPERTIES]
    text = "; ".join(re.sub(r"var\((--[\w-]+)\)", lambda match: colours[match[1]], entry) for entry in properties)
    return f"{match[1].strip()} {{ {text} }}" if text else ""


def _make_slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
