"""``wirespeed render``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.app import app

if TYPE_CHECKING:
    from wirespeed.plan import Plan
    from wirespeed.render import RenderedFile, WriteResult

SCHEMA = 1


class Format(StrEnum):
    """Output formats."""

    TEXT = "text"
    JSON = "json"


@app.command(short_help="Write the configuration files of hosts, NICs and switches.")
def render(
    cluster: Annotated[Path, typer.Argument(metavar="CLUSTER.yaml", help="Cluster file.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Output folder; created if missing.")],
    device: Annotated[
        list[str] | None,
        typer.Option(
            "--device",
            "-d",
            metavar="NODESET",
            help="Render only these devices, such as node[1-4],leaf1. Other devices in OUT are not changed.",
        ),
    ] = None,
    bundle: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            metavar="BUNDLE",
            help="Bind ranks to cores by the NUMA nodes in this bundle, instead of the planned NUMA nodes.",
        ),
    ] = None,
    format_: Annotated[
        Format,
        typer.Option(
            "--format",
            "-f",
            envvar="WIRESPEED_RENDER_FORMAT",
            help="Output format of the summary; json lists every file.",
        ),
    ] = Format.TEXT,
) -> None:
    """Write the configuration of every host, NIC and switch as files.

    A file is written to OUT/DEVICE/ followed by the path at which it is installed. Each host has apply.sh and
    rollback.sh: without --yes they only print the changes and which traffic is interrupted. Each switch has the
    commands to apply the configuration and to roll it back. Ansible playbooks apply the files on many hosts. To
    switches they only copy the files. wirespeed itself changes no device.

    OUT is written atomically. The same cluster file, with the same bundle, gives identical files.

    Each rendered script finds interfaces, PCIe switches, GPUs and NUMA nodes on the host at run time. The files
    contain the cores of ranks. They are computed from the planned NUMA nodes, or with --bundle from the NUMA nodes in
    the bundle.

    Examples:

    \b
      wirespeed render cluster.yaml -o out
      wirespeed render cluster.yaml -o out --device node[1-4],leaf1
      wirespeed render cluster.yaml -o out --bundle bundle.tar.gz
    """
    from wirespeed import render as rendering
    from wirespeed.cli import flows

    plan = flows.plan_cluster(cluster)
    if bundle is not None:
        plan = flows.locate_ranks(plan, bundle)
    devices = rendering.select_devices(plan, expand_nodesets(device))
    rendered: list[RenderedFile] = []
    files = (
        _record_files(rendering.files(plan, devices), rendered)
        if format_ is Format.JSON
        else rendering.files(plan, devices)
    )
    _print_summary(plan, output, _write_files(plan, files, devices, output), rendered, format_)


def expand_nodesets(nodesets: Sequence[str] | None) -> list[str] | None:
    """The devices of node ranges; None if none is given.

    Raises:
        Refusal: a text is not a node range.
    """
    from wirespeed.cluster.fields import Unfit
    from wirespeed.cluster.ranges import expand_names
    from wirespeed.errors import refuse

    if not nodesets:
        return None
    names: list[str] = []
    for text in nodesets:
        try:
            names += expand_names(text)
        except Unfit as unfit:
            raise refuse("--device", repr(text), str(unfit.expected), unfit.hint) from None
    return names


def _record_files(files: Iterator[RenderedFile], rendered: list[RenderedFile]) -> Iterator[RenderedFile]:
    for file in files:
        rendered.append(file)
        yield file


def _write_files(plan: Plan, files: Iterator[RenderedFile], devices: Sequence[str], output: Path) -> WriteResult:
    from rich.progress import Progress

    from wirespeed import render as rendering
    from wirespeed.cli.console import err

    with Progress(console=err(), transient=True, disable=not err().is_terminal) as progress:
        task = progress.add_task("rendering", total=len(devices))
        return rendering.write(
            files, output, plan.name, lambda _: progress.advance(task), lambda names: rendering.ansible(plan, names)
        )


def _print_summary(
    plan: Plan, output: Path, write_result: WriteResult, rendered: Sequence[RenderedFile], format_: Format
) -> None:
    from wirespeed.cli.console import standard_output
    from wirespeed.results.json import document

    if format_ is Format.JSON:
        files = [
            {
                "device": file.device,
                "path": file.path,
                "file": f"{file.device}/{file.relative}",
                "mode": f"{file.mode:o}",
                "bytes": len(file.text.encode()),
            }
            for file in rendered
        ]
        typer.echo(document("rendered-files", SCHEMA, cluster=plan.name, folder=str(output), files=files), nl=False)
        return
    count = len(write_result.devices)
    devices = f"{count} device{'' if count == 1 else 's'}"
    scripts = write_result.scripts
    root_scripts = "software-install.sh, then apply.sh" if "software-install.sh" in scripts else "apply.sh"
    actions = {
        f"run {root_scripts} on each host": plan.hosts.keys() & write_result.devices,
        "run job-programs.sh as the user of the jobs": {"job-programs.sh"} & scripts,
        "follow wirespeed-apply.txt on each switch": plan.switches.keys() & write_result.devices,
    }
    steps = ", ".join(action for action, names in actions.items() if names)
    standard_output().print(
        f"wrote {write_result.files} files for {devices} to {output}; next: {steps}",
        markup=False,
        soft_wrap=True,
    )
