"""``wirespeed bench peers``."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import flows, nic_options, stored_campaigns, stored_logs
from wirespeed.cli.bench_app import bench

if TYPE_CHECKING:
    from wirespeed.benchmarks.peers import Log
    from wirespeed.cli.logs import LogFile
    from wirespeed.cli.peer_logs import Read
    from wirespeed.plan import Plan
    from wirespeed.results.peers import Peers


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"


@bench.command(short_help="Compare equivalent pairs and hosts; find the cause of slow ones.")
def peers(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE...", help="Result folders of `bench run`, logs, or folders of logs; - is standard input."
        ),
    ] = None,
    cluster: Annotated[
        Path | None,
        typer.Option("--cluster", "-c", metavar="CLUSTER.yaml", help="Cluster file: hardware, leaves and rails."),
    ] = None,
    source: Annotated[
        str | None, nic_options.source_option("bench peers", "Sending NIC, if the logs do not name it.")
    ] = None,
    target: Annotated[
        str | None, nic_options.target_option("bench peers", "Receiving NIC, if the logs do not name it.")
    ] = None,
    campaign: stored_logs.CampaignOption = None,
    store: stored_campaigns.StoreOption = None,
    metric: stored_campaigns.MetricOption = None,
    size: stored_campaigns.SizeOption = None,
    at_least: Annotated[
        float,
        typer.Option(
            "--at-least", min=0.1, max=90.0, metavar="PERCENT", help="Ignore differences below this percentage."
        ),
    ] = 5.0,
    output: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_BENCH_PEERS_FORMAT", help="Output format.")
    ] = Format.TABLE,
) -> None:
    """Compare equivalent pairs and hosts with each other, and find the common cause of slow ones.

    Only equivalent results are compared: same tool, test, size and metric, and with --cluster the same hardware and
    distance (under one leaf, between leaves). Slow cells of a pair matrix are explained by the smallest set of causes:
    a slow row and column point to a host or NIC, a slow row alone to its sending direction, a slow column alone to its
    receiving direction, a block to a leaf or to the links between two leaves, a stripe to a rail, a single cell to a
    path. No hardware limit is needed. If everything is slow, use `bench judge`.

    Output of mpiGraph and result folders of `bench run` name the endpoints. For other logs, addresses are looked up in
    the cluster file. For a test inside one host, name the log or its folder after the host (node3/all_reduce.log).

    A single slow result is a suspect: commands that repeat it, and commands for healthy pairs to compare it with, are
    printed. A suspect that is slow in every further log or attempt is confirmed.

    Exit code 1 when a suspect is confirmed, 3 when a suspect must be measured again or nothing could be compared, 0
    otherwise.

    Examples:

    \b
      wirespeed bench run matrix --cluster cluster.yaml --output matrix
      wirespeed bench peers matrix --cluster cluster.yaml
      wirespeed bench peers --campaign latest --cluster cluster.yaml
    """
    from wirespeed.cli.console import show_problems
    from wirespeed.errors import Refusal

    names = files or []
    options = (("--campaign", campaign), ("--store", store if campaign else None))
    log_arguments = (*names, *(word for option, value in options if value for word in (option, value)))
    with stored_logs.open_stored_logs(names, campaign, store) as stored:
        read, plan = _read_logs(names, stored, cluster, (source, target))
    if source is not None and read.logs:
        _refuse_unused_ends(read.logs, (source, target))
    result = _compare_logs(read.logs, plan, log_arguments, cluster, metric, size, at_least / 100)
    _print_peers(result, output)
    show_problems(read.notices, label="warning")
    if read.refusals:
        raise Refusal(read.refusals)
    raise typer.Exit(flows.peers_exit(result))


def _read_logs(
    files: list[str], stored: Sequence[LogFile], cluster: Path | None, ends: tuple[str | None, str | None]
) -> tuple[Read, Plan | None]:
    from wirespeed.cli import peer_logs
    from wirespeed.errors import refuse

    if (ends[0] is None) != (ends[1] is None):
        raise refuse("--from and --to", "only one of them is given", hint="give both or none")
    plan = flows.plan_cluster(cluster) if cluster else None
    return peer_logs.read(files, plan, ends, stored), plan


def _refuse_unused_ends(logs: Sequence[Log], ends: tuple[str | None, str | None]) -> None:
    """Refuse ends of the user where every log names its own: result folders, and matrices of pairs.

    Raises:
        Refusal: no log uses them.
    """
    from wirespeed.errors import refuse
    from wirespeed.results.benchmarks import PAIR_ARROW

    runs = [run for log in logs if (log.source, log.target) == ends for run in log.runs]
    if all(any(PAIR_ARROW in (row.label or "") for row in run.measurements) for run in runs):
        raise refuse("--from and --to", "no effect: every log names the ends of its values", hint="omit both")


def _compare_logs(
    logs: Sequence[Log],
    plan: Plan | None,
    log_arguments: tuple[str, ...],
    cluster: Path | None,
    metric: str | None,
    size: str | None,
    tolerance: float,
) -> Peers:
    """Compare logs; ``log_arguments`` are the command-line arguments that select them."""
    from wirespeed.benchmarks.peers import ComparisonOptions, MemberDirectory, compare_samples, gather
    from wirespeed.results.benchmarks import Metric

    wanted = stored_campaigns.select_series(None, None, metric, size, None, None)
    directory = MemberDirectory(plan)
    gathered = gather(logs, directory, Metric(metric) if metric else None, wanted.size_bytes)
    comparison_options = ComparisonOptions(log_arguments, str(cluster) if cluster else None)
    return compare_samples(gathered, directory, comparison_options, tolerance)


def _print_peers(result: Peers, output: Format) -> None:
    from wirespeed.cli.console import standard_output
    from wirespeed.results.json import document

    if output is Format.JSON:
        from wirespeed.results.documents import SCHEMAS

        typer.echo(document("bench-peers", SCHEMAS["bench-peers"], peers=result), nl=False)
        return
    from wirespeed.report import peers as report

    report.peers(result, standard_output())
