"""``wirespeed bench run``: run benchmarks on the cluster."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wirespeed.cli import flows
from wirespeed.cli.bench_app import bench
from wirespeed.cli.campaign_output import Format, judge_relations, load, print_outcome, show
from wirespeed.cli.campaign_run import execute, find_exit_code, open_result_folder, store_logs
from wirespeed.cli.exit import Exit
from wirespeed.cli.host_selection import list_allocated_hosts, list_chosen_hosts

if TYPE_CHECKING:
    from wirespeed.benchmarks.run import Folder, GradeOptions, Request
    from wirespeed.benchmarks.suites import Suite
    from wirespeed.plan import Plan
    from wirespeed.reach import Reach
    from wirespeed.results.campaign import Campaign, Grade, Outcome, Step

_LOOPBACK = "loopback"


class Launcher(StrEnum):
    """How commands are started on the hosts."""

    SSH = "ssh"
    SLURM = "slurm"
    LOCAL = "local"


def _complete_suite(incomplete: str) -> list[str]:
    """Suites for the completion of the shell."""
    from wirespeed.benchmarks.suites import suites

    return [name for name in suites() if name.startswith(incomplete)]


@bench.command(short_help="Run a benchmark suite on the cluster.")
def run(
    context: typer.Context,
    suite: Annotated[
        str,
        typer.Argument(
            metavar="SUITE", help="Benchmark suite; `wirespeed list suites` lists them.", autocompletion=_complete_suite
        ),
    ],
    cluster: Annotated[
        Path | None,
        typer.Option(
            "--cluster", "-c", metavar="CLUSTER.yaml", help="Cluster file; not needed for the suite loopback."
        ),
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
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Start without asking for confirmation.")] = False,
    hosts: Annotated[
        str | None,
        typer.Option("--hosts", "-w", metavar="NODES", help="Hosts to use, such as node[1-4,7]. Default: all."),
    ] = None,
    launcher: Annotated[
        Launcher,
        typer.Option(
            "--launcher", help="Start commands with ssh, with srun in this Slurm allocation, or on this machine."
        ),
    ] = Launcher.SSH,
    user: Annotated[str | None, typer.Option("--user", metavar="NAME", help="User name for ssh.")] = None,
    ssh_option: Annotated[
        list[str] | None,
        typer.Option("--ssh-option", metavar="OPTION", help="Option for ssh, such as -Jgateway. Can be repeated."),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(
            "--path", metavar="DIR", help="Folder on the hosts to search first for benchmark programs. Can be repeated."
        ),
    ] = None,
    seconds: Annotated[
        int,
        typer.Option(
            "--seconds", metavar="SECONDS", min=1, max=86400, help="Duration of a bandwidth measurement, in seconds."
        ),
    ] = 10,
    messages: Annotated[
        int,
        typer.Option(
            "--messages", metavar="COUNT", min=5, max=10**9, help="Number of messages in an RDMA latency test."
        ),
    ] = 10000,
    iperf3: Annotated[
        str,
        typer.Option(
            "--iperf3",
            metavar="OPTIONS",
            help="Options of iperf3 for the suite tcp, such as '-P 8 -Z -l 1M'. Default: 8 streams.",
            show_default=False,
        ),
    ] = "",
    processes: Annotated[
        int,
        typer.Option(
            "--processes",
            metavar="COUNT",
            min=1,
            max=64,
            help="Processes of iperf3 for each pair in the suite tcp: before version 3.16 each has one core.",
        ),
    ] = 1,
    retest: Annotated[
        int, typer.Option("--retest", metavar="TIMES", min=0, max=10, help="Number of repeats of bad runs.")
    ] = 1,
    parallel: Annotated[
        int, typer.Option("--parallel", metavar="RUNS", min=1, max=1024, help="Maximum number of concurrent runs.")
    ] = 64,
    bind: Annotated[
        bool, typer.Option("--bind/--no-bind", help="Bind processes to the NUMA node of the NIC with numactl.")
    ] = True,
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
    bundle: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            metavar="BUNDLE",
            help="Bundle collected at that time: also compare with the limits of the cluster as found, and "
            "store its settings.",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="PROFILE",
            help="Acceptance profile: a name, such as strict, or the path of a profile file. "
            "`wirespeed list profiles` lists them, `wirespeed schema profile` shows the keys of a file.",
        ),
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_BENCH_RUN_FORMAT", help="Output format.")
    ] = Format.TABLE,
) -> None:
    """Run a benchmark suite on the cluster, on pairs and groups chosen from the topology.

    Commands use the NICs, GPUs and cores of the plan. The suite runs the smallest set of pairs that covers every NIC,
    rail and leaf. Pairs without a common link run at the same time. Bad runs are repeated. Then runs with healthy peers
    locate the fault: NIC, host, rail, leaf or path.

    Runs send traffic at line rate. The load and duration are printed and confirmed first; --dry-run only prints the
    commands. Results are written to DIR as runs end; after Ctrl-C or a crash --resume continues. A host that is down
    does not affect the results of others.

    Commands end at their timeout or when the connection to their host is lost. ssh must work without a password from
    this machine to the hosts, and for MPI programs also between the hosts.

    With --launcher slurm, in an allocation or a batch script, every command is a job step started by srun on the nodes
    of the job. With --no-kill the job continues when a node fails.

    If the profile has relative gates (such as `--profile field`), runs are also compared with each other.

    Exit code 1 when a result is bad or a run failed; 3 when a result could not be judged or compared, or a host did not
    reply; 130 when interrupted.

    Examples:

    \b
      wirespeed bench run pairs -c cluster.yaml --dry-run
      wirespeed bench run pairs -c cluster.yaml -o results --yes
      wirespeed bench run pairs -c cluster.yaml -o results --resume
      wirespeed bench run pairs -c cluster.yaml -o after --yes --store default --label after-firmware
      wirespeed bench run tcp -c cluster.yaml -o tcp --iperf3 "-P 8 -Z -l 1M -i 10" --seconds 20
      wirespeed bench run tcp -c cluster.yaml -o tcp --iperf3 "-P 2" --processes 8
      wirespeed bench run collectives -c cluster.yaml -o nccl --path /opt/rccl-tests/build
      salloc --exclusive --no-kill -w node[1-64] wirespeed bench run pairs -c cluster.yaml -o night --launcher slurm
      sbatch --exclusive --no-kill -N 64 --wrap="wirespeed bench run mpi -c cluster.yaml -o mpi --launcher slurm -y"
      wirespeed bench run loopback -o here
    """
    from wirespeed.benchmarks.run import Request, RunOptions, build_fabric, grade, make
    from wirespeed.benchmarks.suites import suite as suite_of
    from wirespeed.benchmarks.suites import suites
    from wirespeed.errors import refuse
    from wirespeed.render import Jobs

    chosen = suite_of(suite)
    for option in ("--iperf3",) * bool(iperf3) + ("--processes",) * (processes > 1):
        if not chosen.iperf3:
            users = ", ".join(name for name, candidate in suites().items() if candidate.iperf3)
            raise refuse(
                "bench run", f"{option} with the suite {suite}, which does not run iperf3", f"the suite {users}"
            )
    _refuse_contradictions(dry_run=dry_run, resume=resume, launcher=launcher, user=user, ssh_option=ssh_option)
    plan = _plan_suite(chosen, cluster)
    bar = _read_grade_options(plan, profile, bundle)
    reach = _build_reach(Launcher.LOCAL if suite == _LOOPBACK else launcher, user, ssh_option or [])
    # --dry-run prints the commands without an allocation.
    select_hosts = list_allocated_hosts if launcher is Launcher.SLURM and not dry_run else list_chosen_hosts
    request = Request(
        plan=plan,
        fabric=build_fabric(plan, over_sockets=chosen.over_sockets).limit_to_hosts(select_hosts(plan, hosts)),
        commands=Jobs(plan, "slurm" if launcher is Launcher.SLURM else None),
        seconds=seconds,
        messages=messages,
        first_port=port,
        bind=bind,
        iperf3=iperf3,
        processes=processes,
    )
    campaign = make(chosen, request, label)
    _refuse_unused(context, chosen, request, campaign)
    if dry_run:
        show(campaign, reach, parallel, path or ())
        return
    folder = open_result_folder("bench run", output, campaign, resume)
    _confirm_load(folder, parallel, retest, yes)

    def grader(step: Step, outcome: Outcome, text: str) -> tuple[Grade, str | None]:
        return grade(plan, request.fabric, step, outcome, text, bar)

    result = execute(chosen, request, grader, folder, reach, RunOptions(parallel, retest, tuple(path or ())))
    relations = judge_relations(request, folder, bar)
    print_outcome(request, folder, result, form, relations)
    if store is not None and result.latest:
        store_logs(folder, store, label, bundle)
    raise typer.Exit(Exit.worst(find_exit_code(result), flows.relations_exit(relations)))


def _refuse_contradictions(
    *, dry_run: bool, resume: bool, launcher: Launcher, user: str | None, ssh_option: list[str] | None
) -> None:
    """Refuse options of which one leaves the other without effect.

    Raises:
        Refusal: there are such options.
    """
    from wirespeed.errors import refuse

    if dry_run and resume:
        raise refuse("bench run", "--resume with --dry-run, which runs nothing", hint="use one of them")
    if launcher is not Launcher.SSH and (user or ssh_option):
        option = "--user" if user else "--ssh-option"
        raise refuse(
            "bench run", f"{option} with --launcher {launcher.value}, which does not use ssh", "--launcher ssh"
        )


def _refuse_unused(context: typer.Context, suite: Suite, request: Request, campaign: Campaign) -> None:
    """Refuse an option of the command line that changes no command of the suite.

    Raises:
        Refusal: there is such an option.
    """
    from dataclasses import replace

    from wirespeed.benchmarks.run import Request, make
    from wirespeed.errors import refuse

    for name, (option, field) in _REQUEST_FIELDS.items():
        source = context.get_parameter_source(name)
        default: Any = Request.__dataclass_fields__[field].default
        if source is None or source.name != "COMMANDLINE" or getattr(request, field) == default:
            continue
        usual = make(suite, replace(request, **{field: default}), campaign.label)
        if usual.steps == campaign.steps:
            raise refuse(
                "bench run",
                f"{option}, which changes no command of the suite {suite.name}",
                hint="leave it out; --dry-run prints the commands",
            )


_REQUEST_FIELDS = {
    "seconds": ("--seconds", "seconds"),
    "messages": ("--messages", "messages"),
    "bind": ("--no-bind", "bind"),
    "port": ("--port", "first_port"),
}
"""Parameters, the option, and the field of a request that it sets."""


def _plan_suite(suite: Suite, cluster: Path | None) -> Plan:
    """The plan of the cluster; it is empty for the suite of this machine only."""
    from wirespeed.catalogue import load
    from wirespeed.errors import refuse
    from wirespeed.plan import Plan

    if cluster is not None:
        return flows.plan_cluster(cluster)
    if suite.name != _LOOPBACK:
        raise refuse("bench run", f"the suite {suite.name} needs a cluster file", hint="add --cluster CLUSTER.yaml")
    return Plan(name=_LOOPBACK, hosts={}, switches={}, roles={}, cables=(), classes={}, hardware=load())


def _read_grade_options(plan: Plan, profile: str | None, bundle: Path | None) -> GradeOptions:
    """Read the options by which figures are graded.

    Raises:
        Refusal: the profile does not exist, or the bundle is invalid.
    """
    from wirespeed.benchmarks.judge.profile import read
    from wirespeed.benchmarks.run import GradeOptions

    observed = flows.read_as_found(plan, bundle) if bundle is not None and plan.hosts else None
    return GradeOptions(read(profile) if profile else None, observed)


def _build_reach(launcher: Launcher, user: str | None, options: list[str]) -> Reach:
    """The transport that starts commands on the hosts."""
    from wirespeed.reach import Ssh, use_slurm, use_this_machine

    if launcher is Launcher.LOCAL:
        return use_this_machine()
    if launcher is Launcher.SSH:
        return Ssh(user=user, options=tuple(options))
    return use_slurm()


def _confirm_load(folder: Folder, parallel: int, retest: int, is_confirmed: bool) -> None:
    """Print the load on the cluster and ask for confirmation.

    Raises:
        Refusal: standard input is not a terminal, and --yes was not given.
    """
    import sys

    from wirespeed.benchmarks.run import open_steps
    from wirespeed.cli.console import err
    from wirespeed.errors import refuse

    campaign = folder.campaign
    err().print(f"{load(campaign, parallel)}", markup=False, soft_wrap=True)
    for note in campaign.notes:
        err().print(f"  {note}", markup=False, soft_wrap=True)
    remaining = len(open_steps(campaign.steps, folder, retest))
    if remaining < len(campaign.steps):
        err().print(f"{len(campaign.steps) - remaining} runs done earlier, {remaining} to do", markup=False)
    if is_confirmed or campaign.suite == _LOOPBACK or not remaining:
        return
    warning = "sends traffic at line rate and slows down running jobs"
    if not sys.stdin.isatty():
        raise refuse("bench run", f"{warning}; confirmation needs a terminal", hint="--yes confirms it")
    err().print(f"bench run {warning}", markup=False, soft_wrap=True)
    if not typer.confirm("continue?", err=True):
        raise typer.Exit(Exit.REFUSED)
