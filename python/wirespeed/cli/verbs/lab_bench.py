"""``wirespeed lab bench``."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import flows
from wirespeed.cli.campaign_output import Format, load, print_outcome, show
from wirespeed.cli.campaign_run import execute, find_exit_code, open_result_folder, store_logs
from wirespeed.cli.host_selection import list_chosen_hosts
from wirespeed.cli.lab_app import lab

if TYPE_CHECKING:
    from wirespeed.benchmarks.run import Request
    from wirespeed.benchmarks.suites import Suite
    from wirespeed.lab import Lab

_SECONDS = 2  # TCP between namespaces reaches its rate within milliseconds
_LISTEN_S = 300.0  # for servers in virtual machines, whose emulated CPUs share the cores of this machine
_MESSAGES = 50  # 300 µs or more each between virtual machines with emulated CPUs
_OF_NAMESPACES = (
    "Results show how fast this machine moves data between its network namespaces, not the speed of the cluster. They "
    "are compared with a baseline between two directly connected hosts, not with limits of the cluster."
)
_OF_MACHINES = "Results show how fast emulated CPUs are, not the speed of the cluster; they are not compared."


@lab.command(short_help="Run benchmarks between lab hosts and compare them with a local baseline.")
def bench(
    suite: Annotated[
        str,
        typer.Argument(metavar="[SUITE]", help="Suite: tcp, mpi or ping; with `lab rdma` hosts also the RDMA suites."),
    ] = "tcp",
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the lab. Default: the only lab on this machine."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "--out", "-o", metavar="DIR", help="Output folder for logs and the journal for --resume."
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an earlier run in DIR.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", allow_from_autoenv=False, help="Print every command without running any.")
    ] = False,
    hosts: Annotated[
        str | None,
        typer.Option("--hosts", "-w", metavar="NODES", help="Hosts to use, such as node[1-4,7]. Default: all."),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option("--path", metavar="DIR", help="Folder to search first for benchmark programs. Can be repeated."),
    ] = None,
    seconds: Annotated[
        int,
        typer.Option(
            "--seconds", metavar="SECONDS", min=1, max=86400, help="Duration of a bandwidth measurement, in seconds."
        ),
    ] = _SECONDS,
    messages: Annotated[
        int,
        typer.Option(
            "--messages", metavar="COUNT", min=5, max=10**9, help="Number of messages in an RDMA latency test."
        ),
    ] = _MESSAGES,
    retest: Annotated[
        int, typer.Option("--retest", metavar="TIMES", min=0, max=10, help="Number of repeats of bad runs.")
    ] = 1,
    parallel: Annotated[
        int,
        typer.Option(
            "--parallel",
            metavar="RUNS",
            min=1,
            max=1024,
            help="Maximum number of concurrent runs; they share the cores of this machine.",
        ),
    ] = 1,
    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="PORT", min=1024, max=60000, help="First TCP port for benchmark servers on the hosts."
        ),
    ] = 18600,
    label: Annotated[str | None, typer.Option("--label", metavar="TEXT", help="Label of the campaign.")] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="STORE",
            envvar="WIRESPEED_STORE",
            help="Store the results in this store: a file, postgresql://HOST/DATABASE, or `default` for "
            "your personal store.",
        ),
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_LAB_BENCH_FORMAT", help="Output format.")
    ] = Format.TABLE,
) -> None:
    """Run a benchmark suite between the hosts of a lab, with the same steps, tools and result folder as `bench run`.

    Commands are started inside the hosts; Open MPI starts its ranks there without sshd. MPI programs use TCP between
    the planned addresses; a control network exists while they run.

    All hosts share this machine's cores and memory, so the results are no measure of the cluster and are not compared
    with its limits. They are compared with a baseline that the same tools measure first between two directly connected
    hosts. A bandwidth below 5 % of the highest baseline value of the same test and size is bad: its path is
    misconfigured (profile `lab`). In a store the cluster is named "lab NAME"; `bench compare` and `bench history` never
    mix it with others.

    Hosts of `lab rdma` also run RDMA suites, such as pairs. Their CPUs are emulated, so results are shown without a
    comparison.

    Exit code 1 when a result is bad or a run failed; 3 when a result could not be judged or compared, or a host did not
    reply; 130 when interrupted.

    Examples:

    \b
      sudo wirespeed lab bench -o tcp
      sudo wirespeed lab bench mpi -o mpi --path /opt/osu/libexec/osu-micro-benchmarks/mpi/pt2pt
      sudo wirespeed lab bench pairs -o pairs --name rdma
      sudo wirespeed lab bench tcp -o after --store default --label after-the-change
    """
    from wirespeed import lab as labs
    from wirespeed.benchmarks.run import RunOptions, make
    from wirespeed.benchmarks.run.lab_baseline import grader, plan_first_measurements, request_for_pair
    from wirespeed.benchmarks.suites import suite as suite_of
    from wirespeed.cli.console import err

    labs.check_user()
    lab = labs.find(name)
    chosen = suite_of(suite)
    machines = any(lab.device(host).machine for host in lab.hosts)
    _check_suite(chosen, machines)
    request = replace(_build_request(lab, hosts, machines), seconds=seconds, messages=messages, first_port=port)
    campaign = make(chosen, request, label)
    if not machines:
        pair = request_for_pair(request, labs.PAIR, labs.PAIR_INTERFACE, labs.PAIR_ADDRESSES)
        campaign = plan_first_measurements(campaign, chosen, pair)
    if dry_run:
        if not machines:
            typer.echo(f"# {' and '.join(labs.PAIR)}, and {labs.AGENT[1]}, exist while the suite runs")
        show(campaign, lab.reach(), parallel, path or ())
        return
    folder = open_result_folder("lab bench", output, campaign, resume)
    meaning = _OF_MACHINES if machines else _OF_NAMESPACES
    for line in (load(folder.campaign, parallel), *folder.campaign.notes, meaning):
        err().print(line, markup=False, soft_wrap=True)
    with nullcontext(lab) if machines else labs.benchmark_network(lab, request.fabric.endpoints[0].mtu) as whole:
        how = RunOptions(parallel, retest, tuple(path or ()))
        if machines:
            how = replace(how, listen_s=_LISTEN_S)
        grades = grader(request, folder, limited=not machines)
        result = execute(chosen, request, grades, folder, whole.reach(), how)
    print_outcome(request, folder, result, form)
    if store is not None and result.latest:
        store_logs(folder, store, label, None)
    raise typer.Exit(find_exit_code(result))


def _check_suite(suite: Suite, machines: bool) -> None:
    """Check that the hosts of the lab can run the suite.

    Raises:
        Refusal: the hosts cannot run it.
    """
    from wirespeed.benchmarks.suites import suites
    from wirespeed.errors import refuse

    if suite.kernel_only or machines:
        return
    kernel_suites = ", ".join(name for name, suite in suites().items() if suite.kernel_only)
    expected = f"one of {kernel_suites}"
    hint = "`wirespeed lab rdma` builds hosts with RDMA"
    raise refuse("lab bench", f"the suite {suite.name}, which needs RDMA or GPUs", expected, hint)


def _build_request(lab: Lab, hosts: str | None, machines: bool) -> Request:
    from wirespeed import lab as labs
    from wirespeed.benchmarks.run import Request, build_fabric
    from wirespeed.render import Jobs, LabJobs
    from wirespeed.results.lab import name_lab_cluster

    plan = replace(flows.plan_cluster(Path(lab.state.file)), name=name_lab_cluster(lab.name))
    plan_of_lab = replace(plan, hosts={name: plan.hosts[name] for name in lab.hosts})
    return Request(
        plan=plan,
        fabric=build_fabric(plan).limit_to_hosts(list_chosen_hosts(plan_of_lab, hosts) or lab.hosts),
        commands=Jobs(plan) if machines else LabJobs(plan, labs.AGENT, labs.CONTROL),
        bind=False,
    )
