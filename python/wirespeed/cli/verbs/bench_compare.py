"""``wirespeed bench compare``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from wirespeed.cli import flows, stored_campaigns
from wirespeed.cli.bench_app import bench

SCHEMA = 1


class Format(StrEnum):
    """How a comparison is printed."""

    TABLE = "table"
    JSON = "json"


@bench.command()
def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A campaign, or a log or folder of logs: how it was.")],
    b: Annotated[str, typer.Argument(metavar="B", help="A campaign, or a log or folder of logs: how it is.")],
    store: stored_campaigns.StoreOption = None,
    tool: stored_campaigns.ToolOption = None,
    test: stored_campaigns.TestOption = None,
    metric: stored_campaigns.MetricOption = None,
    size: stored_campaigns.SizeOption = None,
    place: stored_campaigns.PlaceOption = None,
    ranks: stored_campaigns.RanksOption = None,
    significance: Annotated[
        float, typer.Option("--significance", min=0.0001, max=0.5, help="The share of false alarms to accept.")
    ] = 0.05,
    at_least: Annotated[
        float, typer.Option("--at-least", min=0.0, metavar="PERCENT", help="Smaller differences do not matter.")
    ] = 2.0,
    limit: stored_campaigns.LimitOption = 30,
    output: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_BENCH_COMPARE_FORMAT", help="A table, or JSON.")
    ] = Format.TABLE,
) -> None:
    """Compare two campaigns, and say which differences are more than chance.

    A campaign is named by its id, its label, latest or latest~N, the N-th before it; a path that exists is read. The
    same test between the same places at the same size is compared with itself: medians, their difference, and the
    exact two-sided test of Mann and Whitney, corrected for the number of series (Benjamini and Hochberg). Asking for
    fewer series with --test, --metric or --size makes the test sharper.

    Few values cannot show anything: one on a side never, four on each are the fewest for one series, and many series
    need more. Repeat runs rather than trust one. Where twenty places or more were measured alike, each is also held
    against how much the others changed, which tells a slow pair from one run of each; from six places on all of them
    are tested together (Wilcoxon's signed ranks), which tells a change of the whole.

    Below stands what changed in settings, drivers and firmware between the two, where facts were stored with them
    (bench parse --bundle), and in the parameters of the runs.

    Exit code 1 when something got worse, 3 when nothing could be compared, 0 otherwise.

    Example: wirespeed bench compare latest~1 latest --test all_reduce --metric busbw

    Example: wirespeed bench compare before/ after/
    """
    wanted = stored_campaigns.wanted(tool, test, metric, size, place, ranks)
    found = stored_campaigns.compared(a, b, store, wanted, stored_campaigns.Judging(significance, at_least / 100))
    if output is Format.JSON:
        from wirespeed.results.json import document

        typer.echo(document("bench-comparison", SCHEMA, comparison=found), nl=False)
    else:
        from wirespeed.cli.console import out
        from wirespeed.report import campaign_comparison

        campaign_comparison.comparison(found, out(), limit)
    raise typer.Exit(flows.comparison_exit(found))
