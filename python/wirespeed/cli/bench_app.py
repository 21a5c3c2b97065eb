"""``wirespeed bench``: the sub-commands that run, read and judge benchmarks. Each is a file in ``verbs/bench*.py``."""

from __future__ import annotations

import typer

from wirespeed.cli.app import app

bench = typer.Typer(
    name="bench",
    help="Run benchmarks, read their output, judge it against what the hardware can do, and remember it.",
    short_help="Run benchmarks; read their output; judge it by physical limits; compare it over time.",
    no_args_is_help=True,
)
app.add_typer(bench)
