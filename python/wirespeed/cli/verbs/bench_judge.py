"""``wirespeed bench judge``."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import flows, nic_options, stored_campaigns, stored_logs
from wirespeed.cli.bench_app import bench
from wirespeed.cli.exit import Exit

if TYPE_CHECKING:
    from wirespeed.benchmarks.judge.limits import RunContext
    from wirespeed.benchmarks.judge.logs import JudgedLogs
    from wirespeed.plan import Plan
    from wirespeed.results.verdicts import Judgement

SCHEMA = 4


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"


class Algorithm(StrEnum):
    """How an all-reduce moved its data."""

    RING = "ring"
    TREE = "tree"
    NVLS = "nvls"
    NVLS_TREE = "nvls-tree"
    COLLNET = "collnet"


@bench.command(short_help="Judge results against hardware limits and name the bottleneck.")
def judge(
    cluster: Annotated[
        Path, typer.Option("--cluster", "-c", metavar="CLUSTER.yaml", help="Cluster file of the measured cluster.")
    ],
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE...",
            help="Benchmark logs, folders of logs, or result folders of `bench run`; - is standard input.",
        ),
    ] = None,
    source: Annotated[str | None, nic_options.source_option("bench judge")] = None,
    target: Annotated[str | None, nic_options.target_option("bench judge")] = None,
    algorithm: Annotated[
        Algorithm | None,
        typer.Option(
            "--algorithm", help="Algorithm of an all-reduce for large messages. Default: from NCCL debug lines."
        ),
    ] = None,
    collective: Annotated[
        str | None,
        typer.Option(
            "--collective", metavar="NAME", help="Collective, such as all-gather, if the log does not contain it."
        ),
    ] = None,
    ranks: Annotated[int | None, nic_options.ranks_option()] = None,
    nodes: Annotated[int | None, nic_options.nodes_option()] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="NAME|FILE",
            help="Acceptance profile: a name, such as strict, or the path of a profile file. "
            "`wirespeed list profiles` lists them, `wirespeed schema profile` shows the keys of a file.",
        ),
    ] = None,
    bundle: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            metavar="BUNDLE",
            help="Bundle collected at that time: also compare with the limits of the cluster as found.",
        ),
    ] = None,
    campaign: stored_logs.CampaignOption = None,
    store: stored_campaigns.StoreOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as failures (exit code 1).")] = False,
    output: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_BENCH_JUDGE_FORMAT", help="Output format.")
    ] = Format.TABLE,
) -> None:
    """Judge benchmark results against hardware limits and name the bottleneck.

    Each bandwidth is compared with two limits. Physical limit: cannot be exceeded (line rate with exact RoCEv2 framing,
    PCIe, peak GPU links; for a collective, the NICs that its data between hosts must cross). Reachable limit: what the
    algorithm or a catalogue figure is known to reach. A result above the physical limit has the verdict unknown: the
    cluster file describes another cluster, or the traffic did not use the network.

    With --bundle each result is also compared with the limits of the cluster as found, for example with an x8 slot, a
    small MTU or a missing uplink: "61 % of the planned limit, 99 % of the limit of the cluster as found".

    The profile defines what passes: fractions of the limits, and gates (required values). A verdict decided by a gate
    names the gate and its source. Relative gates compare runs that are judged in one call: pairs between leaves with
    pairs under one leaf, all rails at the same time with each rail separately, one queue pair with many. Without runs
    to compare the result is unknown.

    Result folders and stored campaigns of `bench run` name the NICs of point-to-point tests. For other logs give --from
    and --to. Give HOST:NIC; for collectives and for GPU tests inside a host, only its HOST is used. An option
    that changes nothing for any of the logs is refused.

    Several runs of one test: one bad run among good ones is a warning, two bad runs fail. Runs belong to one test if
    their settings are the same (number of ranks, data type, operation, NCCL variables and version), and if they ran
    between the same two NICs, on the same hosts (nccl-tests and rccl-tests name them) or in the same step of `bench
    run`. Logs that do not name their hosts (collectives of OSU) are judged separately. After a single bad run, the
    command or the sizes to repeat are printed.

    Exit code 1 when a result is below its limit, data validation failed or a run failed; 3 when a verdict is unknown or
    a log is truncated or contains nothing to judge; 0 otherwise.

    For JUnit, HTML or a ticket use `wirespeed report --bench LOG --format FORMAT`.

    Examples:

    \b
      wirespeed bench judge all_reduce.log -c cluster.yaml
      wirespeed bench judge write_bw.log -c cluster.yaml --from node1:bnxt_re0 --to node2:bnxt_re4
      wirespeed bench judge results/ -c cluster.yaml --profile field
      wirespeed bench judge --campaign latest -c cluster.yaml
    """
    from wirespeed.cli.console import show_hints, show_problems, show_skipped

    plan = flows.plan_cluster(cluster)
    observed = flows.read_as_found(plan, bundle) if bundle else None
    has_named_logs = campaign is None and "-" not in map(str, files or [])
    context = replace(
        _run_context(source, target, algorithm, collective, str(cluster) if has_named_logs else None),
        ranks=ranks,
        nodes=nodes,
        options=(
            *(("--profile", profile) if profile is not None else ()),
            *(("--bundle", str(bundle)) if bundle is not None else ()),
        ),
    )
    with stored_logs.open_logs(files or [], campaign, store) as logs:
        judged, notices, skipped = flows.judge_logs(plan, logs, context, flows.read_profile(profile), observed)
    show_skipped(skipped)
    show_problems(notices, label="warning")
    show_hints(judged.hints)
    code = flows.runs_exit(judged.runs, strict, judged.relations)
    _print_verdicts(plan, judged, code, output)
    raise typer.Exit(code)


def _run_context(
    source: str | None, target: str | None, algorithm: Algorithm | None, collective: str | None, cluster: str | None
) -> RunContext:
    from wirespeed.benchmarks.judge.limits import RunContext
    from wirespeed.limits import algorithms

    named = algorithms.Algorithm(algorithm.value) if algorithm else None
    return RunContext(source, target, named, collective, cluster)


def _print_verdicts(plan: Plan, judged: JudgedLogs, code: Exit, output: Format) -> None:
    from wirespeed.cli.console import standard_output

    if output is Format.JSON:
        from wirespeed.results.json import document

        text = document("bench-verdicts", SCHEMA, cluster=plan.name, runs=judged.runs, relations=judged.relations)
        typer.echo(text, nl=False)
        return
    from wirespeed.report import relations, runs, terminal

    terminal.print_judged_runs(judged.runs, standard_output(), flows.read_failure_titles(judged.runs))
    relations.table(judged.relations, standard_output())
    line = runs.overall_verdict(judged.runs, judged.relations, _find_overall_verdict(judged, code))
    standard_output().print(f"\n{line}", markup=False, soft_wrap=True, highlight=False)


def _find_overall_verdict(judged: JudgedLogs, code: Exit) -> Judgement:
    """The verdict that the exit code reports; a warning passes unless --strict is given."""
    from wirespeed.results.verdicts import Judgement

    if code in (Exit.FAILED, Exit.INCOMPLETE):
        return Judgement.FAIL if code is Exit.FAILED else Judgement.UNKNOWN
    outcomes = [result.judgement for run in judged.runs for result in run.verdicts]
    outcomes += [relation.judgement for relation in judged.relations]
    warns = Judgement.WARN in outcomes
    return Judgement.WARN if warns else Judgement.PASS
