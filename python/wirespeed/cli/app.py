"""The application and its verbs. A verb is a file here with a function of the same name that registers itself."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from wirespeed import __version__

WORKFLOW = (
    "init",
    "validate",
    "plan",
    "render",
    "diff",
    "collect",
    "check",
    "explain",
    "bench",
    "sim",
    "lab",
    "report",
    "list",
    "schema",
)
"""Verbs in the order a cluster is brought up, for the help; others follow by name."""


class _Workflow(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: (WORKFLOW.index(name) if name in WORKFLOW else len(WORKFLOW), name))


app = typer.Typer(
    name="wirespeed",
    cls=_Workflow,
    help="Get a lossless Ethernet RDMA (RoCEv2) cluster to wire speed, and keep it there.",
    no_args_is_help=True,
    context_settings={"auto_envvar_prefix": "WIRESPEED", "help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain text: it folds paragraphs to the terminal and loads nothing
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"wirespeed {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Options of every verb."""


def _register() -> None:
    """Import every verb's file in ``verbs/``; each registers its command on `app`."""
    from wirespeed.cli import verbs

    for module in sorted(pkgutil.iter_modules(verbs.__path__), key=lambda found: found.name):
        importlib.import_module(f"{verbs.__name__}.{module.name}")


_register()
