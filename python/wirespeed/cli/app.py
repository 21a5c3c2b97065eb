"""The application and its commands. Each is a file in ``verbs/`` with a function that registers itself on `app`."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Annotated, Any

import typer

from wirespeed import __version__
from wirespeed.cli.help import EXIT_CODES, WIDTH, App, Group

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
"""Order of commands in the help: the order of bringing up a cluster; others follow by name."""


class _Workflow(Group):
    def list_commands(self, ctx: Any) -> list[str]:
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: (WORKFLOW.index(name) if name in WORKFLOW else len(WORKFLOW), name))


app = App(
    name="wirespeed",
    cls=_Workflow,
    help="Plan, configure, check, benchmark and simulate a RoCEv2 (lossless Ethernet RDMA) cluster.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    context_settings={
        "auto_envvar_prefix": "WIRESPEED",
        "help_option_names": ["-h", "--help"],
        "max_content_width": WIDTH,
    },
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain text: folds paragraphs to the width of the terminal and loads no package
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"wirespeed {__version__}")
        raise typer.Exit


@app.callback()
def _define_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of the program itself."""


def _register_commands() -> None:
    """Import every file in ``verbs/``; each registers its command on `app`."""
    from wirespeed.cli import verbs

    for module in sorted(pkgutil.iter_modules(verbs.__path__), key=lambda module_info: module_info.name):
        importlib.import_module(f"{verbs.__name__}.{module.name}")


_register_commands()
