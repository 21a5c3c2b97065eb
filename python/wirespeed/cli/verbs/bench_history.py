"""``wirespeed bench history``."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import stored_campaigns
from wirespeed.cli.bench_app import bench
from wirespeed.cli.exit import Exit

if TYPE_CHECKING:
    from wirespeed.results.campaign_history import Campaign, History

_CAMPAIGNS_SCHEMA = 2


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"
    JUNIT = "junit"
    PROMETHEUS = "prometheus"


@bench.command(short_help="Show measurements over campaigns and their change points.")
def history(
    store: stored_campaigns.StoreOption = None,
    tool: stored_campaigns.ToolOption = None,
    test: stored_campaigns.TestOption = None,
    metric: stored_campaigns.MetricOption = None,
    size: stored_campaigns.SizeOption = None,
    value_label: stored_campaigns.ValueLabelOption = None,
    ranks: stored_campaigns.RanksOption = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="NAME",
            help="Use only campaigns of this cluster. Default: all clusters except labs ('lab NAME').",
        ),
    ] = None,
    significance: Annotated[
        float,
        typer.Option(
            "--significance",
            metavar="P",
            min=0.001,
            max=0.5,
            help="Accepted probability that a change point is due to chance.",
        ),
    ] = 0.01,
    at_least: Annotated[
        float, typer.Option("--at-least", min=0.0, metavar="PERCENT", help="Ignore changes below this percentage.")
    ] = 2.0,
    limit: stored_campaigns.LimitOption = 20,
    output: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_BENCH_HISTORY_FORMAT", help="Output format.")
    ] = Format.TABLE,
) -> None:
    """Show measurements over all campaigns, with change points and their likely causes.

    Without --tool, --test, --metric, --size or --value-label the campaigns are listed. Otherwise each series is one
    line with its medians, oldest campaign first. Change points are found with a permutation test, which assumes no
    distribution and is robust against single outliers; it needs about ten campaigns, three of them after the change.
    For each change point the differences in settings, drivers and firmware are listed, if settings are stored with
    the campaigns (`bench parse --bundle`).

    JUnit: a series that got worse and has not recovered is a failed case, a series with too few campaigns an error.
    Prometheus: the level of each series in the last campaign, and its last change.

    Exit code 3 when no campaign matches, 0 otherwise. A change is not a failure, because it can be intended.

    Examples:

    \b
      wirespeed bench history
      wirespeed bench history --test all_reduce --metric busbw --size 8GiB
      wirespeed bench history --tool perftest --format prometheus > wirespeed.prom
    """
    from wirespeed.store import Filters

    wanted = stored_campaigns.select_series(tool, test, metric, size, value_label, ranks)
    with stored_campaigns.open_existing(store) as opened:
        if wanted.selects_everything and output in (Format.TABLE, Format.JSON):
            raise typer.Exit(_list_campaigns(opened.campaigns(), output))
        history_result = stored_campaigns.build_history(
            opened, wanted, stored_campaigns.Thresholds(significance, at_least / 100), cluster
        )
        explanation = (
            ""
            if history_result.series
            else stored_campaigns.explain_no_match(opened.find_campaigns(Filters()).values(), wanted)
        )
    if output is Format.JSON:
        from wirespeed.results.documents import SCHEMAS
        from wirespeed.results.json import document

        typer.echo(document("bench-history", SCHEMAS["bench-history"], history=history_result), nl=False)
    elif output is Format.TABLE:
        from wirespeed.cli.console import standard_output
        from wirespeed.report import campaign_comparison

        campaign_comparison.history(history_result, standard_output(), limit)
        if not history_result.series:
            _print_explanation(explanation)
    else:
        typer.echo(_format_report(history_result, output), nl=False)
    raise typer.Exit(Exit.PASSED if history_result.series else Exit.INCOMPLETE)


def _print_explanation(explanation: str) -> None:
    from wirespeed.cli.console import err

    err().print(explanation, markup=False, soft_wrap=True, highlight=False)


def _format_report(history: History, output: Format) -> str:
    """The history as a report that contains nothing else."""
    from wirespeed.report import junit, prometheus
    from wirespeed.results.report import Report
    from wirespeed.results.topology import Topology

    clusters = {campaign.cluster for campaign in history.campaigns}
    cluster = clusters.pop() if len(clusters) == 1 else None
    began = history.campaigns[-1].started if history.campaigns else None
    report = Report(cluster or "", began, Topology((), ()), histories=(history,))
    return junit.text(report) if output is Format.JUNIT else prometheus.text(report)


def _list_campaigns(campaigns: tuple[Campaign, ...], output: Format) -> Exit:
    from wirespeed.cli.console import standard_output
    from wirespeed.report import campaign_comparison
    from wirespeed.results.json import document

    if output is Format.JSON:
        typer.echo(document("bench-campaigns", _CAMPAIGNS_SCHEMA, campaigns=campaigns), nl=False)
    else:
        campaign_comparison.campaigns(campaigns, standard_output())
    return Exit.PASSED if campaigns else Exit.INCOMPLETE
