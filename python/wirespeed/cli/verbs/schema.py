"""``wirespeed schema``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wirespeed.cli.app import app


@app.command(short_help="Write the JSON Schema of the cluster file.")
def schema(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it here, not to standard output.")
    ] = None,
) -> None:
    """Write the JSON Schema of the cluster file, for editors that complete and check YAML.

    With the YAML language server, put `# yaml-language-server: $schema=cluster.schema.json` into the first line of the
    cluster file.
    """
    import json

    from wirespeed.cluster import schema as cluster_schema

    text = json.dumps(cluster_schema(), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        typer.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
