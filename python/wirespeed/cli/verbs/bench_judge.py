"""``wirespeed bench judge``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import flows, stored_campaigns, stored_logs
from wirespeed.cli.bench_app import bench

if TYPE_CHECKING:
    from wirespeed.benchmarks.judge.limits import Asked
    from wirespeed.benchmarks.judge.logs import Judged
    from wirespeed.plan import Plan

SCHEMA = 1


class Format(StrEnum):
    """How verdicts are printed."""

    TABLE = "table"
    JSON = "json"


class Algorithm(StrEnum):
    """How an all-reduce moved its data."""

    RING = "ring"
    TREE = "tree"
    NVLS = "nvls"
    NVLS_TREE = "nvls-tree"


@bench.command()
def judge(
    cluster: Annotated[
        Path, typer.Option("--cluster", "-c", metavar="CLUSTER.yaml", help="The cluster file of what was measured.")
    ],
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE...", help="Output of benchmark tools, folders of it or of bench run; - is stdin."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="HOST/NIC", help="One end of a point-to-point test, such as node1/bnxt_re0."),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--to", metavar="HOST/NIC", help="The other end, such as node2/bnxt_re4.")
    ] = None,
    algorithm: Annotated[
        Algorithm | None,
        typer.Option("--algorithm", help="How an all-reduce moved large messages, if no debug line says."),
    ] = None,
    collective: Annotated[
        str | None,
        typer.Option("--collective", metavar="NAME", help="The collective, such as all-gather, where no log names it."),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="NAME|FILE",
            help="What must be reached: default, strict, loose, field, or a file of your own; see list profiles.",
        ),
    ] = None,
    bundle: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            metavar="DIR",
            help="What collect wrote at the time: how much of it the cluster as found allows.",
        ),
    ] = None,
    campaign: stored_logs.CampaignOption = None,
    store: stored_campaigns.StoreOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="Let a warning fail: exit code 1.")] = False,
    output: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_BENCH_JUDGE_FORMAT", help="How to print the verdicts.")
    ] = Format.TABLE,
) -> None:
    """Judge benchmark results against what the hardware can do, naming what binds.

    Each bandwidth stands against two limits, never mixed: the physical one, which no algorithm can beat (line rate
    with exact RoCEv2 framing, PCIe, peak GPU links, the cut of the collective), and the reachable one, which the
    named algorithm or a catalogue figure reaches. Above the physical limit the verdict is unknown: then the cluster
    file is not the cluster that was measured, or nothing crossed the wire.

    With --bundle each number stands against the cluster as found too, with its x8 slot, its small MTU or its missing
    uplink: "61% of the design, 99% of what the cluster as found allows".

    What passes is a profile's: fractions of the limits, and gates, numbers that operators ask of such hardware. A
    verdict that a gate decided names it and its source. Relative gates compare runs that are judged together: pairs
    between leaves with pairs under one, all rails at once with each alone, one queue pair with many. Where there is
    nothing to compare with the outcome is unknown.

    Between which NICs a point-to-point test ran, folders and stored campaigns of bench run say; for other logs say it
    with --from and --to.

    Of several runs of one test in the files, one that is bad once and good otherwise warns, and what is bad twice is
    bad. For a run that is bad alone the command that repeats it is printed.

    Exit code 1 when a number is below its limit, data arrived wrong or a run failed; 3 when a verdict is unknown or a
    log is truncated or holds nothing to judge; 0 otherwise.

    Example: wirespeed bench judge write_bw.log -c cluster.yaml --from node1/bnxt_re0 --to node2/bnxt_re4

    Example: wirespeed bench judge results/ -c cluster.yaml --profile field

    Example: wirespeed bench judge --campaign latest -c cluster.yaml
    """
    from wirespeed.cli.console import err, show_problems

    plan = flows.planned(cluster)
    found = flows.found(plan, bundle) if bundle else None
    asked = _asked(source, target, algorithm, collective)
    with stored_logs.given(files or [], campaign, store) as logs:
        judged, notices = flows.judged(plan, logs, asked, flows.profile(profile), found)
    show_problems(notices, label="left out")
    for file, told in judged.hints:
        err().print(f"hint: {file}: {told}", markup=False, soft_wrap=True, highlight=False)
    _print(plan, judged, output)
    raise typer.Exit(flows.runs_exit(judged.runs, strict, judged.relations))


def _asked(source: str | None, target: str | None, algorithm: Algorithm | None, collective: str | None) -> Asked:
    from wirespeed.benchmarks.judge.limits import Asked
    from wirespeed.limits import algorithms

    named = algorithms.Algorithm(algorithm.value) if algorithm else None
    return Asked(source, target, named, collective)


def _print(plan: Plan, judged: Judged, output: Format) -> None:
    from wirespeed.cli.console import out

    if output is Format.JSON:
        from wirespeed.results.json import document

        text = document("bench-verdicts", SCHEMA, cluster=plan.name, runs=judged.runs, relations=judged.relations)
        typer.echo(text, nl=False)
        return
    from wirespeed.report import relations, terminal

    terminal.judged(judged.runs, out())
    relations.table(judged.relations, out())
