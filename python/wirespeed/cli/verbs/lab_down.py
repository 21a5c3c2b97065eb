"""``wirespeed lab down``."""

from __future__ import annotations

from typing import Annotated

import typer

from wirespeed.cli.lab_app import lab


@lab.command("down", short_help="Remove a lab with its processes, namespaces and files.")
def lab_down(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Name of the lab. Default: the only lab on this machine.")
    ] = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            allow_from_autoenv=False,
            help="Remove all labs on this machine.",
        ),
    ] = False,
) -> None:
    """Remove a lab with its processes, namespaces and files, also one that an interrupted command left incomplete.

    Examples:

    \b
      sudo wirespeed lab down
      sudo wirespeed lab down mi300x_4node
      sudo wirespeed lab down --all
    """
    from wirespeed import lab as labs
    from wirespeed.errors import refuse

    labs.check_user()
    lab_names = labs.names()
    if every and name is not None:
        raise refuse("lab down", f"both {name} and --all are given", hint="give one of them")
    if name is None and not every and len(lab_names) != 1:
        problem = (
            f"this machine has {len(lab_names)} labs: {', '.join(lab_names)}"
            if lab_names
            else "this machine has no lab"
        )
        raise refuse("lab down", problem, hint="give the name of one, or --all" if lab_names else None)
    for lab_name in lab_names if name is None else [name]:
        removed = labs.remove_lab(lab_name)
        typer.echo(f"removed {lab_name}: {removed.namespaces} namespaces, {removed.processes} processes")
    labs.tidy()
