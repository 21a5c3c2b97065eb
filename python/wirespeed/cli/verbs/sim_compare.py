"""``wirespeed sim compare``: the same scenarios under every congestion control."""

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
from wirespeed.cli.verbs.sim_run import Preset, is_json

if TYPE_CHECKING:
    from wirespeed.results.algorithm_comparison import Comparison
    from wirespeed.units import Duration


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


@sim.command(short_help="Compare congestion-control algorithms on the same scenarios.")
def compare(
    scenarios: Annotated[
        list[Path], typer.Argument(metavar="SCENARIO.json...", help="Scenario files (nodes, links, flows).")
    ],
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            metavar="NAME",
            help="Algorithms to compare, such as dcqcn-d,hpcc. Separate several with commas, or repeat the "
            "option. Default: all.",
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

    Only the algorithm changes. If the scenario names an algorithm, its parameters are used for the run with that
    algorithm. Some algorithms need other device settings, which are adapted and listed below the table; --as-is keeps
    the settings of the scenario. DCTCP and DCQCN-D: Kmax is set to Kmin; DCQCN-D: a CNP for every marked packet. Ultra
    Ethernet (nscc, rccc, nscc+rccc): no PFC, packet trimming, and queue, marking and timer values derived from the
    longest path and bandwidth-delay product of the scenario.

    Completion times are as in `sim run`. Gb/s is the payload of all flows between the first start and the last end.
    Jain's fairness index compares flow rates; 1 means equal rates. The same scenarios, preset and seed give the same
    output on every machine and for every value of --jobs.

    Exit code 1 when a flow failed in any run, 2 when a scenario is refused, 130 when interrupted; the finished runs are
    then printed.

    A cluster file becomes a scenario with `wirespeed sim run CLUSTER.yaml -t TRAFFIC.yaml --write-scenario FILE.json`.

    Examples:

    \b
      wirespeed sim compare incast.json
      wirespeed sim compare incast.json permutation.json --algorithm dcqcn-p,dcqcn-d
      wirespeed sim compare incast.json --format csv > incast.csv
    """
    from wirespeed import simulation
    from wirespeed.cli.interrupt import interruptible

    for scenario in scenarios:
        _check_scenario(scenario)
    chosen, end = _parse_options(algorithms, until, simulation.ALGORITHMS)
    with interruptible() as interrupted, _bar() as tell:
        comparison = simulation.compare(
            scenarios,
            chosen,
            preset.value,
            seed,
            as_is=as_is,
            until=end,
            jobs=jobs or os.cpu_count() or 1,
            on_progress=lambda done, of: (tell(done, of), not interrupted())[1],
        )
    _print(comparison, form)
    whole = len(comparison.runs) == len(scenarios) * len(chosen) and all(run.complete for run in comparison.runs)
    failed = any(run.failed for run in comparison.runs)
    if not whole:
        raise typer.Exit(Exit.INTERRUPTED)
    raise typer.Exit(Exit.FAILED if failed else Exit.PASSED)


def _check_scenario(file: Path) -> None:
    """Refuse a cluster file, which needs traffic to become a scenario.

    Raises:
        Refusal: the file is not JSON.
    """
    from wirespeed.errors import refuse

    if not is_json(file):
        hint = f"`wirespeed sim run {file} -t TRAFFIC.yaml --write-scenario FILE.json` converts a cluster file"
        raise refuse(str(file), "not a scenario in JSON", hint=hint)


def _parse_options(
    algorithms: list[str] | None, until: str | None, known: tuple[str, ...]
) -> tuple[tuple[str, ...], Duration | None]:
    """Which algorithms, each once, and when to end.

    Raises:
        Refusal: there is no such algorithm, or the time is none.
    """
    from wirespeed.errors import Problem, Refusal, did_you_mean, one_of
    from wirespeed.units import Duration

    names = list(dict.fromkeys(name.strip() for text in algorithms or () for name in text.split(",")))
    wrong = [name for name in names if name not in known]
    problems = [
        Problem("--algorithm", f"no algorithm named {name!r}", one_of(known), did_you_mean(name, known))
        for name in wrong
    ]
    end = None
    try:
        end = Duration.parse(until) if until is not None else None
    except ValueError as error:
        problems.append(Problem("--until", str(error), "a time such as 10us"))
    if problems:
        raise Refusal(problems)
    return tuple(names) or known, end


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """How many runs are done, on standard error."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from wirespeed.cli.console import err

    columns = (TextColumn("simulating"), BarColumn(), MofNCompleteColumn(), TextColumn("runs"))
    with Progress(*columns, console=err(), transient=True, disable=not err().is_terminal) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _print(comparison: Comparison, form: Format) -> None:
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
