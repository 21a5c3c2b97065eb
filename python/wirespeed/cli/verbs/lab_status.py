"""``wirespeed lab status``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from wirespeed.cli.exit import Exit
from wirespeed.cli.lab_app import lab

SCHEMA = 1


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"


@lab.command(short_help="Show the devices, daemons, cables and routes of labs.")
def status(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Name of the lab. Default: all labs.")] = None,
    form: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_LAB_STATUS_FORMAT", help="Output format.")
    ] = Format.TABLE,
) -> None:
    """Show the current state of each lab on this machine.

    For each device: its namespace, its daemons, and how many of its planned addresses, rules and routes are in its
    kernel. For each cable: link state and MTU of both ends.

    Exit code 1 when something differs from the state after `lab up`, 3 when there is no lab.

    Examples:

    \b
      sudo wirespeed lab status
      sudo wirespeed lab status mi300x_4node --format json
    """
    from wirespeed import lab as labs
    from wirespeed.results.json import document

    labs.check_user()
    statuses = [labs.status(name)] if name is not None else labs.statuses()
    if form is Format.JSON:
        typer.echo(document("lab-status", SCHEMA, labs=statuses), nl=False)
    else:
        from wirespeed.cli.console import err, standard_output
        from wirespeed.report import lab as report

        for entry in statuses:
            report.table(entry, standard_output())
        if not statuses:
            err().print("no lab")
    if not statuses:
        raise typer.Exit(Exit.INCOMPLETE)
    raise typer.Exit(Exit.PASSED if all(lab_status.whole for lab_status in statuses) else Exit.FAILED)
