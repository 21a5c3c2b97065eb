"""Stand-alone SVG files for browsers and drawing programs: the topology, a pair matrix."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from wirespeed.report import heatmap, picture, wording
from wirespeed.results.peers import Matrix
from wirespeed.results.topology import Topology

_STEP = 84  # distance between two shades of the legend


def svg(topology: Topology, name: str) -> str:
    """The SVG document of a topology, without findings; the same topology gives the same bytes."""
    return _create_environment().get_template("picture.svg.j2").render(name=name, picture=picture.draw(topology, ()))


def pair_matrix(matrix: Matrix) -> str:
    """The SVG document of the first square of a matrix; the same matrix gives the same bytes."""
    picture = heatmap.heats(matrix)[0]
    legend = heatmap.legend()
    template = _create_environment().get_template("pair_matrix.svg.j2")
    width = max(picture.width, len(legend) * _STEP) + 40
    return template.render(title=wording.line(matrix.title), picture=picture, legend=legend, step=_STEP, width=width)


def _create_environment() -> Environment:
    return Environment(
        loader=PackageLoader("wirespeed.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
