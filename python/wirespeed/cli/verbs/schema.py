"""``wirespeed schema``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wirespeed.cli.app import app


@app.command(short_help="Write the JSON Schema of cluster or traffic files.")
def schema(
    traffic: Annotated[
        bool, typer.Option("--traffic", help="The schema of traffic files, which `sim run` takes, instead.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it here, not to standard output.")
    ] = None,
) -> None:
    """Write the JSON Schema of cluster files, or of traffic files, for editors that complete and check YAML.

    With the YAML language server, put `# yaml-language-server: $schema=cluster.schema.json` into the first line of the
    cluster file.
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
