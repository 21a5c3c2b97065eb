"""``wirespeed bench judge``."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import flows
from wirespeed.cli.bench_app import bench

if TYPE_CHECKING:
    from wirespeed.benchmarks.judge_limits import Asked
    from wirespeed.benchmarks.judge_profile import Profile
    from wirespeed.benchmarks.reading import Reading
    from wirespeed.plan import Plan
    from wirespeed.plan.found import AsFound
    from wirespeed.results.verdicts import JudgedRun

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
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Output of benchmark tools, such as nccl-tests or perftest.")
    ],
    cluster: Annotated[
        Path, typer.Option("--cluster", metavar="CLUSTER.yaml", help="The cluster file of what was measured.")
    ],
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
    strict: Annotated[bool, typer.Option("--strict", help="Let a warning fail: exit code 1.")] = False,
    output: Annotated[
        Format, typer.Option("--format", envvar="WIRESPEED_BENCH_JUDGE_FORMAT", help="How to print the verdicts.")
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
    verdict that a gate decided names it and its source.

    Of several runs of one test in the files, one that is bad once and good otherwise warns, and what is bad twice is
    bad. For a run that is bad alone the command that repeats it is printed.

    Exit code 1 when a number is below its limit, data arrived wrong or a run failed; 3 when a verdict is unknown or a
    log is truncated or holds nothing to judge; 0 otherwise.

    Example: wirespeed bench judge write_bw.log --cluster cluster.yaml --from node1/bnxt_re0 --to node2/bnxt_re4
    """
    plan = flows.planned(cluster)
    found = flows.found(plan, bundle) if bundle else None
    judged = _judged(files, plan, _asked(source, target, algorithm, collective), _profile(profile), found)
    _print(plan, judged, output)
    raise typer.Exit(flows.runs_exit(judged, strict))


def _asked(source: str | None, target: str | None, algorithm: Algorithm | None, collective: str | None) -> Asked:
    from wirespeed.benchmarks.judge_limits import Asked
    from wirespeed.limits import algorithms

    named = algorithms.Algorithm(algorithm.value) if algorithm else None
    return Asked(source, target, named, collective)


def _profile(which: str | None) -> Profile | None:
    from wirespeed.benchmarks.judge_profile import read

    return read(which) if which else None


def _judged(
    files: Sequence[Path], plan: Plan, asked: Asked, profile: Profile | None, found: AsFound | None
) -> tuple[JudgedRun, ...]:
    from wirespeed.benchmarks.judge_logs import judge_logs

    return judge_logs([(str(file), _reading(file)) for file in files], plan, asked, profile, found)


def _reading(file: Path) -> Reading:
    from wirespeed.benchmarks import read
    from wirespeed.cli.console import show_problems
    from wirespeed.errors import Problem

    reading = read(file.read_text(encoding="utf-8", errors="replace"), str(file))
    show_problems(reading.notices, label="left out")
    if not reading.runs:
        only = Problem(str(file), "debug lines of NCCL alone", "the table of a benchmark")
        show_problems([only], label="nothing to judge")
    return reading


def _print(plan: Plan, judged: Sequence[JudgedRun], output: Format) -> None:
    from wirespeed.cli.console import out

    if output is Format.JSON:
        from wirespeed.results.json import document

        typer.echo(document("bench-verdicts", SCHEMA, cluster=plan.name, runs=judged), nl=False)
        return
    from wirespeed.report import terminal

    terminal.judged(judged, out())
