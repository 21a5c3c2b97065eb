"""``wirespeed lab fault``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import flows
from wirespeed.cli.lab_app import lab

if TYPE_CHECKING:
    from wirespeed.lab import Lab


@lab.command(short_help="Inject a fault into a lab, or remove it.")
def fault(
    kind: Annotated[
        str | None,
        typer.Argument(metavar="[KIND]", help="Kind of fault. Default: list the kinds and the active faults."),
    ] = None,
    device: Annotated[
        str | None, typer.Option("--device", metavar="DEVICE", help="Host or switch. Default: the first suitable one.")
    ] = None,
    port: Annotated[
        str | None,
        typer.Option("--port", metavar="PORT", help="Port, NIC or RDMA device of DEVICE. Default: the first."),
    ] = None,
    undo: Annotated[
        bool,
        typer.Option(
            "--undo", allow_from_autoenv=False, help="Remove the faults of this kind; without KIND all faults."
        ),
    ] = False,
    mitigate: Annotated[
        bool,
        typer.Option(
            "--mitigate",
            help="Keep the fault, but apply the planned settings against its effect (one-subnet: arp_ignore, "
            "arp_announce).",
        ),
    ] = False,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the lab. Default: the only lab on this machine."),
    ] = None,
) -> None:
    """Inject a fault that occurs in real clusters into a lab, to see how checks and tools report it.

    \b
    mtu           a leaf port with MTU 1500
    port-down     a leaf port that is down
    missing-rule  the routing rule of a NIC is missing
    one-subnet    all NICs of the hosts under a leaf in one subnet, with default ARP settings (ARP flux)
    dead-spine    a spine switch that is powered off (all its links down)

    Faults are stored with the lab: `lab status` lists them, --undo removes them, and `lab down` removes them
    with the lab. `wirespeed lab ping` shows the affected NIC pairs; `wirespeed collect --lab` and `wirespeed check`
    find the cause.

    Examples:

    \b
      sudo wirespeed lab fault mtu --device node2 --port bnxt_re3
      sudo wirespeed lab ping
      sudo wirespeed lab fault --undo
      sudo wirespeed lab fault one-subnet && sudo wirespeed lab fault one-subnet --mitigate
    """
    from wirespeed import lab as labs
    from wirespeed.errors import refuse

    labs.check_user()
    lab = labs.find(name)
    if undo and mitigate:
        raise refuse("lab fault", "both --undo and --mitigate are given", hint="give one of them")
    if (undo or mitigate) and (device or port):
        raise refuse("lab fault", "--undo and --mitigate do not take --device or --port", hint="omit them")
    if undo:
        _undo_faults(lab, kind)
    elif kind is None:
        if mitigate:
            raise refuse(
                "lab fault --mitigate", "the kind of fault is missing", hint="`wirespeed lab fault` lists active faults"
            )
        _list_faults(lab)
    elif mitigate:
        _print_effect(
            lab,
            kind,
            labs.mitigate(lab.name, kind).effect
            + "; the fault stays, and the planned settings that prevent its effect are applied",
        )
    else:
        new_fault = labs.make_fault(lab.name, flows.plan_cluster(Path(lab.state.file)), kind, device, port)
        _print_effect(lab, kind, new_fault.effect)


def _list_faults(lab: Lab) -> None:
    from wirespeed import lab as labs

    for fault_kind in labs.fault_kinds().values():
        typer.echo(f"{fault_kind.name:13} {fault_kind.title}")
    for active_fault in lab.state.faults:
        typer.echo(f"active in {lab.name}: {active_fault.title}: {active_fault.effect}")


def _undo_faults(lab: Lab, kind: str | None) -> None:
    from wirespeed import lab as labs

    undone = labs.undo_faults(lab.name, None if kind is None else [kind])
    for fault in undone:
        typer.echo(f"removed: {fault.title}")
    if not undone:
        typer.echo("no active fault of this kind" if kind else "no active fault")


def _print_effect(lab: Lab, kind: str, message: str) -> None:
    """Print the effect of the fault, and how to see it if a ping does not show it."""
    from wirespeed import lab as labs

    typer.echo(message)
    show = labs.fault_kinds()[kind].show
    lab_with_fault = labs.find(lab.name)
    active = next(fault for fault in reversed(lab_with_fault.state.faults) if fault.kind == kind)
    for line in show(lab_with_fault, active) if show else ():
        typer.echo(line)
