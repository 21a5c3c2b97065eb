"""``wirespeed lab ping``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import flows
from wirespeed.cli.campaign_output import Format
from wirespeed.cli.lab_app import lab

if TYPE_CHECKING:
    from wirespeed.benchmarks.run import CampaignResult, Folder, Request
    from wirespeed.lab import Lab
    from wirespeed.results.mesh import Mesh

_SUITE = "ping"


@lab.command(short_help="Ping between all NIC addresses and check MTU, routes and counters.")
def ping(
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the lab. Default: the only lab on this machine."),
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_LAB_PING_FORMAT", help="Output format.")
    ] = Format.TABLE,
) -> None:
    """Ping between all NIC addresses of all hosts, and check MTU, route and outgoing NIC of every pair.

    For each pair: a ping of the planned MTU with "do not fragment" from the NIC's address; if it gets no reply, a small
    ping, which separates an MTU problem from a failed link; and the kernel's route from that address, compared with
    the planned rules and routes. NIC counters show whether packets left through the NIC that has the address: without
    its routing rule a ping also gets a reply, but through another NIC.

    For bad pairs the common cause is reported: switch port, related checks and known failures (`wirespeed explain ID`).
    It is the suite ping of `wirespeed bench run`, which does the same on real hosts.

    Exit code 1 when a pair or a NIC is bad, 3 when something could not be determined.

    Examples:

    \b
      sudo wirespeed lab ping
      sudo wirespeed lab ping --format json > mesh.json
    """
    import tempfile

    from wirespeed import lab as labs
    from wirespeed.benchmarks.run import ByteCounters, add_counters, read_mesh
    from wirespeed.cli.campaign_output import mesh_text
    from wirespeed.cli.console import standard_output
    from wirespeed.report.mesh import matrix

    labs.check_user()
    lab = labs.find(name)
    with tempfile.TemporaryDirectory(prefix="wirespeed-") as scratch:
        before = labs.counters(lab)
        request, folder, result = _run_ping(lab, Path(scratch) / "ping")
        after = labs.counters(lab)
        mesh = read_mesh(request, folder, result)
    assert mesh is not None
    counters_before, counters_after = (
        {key: ByteCounters(*moved) for key, moved in counters.items()} for counters in (before, after)
    )
    mesh = add_counters(request.plan, request.fabric, mesh, counters_before, counters_after)
    if form is Format.JSON:
        typer.echo(mesh_text(mesh, folder.campaign), nl=False)
    else:
        matrix(mesh, standard_output())
    raise typer.Exit(_find_exit_code(mesh))


def _run_ping(lab: Lab, path: Path) -> tuple[Request, Folder, CampaignResult]:
    """Run the suite on the lab's hosts."""
    from wirespeed import render
    from wirespeed.benchmarks import run as running
    from wirespeed.benchmarks.suites import suite
    from wirespeed.cli.interrupt import interruptible

    plan = flows.plan_cluster(Path(lab.state.file))
    fabric = running.build_fabric(plan).limit_to_hosts(lab.hosts)
    request = running.Request(plan, fabric, render.Jobs(plan))
    chosen = suite(_SUITE)
    folder = running.create_folder(path, running.make(chosen, request))
    with interruptible() as interrupted:
        result = running.run(
            chosen,
            request,
            folder,
            lab.reach(),
            lambda step, outcome, text: running.grade(plan, fabric, step, outcome, text),
            running.RunOptions(retests=0),
            lambda progress: None,
            interrupted,
        )
    if not result.complete:
        raise KeyboardInterrupt
    return request, folder, result


def _find_exit_code(mesh: Mesh) -> int:
    from wirespeed.cli.exit import Exit
    from wirespeed.results.campaign import Grade

    grades = {grade for cell in mesh.cells.values() for grade in cell.grades.values()}
    grades |= {link.grade for link in mesh.carried}
    codes = [Exit.PASSED]
    codes += [Exit.FAILED] if Grade.BAD in grades else []
    codes += [Exit.INCOMPLETE] if Grade.UNKNOWN in grades else []
    return Exit.worst(*codes)
