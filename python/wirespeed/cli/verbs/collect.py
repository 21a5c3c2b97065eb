"""``wirespeed collect``."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.app import app

if TYPE_CHECKING:
    from wirespeed.collect import PublishedCommand


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"


@app.command(short_help="Collect the raw command output of devices into a bundle.")
def collect(
    local: Annotated[
        bool, typer.Option("--local", allow_from_autoenv=False, help="Collect from this machine.")
    ] = False,
    as_planned: Annotated[
        Path | None,
        typer.Option(
            "--as-planned",
            metavar="CLUSTER.yaml",
            help="Write a synthetic bundle of a cluster that matches its plan exactly, as a reference or example.",
        ),
    ] = None,
    lab: Annotated[
        str | None,
        typer.Option("--lab", metavar="NAME", help="Collect from the hosts and switches of this lab."),
    ] = None,
    show_commands: Annotated[
        bool,
        typer.Option(
            "--show-commands",
            allow_from_autoenv=False,
            help="Print all commands that can be run, without running any.",
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="BUNDLE",
            help="Bundle to write: a folder, or an archive if the name ends in .tar.gz. Default: HOST.tar.gz, "
            "LAB.tar.gz or CLUSTER.tar.gz.",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="HOST", help="Name of this machine in the cluster file. Default: its host name."),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", min=0.1, help="Maximum time per command, in seconds. Default: a limit per command."
        ),
    ] = None,
    timeout_factor: Annotated[
        float,
        typer.Option(
            metavar="FACTOR", min=1, max=100, help="Multiply every command's timeout by this factor, for slow machines."
        ),
    ] = 1,
    form: Annotated[
        Format,
        typer.Option("--format", "-f", envvar="WIRESPEED_COLLECT_FORMAT", help="Output format of --show-commands."),
    ] = Format.TABLE,
) -> None:
    """Collect the raw command output of devices, with exit codes and durations, into a bundle for `wirespeed check`.

    Only the commands listed by --show-commands are run; none of them changes a device. A command that is missing, is
    not permitted or times out is recorded, and its settings are reported as unknown. Some commands need root: run
    with sudo. Ctrl-C writes the output collected so far.

    Lab devices share the machine's hardware: only network settings are collected, all others are unknown.

    Examples:

    \b
      sudo wirespeed collect --local -o node1.tar.gz
      sudo wirespeed collect --lab mi300x_4node -o lab.tar.gz
      wirespeed collect --show-commands
    """
    from wirespeed.errors import refuse

    chosen = [option for option, is_given in _list_sources(local, as_planned, lab, show_commands) if is_given]
    if len(chosen) != 1:
        problem = f"{' and '.join(chosen)} exclude each other" if chosen else "no source to collect from"
        raise refuse(
            "collect", problem, hint="give one of --local, --lab NAME, --as-planned CLUSTER.yaml, --show-commands"
        )
    if show_commands:
        _show_commands(form)
    elif as_planned is not None:
        _write_planned(as_planned, output)
    elif lab is not None:
        _collect_lab(lab, output, timeout, timeout_factor)
    else:
        _collect_local(output, name, timeout, timeout_factor)


def _list_sources(
    local: bool, as_planned: Path | None, lab: str | None, show_commands: bool
) -> tuple[tuple[str, bool], ...]:
    return (
        ("--local", local),
        ("--as-planned", as_planned is not None),
        ("--lab", lab is not None),
        ("--show-commands", show_commands),
    )


def _collect_local(output: Path | None, name: str | None, timeout: float | None, timeout_factor: float) -> None:
    import os

    from wirespeed.cli.console import err
    from wirespeed.collect import collect_local

    host = name or os.uname().nodename
    path = output or Path(f"{host}.tar.gz")
    with err().status(_describe_progress(host, "")) as status:
        try:
            collect_local(
                path, name, timeout, lambda command: status.update(_describe_progress(host, command)), timeout_factor
            )
        except KeyboardInterrupt:
            err().print(f"interrupted: the output collected so far is in {path}", markup=False)
            raise
    _report_bundle(path)


def _collect_lab(name: str, output: Path | None, timeout: float | None, timeout_factor: float) -> None:
    """Collect from the namespaces of a lab: network settings, and on switches the Linux kernel and FRR."""
    from functools import partial

    from wirespeed import lab as labs
    from wirespeed.cli import flows
    from wirespeed.cli.console import err
    from wirespeed.collect import Machine, collect_machines, platform_key

    labs.check_user()
    lab = labs.find(name)
    plan = flows.plan_cluster(Path(lab.state.file))
    reasons_off = {device: f"it is off: {fault.title}" for fault in lab.state.faults for device in fault.dead}
    wanted = [
        Machine(
            device,
            platform_key("host", plan.hosts[device].os) if device in lab.hosts else ("switch", "linux"),
            partial(lab.run_collected, device),
            network=not lab.device(device).machine,
            unreachable_reason=reasons_off.get(device),
        )
        for device in (*lab.hosts, *lab.switches)
    ]
    path = output or Path(f"{lab.name}.tar.gz")
    with err().status(_describe_progress(f"lab {lab.name}", "")) as status:
        try:
            doing = partial(_describe_progress, f"lab {lab.name}")
            collect_machines(
                path, wanted, plan.name, timeout, lambda command: status.update(doing(command)), timeout_factor
            )
        except KeyboardInterrupt:
            err().print(f"interrupted: the output collected so far is in {path}", markup=False)
            raise
    _report_bundle(path)


def _describe_progress(host: str, command: str) -> str:
    from rich.markup import escape

    return escape(f"collecting from {host}: {command[:60]}")


def _write_planned(cluster: Path, output: Path | None) -> None:
    from wirespeed.cli import flows
    from wirespeed.collect import write_planned_bundle

    plan = flows.plan_cluster(cluster)
    path = output or Path(f"{plan.name}.tar.gz")
    write_planned_bundle(plan, path)
    _report_bundle(path, cluster)


def _report_bundle(path: Path, cluster: Path | None = None) -> None:
    """Print the bundle's path to standard output; the outcome of the commands and the next step to standard error."""
    from wirespeed.cli.console import err, escape
    from wirespeed.collect import open_bundle
    from wirespeed.errors import format_first

    entries = [entry for device in open_bundle(path).manifest.devices for entry in device.outputs]
    counts = Counter(entry.status for entry in entries)
    summary = ", ".join(f"{number:,} {_STATUS_LABELS.get(status, status)}" for status, number in counts.most_common())
    err().print(f"{len(entries):,} commands: {summary}")
    for entry in entries:
        if entry.status in ("permission", "timeout"):
            err().print(
                f"  [yellow]{entry.status}[/]: {escape(entry.run)}: {escape(entry.detail or '')}", soft_wrap=True
            )
    failed = list(dict.fromkeys(entry.run for entry in entries if entry.status == "failed"))
    if failed:
        commands = format_first([f"`{command}`" for command in failed], _NAMED)
        text = f"  failed: {commands}; settings that only these commands read are unknown"
        err().print(text, markup=False, soft_wrap=True)
    err().print(f"next: `wirespeed check {cluster or 'CLUSTER.yaml'} {path}`", markup=False, soft_wrap=True)
    typer.echo(str(path))


_NAMED = 10  # maximum number of failed commands in one sentence

_STATUS_LABELS = {
    "missing": "program not installed",
    "not-applicable": "not applicable",
    "permission": "permission denied",
    "timeout": "timed out",
}
"""Texts of the statuses in a manifest."""


def _show_commands(form: Format) -> None:
    from wirespeed.collect import list_published_commands

    commands = list_published_commands()
    if form is Format.JSON:
        _print_json(commands)
        return
    platform = ""
    for command in commands:
        if command.platform != platform:
            platform = command.platform
            typer.echo(f"{'' if platform == commands[0].platform else chr(10)}# {platform}: {command.title}")
        marks = [mark for mark, set_ in (("root", command.root), ("per NIC", command.per_nic)) if set_]
        typer.echo(command.run + (f"    # {', '.join(marks)}" if marks else ""))


def _print_json(commands: tuple[PublishedCommand, ...]) -> None:
    import json

    document = {
        "kind": "commands",
        "schema": 1,
        "commands": [
            {
                "platform": command.platform,
                "id": command.id,
                "run": command.run,
                "root": command.root,
                "per_nic": command.per_nic,
                "reads": list(command.reads),
            }
            for command in commands
        ],
    }
    typer.echo(json.dumps(document, indent=1))
