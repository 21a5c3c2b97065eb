"""``wirespeed sim``: the sub-commands that simulate. Each is a file in ``verbs/sim_*.py``."""

from __future__ import annotations

from wirespeed.cli.app import app
from wirespeed.cli.help import App, Group

sim = App(
    cls=Group,
    name="sim",
    help="Simulate lossless RoCEv2 packet by packet: queues, PFC, ECN, DCQCN, loss and recovery.",
    short_help="Simulate the network packet by packet.",
    no_args_is_help=True,
)
app.add_typer(sim)
