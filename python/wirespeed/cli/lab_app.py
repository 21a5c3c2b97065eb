"""``wirespeed lab``: the sub-commands that build and use a lab. Each is a file in ``verbs/lab_*.py``."""

from __future__ import annotations

from wirespeed.cli.app import app
from wirespeed.cli.help import App, Group

lab = App(
    cls=Group,
    name="lab",
    help="Emulate a cluster on this Linux machine before it is cabled: hosts and switches are network namespaces.",
    short_help="Emulate a cluster in network namespaces of this machine.",
    no_args_is_help=True,
)
app.add_typer(lab)
