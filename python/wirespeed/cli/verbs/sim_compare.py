"""``wirespeed sim compare``: run the same scenarios with every congestion control."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.exit import Exit
from wirespeed.cli.sim_app import sim
from wirespeed.cli.value_lists import SEPARATION, split_values
from wirespeed.cli.verbs.sim_run import (
    Preset,
    describe_folder,
    describe_missing_traffic,
    describe_time_problem,
    is_json,
)

if TYPE_CHECKING:
    from wirespeed.results.algorithm_comparison import Comparison
    from wirespeed.simulation.compare import Candidate
    from wirespeed.units import Duration


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


@sim.command(short_help="Compare congestion-control algorithms, or settings.")
def compare(
    scenarios: Annotated[
        list[Path],
        typer.Argument(
            metavar="SCENARIO.json|CLUSTER.yaml...",
            help="Scenario files (nodes, links, flows), or cluster files with --traffic.",
        ),
    ],
    traffic: Annotated[
        Path | None,
        typer.Option(
            "--traffic",
            "-t",
            metavar="TRAFFIC.yaml",
            help="Traffic file: the flows to simulate on the cluster of each cluster file.",
        ),
    ] = None,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            metavar="NAME",
            help=f"Algorithm to compare, such as hpcc. {SEPARATION} Default: all.",
        ),
    ] = None,
    preset: Annotated[Preset, typer.Option("--preset", help="Default device parameters: roce or hpcc.")] = Preset.ROCE,
    seed: Annotated[int, typer.Option("--seed", metavar="NUMBER", min=0, max=2**64 - 1, help="Random seed.")] = 1,
    as_is: Annotated[
        bool,
        typer.Option(
            "--as-is", help="Do not adapt ECN thresholds, CNP settings and other parameters to the algorithm."
        ),
    ] = False,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="TIME", help="Stop every run at this simulated time, such as 5ms."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", metavar="NUMBER", min=1, help="Maximum number of concurrent runs. Default: number of cores."
        ),
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_SIM_COMPARE_FORMAT", help="Output format.")
    ] = Format.TABLE,
) -> None:
    """Run scenarios with each congestion-control algorithm and print one comparison table.

    Runs differ only in the algorithm and the settings that it expects. If the scenario names an algorithm, its
    parameters are used for the run with that algorithm. Changed settings are listed below the table; --as-is keeps
    the settings of the scenario.

    \b
    dcqcn, dcqcn-nvidia,    ECN slope: minimum below maximum threshold
      dcqcn-p
    dctcp, dcqcn-d          ECN step: minimum = maximum threshold
    dcqcn-d                 also a CNP for every marked packet
    nscc, rccc, nscc+rccc   Ultra Ethernet: no PFC, packet trimming; queues,
                            marking and timers from the longest path
    line-rate               no congestion control: senders keep the line rate;
                            no other changes
    all others              no changes

    With a cluster file, slope and step are those that its plan computes for dcqcn-p and dcqcn-d. A scenario in JSON
    contains only one of them: a step is set at the minimum threshold of a slope, but a slope cannot be derived from a
    step, and a warning is printed.

    To compare values of a setting, such as an ECN threshold, give one scenario or cluster file for each value, one
    algorithm, and --as-is.

    Completion times are as in `sim run`. Gb/s is the payload of all flows between the first start and the last end.
    Jain's fairness index compares flow rates; 1 means equal rates. Values that are the same in all runs are below the
    table; JSON and CSV contain all values. The same scenarios, preset and seed give the same output on every machine
    and for every value of --jobs.

    Exit code 1 when a flow failed in any run, 2 when a scenario is refused, 130 when interrupted; the finished runs are
    then printed.

    Examples:

    \b
      wirespeed sim compare incast.json
      wirespeed sim compare incast.json permutation.json --algorithm dcqcn-p,dcqcn-d
      wirespeed sim compare incast.json --format csv > incast.csv
      wirespeed sim compare cluster.yaml -t incast.yaml --algorithm dcqcn-p,dcqcn-d
      wirespeed sim compare ecn-1MB.yaml ecn-2MB.yaml -t incast.yaml --algorithm dcqcn-p --as-is
    """
    from wirespeed import simulation
    from wirespeed.cli.interrupt import interruptible

    scenarios = list(dict.fromkeys(scenarios))
    chosen, end = _parse_options(algorithm, until, simulation.ALGORITHMS)
    candidates = _read_candidates(scenarios, traffic, preset, seed)
    with interruptible() as interrupted, _show_progress() as show:
        comparison = simulation.compare(
            candidates,
            chosen,
            preset.value,
            seed,
            as_is=as_is,
            end_time=end,
            jobs=jobs or os.cpu_count() or 1,
            on_progress=lambda count, total: (show(count, total), not interrupted())[1],
        )
    _print_comparison(comparison, form)
    whole = len(comparison.runs) == len(scenarios) * len(chosen) and all(run.complete for run in comparison.runs)
    failed = any(run.failed for run in comparison.runs)
    if not whole:
        raise typer.Exit(Exit.INTERRUPTED)
    raise typer.Exit(Exit.FAILED if failed else Exit.PASSED)


def _read_candidates(scenarios: list[Path], traffic: Path | None, preset: Preset, seed: int) -> list[Candidate]:
    """The scenarios of all files.

    Raises:
        Refusal: an option does not apply to the files, or a cluster or its traffic is impossible.
    """
    from wirespeed.errors import Problem, Refusal
    from wirespeed.simulation.compare import read_scenario

    folders = [file for file in scenarios if file.is_dir()]
    if folders:
        raise Refusal(map(describe_folder, folders))
    clusters = [file for file in scenarios if not is_json(file)]
    problems = [describe_missing_traffic(file) for file in clusters if traffic is None]
    if clusters and preset is not Preset.ROCE:
        text = f"{preset.value} does not apply to a cluster file; its plan sets the devices"
        problems.append(Problem("--preset", text, hint="omit it"))
    if traffic is not None and not clusters:
        text = "does not apply to scenarios, which contain their flows"
        problems.append(Problem("--traffic", text, hint="omit --traffic"))
    if problems:
        raise Refusal(problems)
    return [
        _plan_candidate(file, traffic, seed) if traffic is not None and file in clusters else read_scenario(file)
        for file in scenarios
    ]


def _plan_candidate(file: Path, traffic: Path, seed: int) -> Candidate:
    from wirespeed.cluster import read
    from wirespeed.render import simulator_mappings
    from wirespeed.simulation.planned_candidate import plan_candidate

    return plan_candidate(file, read(file), traffic, seed, simulator_mappings())


def _parse_options(
    algorithms: list[str] | None, end_time: str | None, known_algorithms: tuple[str, ...]
) -> tuple[tuple[str, ...], Duration | None]:
    """The algorithms, each once, and the simulated time at which runs end.

    Raises:
        Refusal: unknown algorithm or invalid time.
    """
    from wirespeed.errors import Problem, Refusal, did_you_mean, format_choices
    from wirespeed.units import Duration

    names = list(dict.fromkeys(split_values(algorithms)))
    wrong = [name for name in names if name not in known_algorithms]
    problems = [
        Problem(
            "--algorithm",
            f"no algorithm named {name!r}",
            format_choices(known_algorithms),
            did_you_mean(name, known_algorithms),
        )
        for name in wrong
    ]
    end = None
    try:
        end = Duration.parse(end_time) if end_time is not None else None
    except ValueError:
        problems.append(describe_time_problem("--until", str(end_time)))
    if problems:
        raise Refusal(problems)
    return tuple(names) or known_algorithms, end


@contextmanager
def _show_progress() -> Iterator[Callable[[int, int], None]]:
    """Progress bar on standard error."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from wirespeed.cli.console import err

    columns = (TextColumn("simulating"), BarColumn(), MofNCompleteColumn(), TextColumn("runs"))
    with Progress(*columns, console=err(), transient=True, disable=not err().is_terminal) as bar:
        task = bar.add_task("", total=None)
        yield lambda count, total: bar.update(task, completed=count, total=total)


def _print_comparison(comparison: Comparison, form: Format) -> None:
    from wirespeed.cli.console import standard_output
    from wirespeed.report import algorithm_comparison as report
    from wirespeed.results.algorithm_comparison import to_json

    match form:
        case Format.JSON:
            typer.echo(to_json(comparison), nl=False)
        case Format.CSV:
            typer.echo(report.to_csv(comparison), nl=False)
        case Format.TABLE:
            report.table(comparison, standard_output())
