"""``wirespeed bench``: the sub-commands that run, read and judge benchmarks. Each is a file in ``verbs/bench*.py``."""

from __future__ import annotations

from wirespeed.cli.app import app
from wirespeed.cli.help import App, Group

bench = App(
    cls=Group,
    name="bench",
    help="Run benchmarks, parse their output, judge it against hardware limits, and store and compare results.",
    short_help="Run, parse, judge, store and compare benchmarks.",
    no_args_is_help=True,
)
app.add_typer(bench)
