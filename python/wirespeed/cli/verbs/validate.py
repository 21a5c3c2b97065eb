"""``wirespeed validate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wirespeed.cli.app import app
from wirespeed.cli.exit import Exit


@app.command(short_help="Check that a cluster file is valid and supported by its devices.")
def validate(
    cluster: Annotated[Path, typer.Argument(metavar="CLUSTER.yaml", help="Cluster file.")],
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as failures (exit code 1).")] = False,
) -> None:
    """Check that a cluster file is valid, consistent, and supported by its devices.

    Each problem is reported with its line, the value found, the expected value and a hint. First every value is
    checked. If all values are valid, it is checked that they match each other. Validate the file again after each
    change.

    Exit code 2 when the file is refused, 1 with --strict when there are warnings, 0 otherwise.

    Examples:

    \b
      wirespeed validate cluster.yaml
      wirespeed validate cluster.yaml --strict
    """
    from wirespeed.cli import flows

    plan = flows.plan_cluster(cluster)
    nics = [nic for host in plan.hosts.values() for nic in host.nics.values()]
    bonds = sum(nic.bond.mode is not None for nic in nics)
    fabric_nics = sum(nic.model is not None for nic in nics)
    ports = len(nics) - fabric_nics - bonds
    ethernet = f"{_format_count(ports, 'Ethernet port')}, {_format_count(bonds, 'bond')}, " if ports or bonds else ""
    typer.echo(
        f"{cluster}: ok: {_format_count(len(plan.hosts), 'host')}, {_format_count(fabric_nics, 'NIC port')}, {ethernet}"
        f"{_format_count(len(plan.switches), 'switch', 'switches')}, {_format_count(len(plan.cables), 'cable')}, "
        f"{_format_count(len(plan.warnings), 'warning')}"
    )
    raise typer.Exit(Exit.FAILED if strict and plan.warnings else Exit.PASSED)


def _format_count(number: int, singular: str, plural: str | None = None) -> str:
    return f"{number} {singular if number == 1 else plural or singular + 's'}"
