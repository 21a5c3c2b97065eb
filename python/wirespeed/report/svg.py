"""The topology as a picture of its own, without findings: a file that browsers and drawing programs open."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from wirespeed.report import picture
from wirespeed.results.topology import Topology


def svg(topology: Topology, name: str) -> str:
    """The SVG document; the same topology gives the same bytes."""
    environment = Environment(
        loader=PackageLoader("wirespeed.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("picture.svg.j2").render(name=name, picture=picture.draw(topology, ()))
