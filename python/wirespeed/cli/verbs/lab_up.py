"""``wirespeed lab up``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import flows
from wirespeed.cli.host_selection import list_chosen_hosts
from wirespeed.cli.lab_app import lab

if TYPE_CHECKING:
    from wirespeed.plan import Plan


@lab.command(short_help="Build a lab from hosts of a cluster file and the switches they need.")
def up(
    cluster: Annotated[Path, typer.Argument(metavar="CLUSTER.yaml", help="Cluster file.")],
    hosts: Annotated[
        str | None,
        typer.Option(
            "--hosts",
            "-w",
            metavar="N|NODES",
            help="Number of hosts (the first N of the cluster file), or their names, such as node[1-4]. Default: all.",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the lab. Default: the cluster name, with _ for -."),
    ] = None,
    kernel_routes: Annotated[
        bool,
        typer.Option(
            "--kernel-routes",
            help="Write the routes between switches directly into the kernels, without routing daemons.",
        ),
    ] = False,
) -> None:
    """Build hosts and switches of a cluster file as network namespaces of this machine. Needs Linux and root.

    Each cable is a veth pair with the planned interface names and MAC addresses. The files rendered for a host are
    loaded by the programs that load them on real hosts: netplan and a systemd-networkd inside the namespace. Switches
    have their planned addresses, subnets and MTUs; FRRouting runs the planned BGP sessions, numbered or unnumbered. The
    lab is up when every planned address, rule and route is in the kernels.

    A lab creates namespaces with names that begin with wsl-, their processes, and files in /run/wirespeed. It changes
    no setting of the whole machine. `wirespeed lab down` removes everything, also after a crash.

    Not modelled: link speeds, PFC, ECN marking, buffers, and settings of NICs, firmware or the whole kernel.

    Examples:

    \b
      sudo wirespeed lab up cluster.yaml --hosts 2
      sudo wirespeed lab up cluster.yaml --hosts node[1,33] --name two_pods
      sudo wirespeed lab exec node1 -- ping -c1 -I 10.1.0.1 10.1.0.17
      sudo wirespeed lab down
    """
    from wirespeed import lab as labs
    from wirespeed import render
    from wirespeed.cli.console import err

    labs.check_user()
    plan = flows.plan_cluster(cluster)
    chosen = _select_hosts(plan, hosts)
    files = render.files(plan, chosen)
    design = labs.design(
        plan, labs.lab_name(name, plan.name), chosen, files, None if kernel_routes else render.routing_daemons
    )
    built = labs.up(design, cluster, lambda message: err().print(message, markup=False, soft_wrap=True))
    for line in built.state.left_out:
        err().print(f"not applied: {line}", markup=False, soft_wrap=True)
    typer.echo(f"{built.name} is up: {', '.join((*built.hosts, *built.switches))}")


def _select_hosts(plan: Plan, hosts: str | None) -> tuple[str, ...]:
    """The first N hosts, or the hosts of a node range."""
    from wirespeed import lab as labs

    if hosts is None or hosts.isdecimal():
        return labs.select_hosts(plan, None if hosts is None else int(hosts))
    return tuple(list_chosen_hosts(plan, hosts) or ())
