"""``wirespeed schema``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wirespeed.cli.app import app


@app.command(short_help="Write the JSON Schema of cluster files or traffic files.")
def schema(
    traffic: Annotated[
        bool,
        typer.Option(
            "--traffic", help="Write the schema of traffic files (input of `sim run`) instead of cluster files."
        ),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Output file. Default: standard output.")
    ] = None,
) -> None:
    """Write the JSON Schema of cluster files or traffic files, for editors that complete and check YAML.

    For the YAML language server, add `# yaml-language-server: $schema=cluster.schema.json` as the first line of the
    cluster file.

    Examples:

    \b
      wirespeed schema -o cluster.schema.json
      wirespeed schema --traffic -o traffic.schema.json
    """
    import json

    if traffic:
        from wirespeed.simulation.workload import traffic_schema as found
    else:
        from wirespeed.cluster import schema as found

    text = json.dumps(found(), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        typer.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
