"""``wirespeed lab down``."""

from __future__ import annotations

from typing import Annotated

import typer

from wirespeed.cli.lab_app import lab


@lab.command(short_help="Remove a lab: its processes, namespaces and files.")
def down(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The lab; may be left out where there is one.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Remove every lab on this machine.")] = False,
) -> None:
    """Remove a lab, whole or what an interrupted command left of it. What runs inside is ended.

    Examples:

    \b
      sudo wirespeed lab down
      sudo wirespeed lab down mi300x_4node
      sudo wirespeed lab down --all
    """
    from wirespeed import lab as labs
    from wirespeed.errors import refuse

    labs.check_user()
    known = labs.names()
    if every and name is not None:
        raise refuse("lab down", f"{name} and --all", "one of them")
    if name is None and not every and len(known) != 1:
        found = f"{len(known)} labs: {', '.join(known)}" if known else "no lab"
        raise refuse("lab down", found, "one lab", "name it, or use --all" if known else None)
    for one in known if name is None else [name]:
        removed = labs.down(one)
        typer.echo(f"{one} is removed: {removed.namespaces} namespaces, {removed.processes} processes")
    labs.tidy()
