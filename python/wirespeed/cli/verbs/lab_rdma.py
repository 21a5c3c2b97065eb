"""``wirespeed lab rdma``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import flows
from wirespeed.cli.help import Command
from wirespeed.cli.lab_app import lab

if TYPE_CHECKING:
    from wirespeed.lab import Lab

_COMMAND = "wirespeed.command"


class _BeforeACommand(Command):
    """A command line whose options end at ``--``; the rest is a command to run."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Store the command after ``--``, and parse the arguments before it."""
        options, dashes, command = args, "--" in args, list[str]()
        if dashes:
            position = args.index("--")
            options, command = args[:position], args[position + 1 :]
        ctx.meta[_COMMAND] = command
        return super().parse_args(ctx, options)

    def collect_usage_pieces(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """Show the position of the command in the usage line."""
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND…]"]


@lab.command(cls=_BeforeACommand, short_help="Build a lab of virtual machines with soft-RoCE, and run a command in it.")
def rdma(
    ctx: typer.Context,
    cluster: Annotated[Path, typer.Argument(metavar="CLUSTER.yaml", help="Cluster file.")],
    hosts: Annotated[
        int, typer.Option("--hosts", metavar="N", min=1, help="Number of hosts: the first N of the cluster file.")
    ] = 2,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the lab. Default: the cluster name, with _ for -."),
    ] = None,
    kernel: Annotated[
        Path | None,
        typer.Option(
            "--kernel",
            metavar="DIR|FILE.deb",
            help="Kernel with rdma_rxe: a Debian package, packed or unpacked, or / for the installed "
            "kernel. Default: an earlier download, else the installed kernel, else Debian's "
            "(70 MB download with apt-get).",
        ),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", "-k", metavar="DIR", help="Folder of this machine that the hosts can write to."),
    ] = None,
) -> None:
    """Build hosts as virtual machines with soft-RoCE NICs, connected to the switches of a lab. Needs Linux and root.

    Each host has its own Linux kernel. For every planned NIC it has a virtual NIC with the planned name, MTU,
    addresses, routes and rules (configured by netplan files with systemd-networkd) and a soft-RoCE device with the
    planned name. Hosts see this machine's files; what they write is lost with the lab, except in the folder of --keep.
    The CPU is emulated, so no virtualization support is needed, but hosts are slow: output formats and faults are
    realistic, performance is not.

    With a command, the command runs on the first host and the lab is then removed. Without, the lab stays until
    `wirespeed lab down`; `wirespeed lab exec` runs commands on its hosts and switches, and hosts reach each other by
    ssh.

    Examples:

    \b
      sudo wirespeed lab rdma cluster.yaml -- ibv_devinfo
      sudo wirespeed lab rdma cluster.yaml
      sudo wirespeed lab exec node1 -- rdma statistic
      sudo wirespeed lab down
    """
    from wirespeed import lab as labs
    from wirespeed import render
    from wirespeed.cli.console import err
    from wirespeed.lab.rdma import build as machines

    machines.check()
    plan = flows.plan_cluster(cluster)
    chosen = labs.select_hosts(plan, hosts)

    def print_step(message: str) -> None:
        err().print(message, markup=False, soft_wrap=True)

    built = machines.up(
        plan,
        labs.lab_name(name, plan.name),
        chosen,
        render.files(plan, chosen),
        render.routing_daemons,
        cluster,
        print_step,
        kernel,
        _prepare_folder(keep),
    )
    command = ctx.meta[_COMMAND]
    if command:
        raise typer.Exit(_run_command(built, command))
    for line in built.state.left_out:
        err().print(f"not applied: {line}", markup=False, soft_wrap=True)
    typer.echo(f"{built.name} is up: {', '.join((*built.hosts, *built.switches))}")


def _prepare_folder(keep: Path | None) -> Path | None:
    if keep is None:
        return None
    keep.mkdir(parents=True, exist_ok=True)
    return keep.resolve()


def _run_command(built: Lab, command: list[str]) -> int:
    """Run a command on the first host, and remove the lab in any case."""
    from wirespeed import lab as labs
    from wirespeed.reach import run_attached

    try:
        return run_attached((*built.prefix(built.hosts[0]), *command))
    finally:
        labs.remove_lab(built.name)
        labs.tidy()
