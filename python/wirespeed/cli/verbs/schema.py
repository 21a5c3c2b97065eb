"""``wirespeed schema``."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from wirespeed.cli.app import app


class Form(StrEnum):
    """File types that have a schema."""

    CLUSTER = "cluster"
    TRAFFIC = "traffic"
    SCENARIO = "scenario"
    SUMMARY = "summary"
    PROFILE = "profile"


@app.command(short_help="Write the JSON Schema of cluster, traffic, scenario, summary or profile files.")
def schema(
    form: Annotated[
        Form,
        typer.Argument(
            metavar="[FILE_TYPE]",
            help="File type: cluster, traffic (input of `sim run`), scenario (input of `sim run`, JSON), summary "
            "(output of `sim run`, JSON) or profile (acceptance profile of `bench judge`). Default: cluster.",
            show_default=False,
        ),
    ] = Form.CLUSTER,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Output file. Default: standard output.")
    ] = None,
) -> None:
    """Write the JSON Schema of a file type, for editors that complete and check YAML or JSON.

    For the YAML language server, add `# yaml-language-server: $schema=cluster.schema.json` as the first line of the
    cluster file.

    Examples:

    \b
      wirespeed schema -o cluster.schema.json
      wirespeed schema traffic -o traffic.schema.json
      wirespeed schema scenario -o scenario.schema.json
      wirespeed schema profile -o profile.schema.json
    """
    import json

    text = json.dumps(_build_schema(form), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        typer.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


def _build_schema(form: Form) -> Mapping[str, Any]:
    match form:
        case Form.CLUSTER:
            from wirespeed.cluster import schema

            return schema()
        case Form.TRAFFIC:
            from wirespeed.simulation.workload import traffic_schema

            return traffic_schema()
        case Form.SCENARIO:
            from wirespeed.simulation import scenario_schema

            return scenario_schema()
        case Form.SUMMARY:
            from wirespeed.simulation import summary_schema

            return summary_schema()
        case Form.PROFILE:
            from wirespeed.benchmarks.judge import profile

            return profile.schema()
