"""``wirespeed lab``: the sub-commands that build and use a lab. Each is a file in ``verbs/lab_*.py``."""

from __future__ import annotations

import typer

from wirespeed.cli.app import app

lab = typer.Typer(
    name="lab",
    help="Try a cluster before it is cabled: its hosts and switches as network namespaces of this Linux machine.",
    short_help="Try a cluster before it is cabled, in network namespaces of this machine.",
    no_args_is_help=True,
)
app.add_typer(lab)
