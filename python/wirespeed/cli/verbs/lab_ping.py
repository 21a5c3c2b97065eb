"""``wirespeed lab ping``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import flows
from wirespeed.cli.campaign_output import Format
from wirespeed.cli.lab_app import lab

if TYPE_CHECKING:
    from wirespeed.benchmarks.run import Ask, Done, Folder
    from wirespeed.lab import Lab
    from wirespeed.results.mesh import Mesh

_SUITE = "ping"


@lab.command(short_help="Ping every NIC address from every other, check the path, and explain what is bad.")
def ping(
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="The lab; may be left out where there is one.")
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_LAB_PING_FORMAT", help="How to print the matrix.")
    ] = Format.TABLE,
) -> None:
    """Ask every NIC address of every host from every one of every other: who reaches whom, and by which way.

    Of each pair: a ping of the planned MTU that may not be fragmented, from the NIC's own address; where none comes
    back, a small one, which tells an MTU on the way from a link that is down; and the route that the kernel takes from
    that address, held against the planned rules and routes. Counters of all NICs tell whether the packets of an address
    went over its NIC: a ping comes back without its rule too, only over another NIC.

    What bad pairs have in common is named with its switch port, the checks that tell more, and entries of the failure
    catalogue (wirespeed explain ID). It is the suite ping of wirespeed bench run, which does the same on real hosts.

    Exit code 1 when a pair or a NIC is bad, 3 when something could not be told.

    Examples:

    \b
      sudo wirespeed lab ping
      sudo wirespeed lab ping --format json > mesh.json
    """
    import tempfile

    from wirespeed import lab as labs
    from wirespeed.benchmarks.run import Moved, mesh_of, with_counters
    from wirespeed.cli.campaign_output import mesh_text
    from wirespeed.cli.console import out
    from wirespeed.report.mesh import matrix

    labs.check_user()
    found = labs.find(name)
    with tempfile.TemporaryDirectory(prefix="wirespeed-") as scratch:
        before = labs.counters(found)
        ask, folder, done = _ran(found, Path(scratch) / "ping")
        after = labs.counters(found)
        mesh = mesh_of(ask, folder, done)
    assert mesh is not None
    then, now = ({key: Moved(*moved) for key, moved in one.items()} for one in (before, after))
    mesh = with_counters(ask.plan, ask.fabric, mesh, then, now)
    if form is Format.JSON:
        typer.echo(mesh_text(mesh, folder.campaign), nl=False)
    else:
        matrix(mesh, out())
    raise typer.Exit(_exit(mesh))


def _ran(found: Lab, path: Path) -> tuple[Ask, Folder, Done]:
    """The suite on the lab's hosts."""
    from wirespeed import render
    from wirespeed.benchmarks import run as running
    from wirespeed.benchmarks.suites import suite
    from wirespeed.cli.interrupt import interruptible

    plan = flows.planned(Path(found.state.file))
    fabric = running.fabric_of(plan).of(found.hosts)
    ask = running.Ask(plan, fabric, render.Jobs(plan))
    chosen = suite(_SUITE)
    folder = running.begin(path, running.make(chosen, ask))
    with interruptible() as interrupted:
        done = running.run(
            chosen,
            ask,
            folder,
            found.reach(),
            lambda step, outcome, text: running.grade(plan, fabric, step, outcome, text),
            running.How(retests=0),
            lambda progress: None,
            interrupted,
        )
    if not done.complete:
        raise KeyboardInterrupt
    return ask, folder, done


def _exit(mesh: Mesh) -> int:
    from wirespeed.cli.exit import Exit
    from wirespeed.results.campaign import Grade

    grades = {grade for cell in mesh.cells.values() for grade in cell.grades.values()}
    grades |= {one.grade for one in mesh.carried}
    codes = [Exit.PASSED]
    codes += [Exit.FAILED] if Grade.BAD in grades else []
    codes += [Exit.INCOMPLETE] if Grade.UNKNOWN in grades else []
    return Exit.worst(*codes)
