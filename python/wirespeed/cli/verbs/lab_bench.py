"""``wirespeed lab bench``."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import flows
from wirespeed.cli.campaign_output import Format, load, print_outcome, show
from wirespeed.cli.campaign_run import execute, exit_of, folder_of, store_logs
from wirespeed.cli.host_selection import chosen_hosts
from wirespeed.cli.lab_app import lab

if TYPE_CHECKING:
    from wirespeed.benchmarks.run import Ask
    from wirespeed.benchmarks.suites import Suite
    from wirespeed.lab import Lab

_SECONDS = 2  # TCP between namespaces is at its rate within milliseconds
_LISTEN_S = 300.0  # of a server in a machine, whose processor has to wait for a real one
_MESSAGES = 50  # of 300 us and more each between machines whose processors are emulated
_OF_NAMESPACES = (
    "Figures say how fast this machine moves data between its own namespaces, and nothing of the cluster: they stand "
    "against what two hosts with nothing between them reach, never against limits of the cluster."
)
_OF_MACHINES = "Figures say how fast emulated processors are, and nothing of the cluster: they are shown alone."


@lab.command(short_help="Run iperf3 or MPI between the hosts of a lab, against this machine's own limit.")
def bench(
    suite: Annotated[str, typer.Argument(metavar="[SUITE]", help="tcp, mpi or ping; of lab rdma others too.")] = "tcp",
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="The lab; may be left out where there is one.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "--out", "-o", metavar="DIR", help="Where logs and journal go.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what an earlier run in DIR left open.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print every command, and run none.")] = False,
    hosts: Annotated[
        str | None, typer.Option("--hosts", "-w", metavar="NODES", help="These hosts alone, such as node[1-4,7].")
    ] = None,
    path: Annotated[
        list[str] | None, typer.Option("--path", metavar="DIR", help="Look for programs there first; repeat.")
    ] = None,
    seconds: Annotated[
        int, typer.Option("--seconds", metavar="SECONDS", min=1, max=86400, help="Length of a bandwidth measurement.")
    ] = _SECONDS,
    messages: Annotated[
        int, typer.Option("--messages", metavar="COUNT", min=5, max=10**9, help="Messages of an RDMA latency test.")
    ] = _MESSAGES,
    retest: Annotated[
        int, typer.Option("--retest", metavar="TIMES", min=0, max=10, help="Run what is bad again, this often.")
    ] = 1,
    at_once: Annotated[
        int,
        typer.Option("--at-once", metavar="RUNS", min=1, max=1024, help="Most runs at a time: they share the cores."),
    ] = 1,
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", min=1024, max=60000, help="First TCP port of servers on the hosts.")
    ] = 18600,
    label: Annotated[str | None, typer.Option("--label", metavar="TEXT", help="A name to find the results by.")] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="STORE",
            envvar="WIRESPEED_STORE",
            help="Keep what was measured: in a file, in postgresql://HOST/DATABASE, or in your own store (default).",
        ),
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_LAB_BENCH_FORMAT", help="How to print the outcome.")
    ] = Format.TABLE,
) -> None:
    """Run a suite of `bench run` between the hosts of a lab: the same plan of runs, the same tools, the same folder.

    A host is a node: commands are started inside it, and Open MPI starts its ranks there without sshd. Programs of MPI
    go over TCP between the planned addresses; a network for control is added while it runs.

    All hosts share this machine's cores and memory, so a figure says nothing of the cluster's speed, and no limit of
    the cluster is asked. It stands against the lab's own: what the same tools reach between two hosts with nothing
    between them, measured first. That tells a way that works from one that is choked. In a store its cluster is "lab
    NAME", and bench compare and bench history never hold it against another's.

    Hosts of `lab rdma` run suites with RDMA too, such as pairs. Their processors are emulated, so their figures are
    shown and held against nothing.

    Exit code as of bench run.

    Examples:

    \b
      sudo wirespeed lab bench -o tcp
      sudo wirespeed lab bench mpi -o mpi --path /opt/osu/libexec/osu-micro-benchmarks/mpi/pt2pt
      sudo wirespeed lab bench pairs -o pairs --name rdma
      sudo wirespeed lab bench tcp -o after --store default --label after-the-change
    """
    from wirespeed import lab as labs
    from wirespeed.benchmarks.run import How, make
    from wirespeed.benchmarks.run.lab_baseline import between, grader, measured_first
    from wirespeed.benchmarks.suites import suite as suite_of
    from wirespeed.cli.console import err

    labs.check_user()
    found = labs.find(name)
    chosen = suite_of(suite)
    machines = any(found.device(host).machine for host in found.hosts)
    _check(chosen, machines)
    ask = replace(_ask(found, hosts, machines), seconds=seconds, messages=messages, first_port=port)
    campaign = make(chosen, ask, label)
    if not machines:
        pair = between(ask, labs.PAIR, labs.PAIR_INTERFACE, labs.PAIR_ADDRESSES)
        campaign = measured_first(campaign, chosen, pair)
    if dry_run:
        if not machines:
            typer.echo(f"# {' and '.join(labs.PAIR)}, and {labs.AGENT[1]}, are there while it runs")
        show(campaign, found.reach(), at_once, path or ())
        return
    folder = folder_of("lab bench", output, campaign, resume)
    meaning = _OF_MACHINES if machines else _OF_NAMESPACES
    for line in (load(folder.campaign, at_once), *folder.campaign.notes, meaning):
        err().print(line, markup=False, soft_wrap=True)
    with nullcontext(found) if machines else labs.benching(found, ask.fabric.seats[0].mtu) as whole:
        how = How(at_once, retest, tuple(path or ()))
        if machines:
            how = replace(how, listen_s=_LISTEN_S)
        grades = grader(ask, folder, limited=not machines)
        done = execute(chosen, ask, grades, folder, whole.reach(), how)
    print_outcome(ask, folder, done, form)
    if store is not None and done.latest:
        store_logs(folder, store, label, None)
    raise typer.Exit(exit_of(done))


def _check(suite: Suite, machines: bool) -> None:
    """That the hosts of the lab can run it.

    Raises:
        Refused: they cannot.
    """
    from wirespeed.benchmarks.suites import suites
    from wirespeed.errors import refuse

    if suite.kernel_alone or machines:
        return
    others = ", ".join(name for name, one in suites().items() if one.kernel_alone)
    expected = f"one that needs neither RDMA nor GPUs: {others}"
    hint = "a network namespace has neither; wirespeed lab rdma builds hosts with RDMA"
    raise refuse("lab bench", f"the suite {suite.name}", expected, hint)


def _ask(found: Lab, hosts: str | None, machines: bool) -> Ask:
    from wirespeed import lab as labs
    from wirespeed.benchmarks.run import Ask, fabric_of
    from wirespeed.render import Jobs, LabJobs
    from wirespeed.results.lab import cluster_of

    plan = replace(flows.planned(Path(found.state.file)), name=cluster_of(found.name))
    inside = replace(plan, hosts={name: plan.hosts[name] for name in found.hosts})
    return Ask(
        plan=plan,
        fabric=fabric_of(plan).of(chosen_hosts(inside, hosts) or found.hosts),
        words=Jobs(plan) if machines else LabJobs(plan, labs.AGENT, labs.CONTROL),
        bind=False,
    )
