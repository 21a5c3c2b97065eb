"""``wirespeed bench``: the sub-commands that read and judge benchmark output. Each is a file in ``verbs/bench*.py``."""

from __future__ import annotations

import typer

from wirespeed.cli.app import app

bench = typer.Typer(
    name="bench",
    help="Read benchmark output, and judge it against what the hardware can do.",
    short_help="Read benchmark output; judge it by physical limits.",
    no_args_is_help=True,
)
app.add_typer(bench)
