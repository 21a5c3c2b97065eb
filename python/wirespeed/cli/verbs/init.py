"""``wirespeed init``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wirespeed.cli.app import app


@app.command()
def init(
    path: Annotated[
        Path, typer.Argument(metavar="[DIR|FILE]", help="Output file, or a folder in which cluster.yaml is created.")
    ] = Path("cluster.yaml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented cluster file to start from.

    The file describes four hosts with eight 400G NICs each and one leaf switch. Edit it to match your cluster, then run
    `wirespeed validate` on it.

    Examples:

    \b
      wirespeed init
      wirespeed init clusters/pod1.yaml
    """
    from wirespeed.cluster import TEMPLATE
    from wirespeed.errors import refuse

    file = path / "cluster.yaml" if path.is_dir() or path.suffix not in (".yaml", ".yml") else path
    if file.exists() and not force:
        raise refuse(str(file), "the file exists", hint="--force overwrites it")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(TEMPLATE, encoding="utf-8")
    typer.echo(str(file))
