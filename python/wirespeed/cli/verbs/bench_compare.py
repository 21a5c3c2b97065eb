"""``wirespeed bench compare``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from wirespeed.cli import flows, stored_campaigns
from wirespeed.cli.bench_app import bench


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"


@bench.command(short_help="Compare two campaigns statistically.")
def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="Baseline: campaign, log or folder of logs.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Candidate: campaign, log or folder of logs.")],
    store: stored_campaigns.StoreOption = None,
    tool: stored_campaigns.ToolOption = None,
    test: stored_campaigns.TestOption = None,
    metric: stored_campaigns.MetricOption = None,
    size: stored_campaigns.SizeOption = None,
    value_label: stored_campaigns.ValueLabelOption = None,
    ranks: stored_campaigns.RanksOption = None,
    across_paths: Annotated[
        bool,
        typer.Option(
            "--across-paths",
            envvar="WIRESPEED_BENCH_COMPARE_ACROSS_PATHS",
            help="Also compare series whose hosts, number of hosts, network interfaces (TCP) or RDMA transport (RC, "
            "UD) differ between A and B. Collectives on the same number of hosts do not need it.",
        ),
    ] = False,
    collective: Annotated[
        str | None,
        typer.Option(
            "--collective",
            metavar="NAME",
            help="The collective of logs of nccl-tests and rccl-tests that do not name it, such as all-reduce. Without "
            "it, such logs are compared by their file names.",
        ),
    ] = None,
    significance: Annotated[
        float,
        typer.Option("--significance", metavar="P", min=0.0001, max=0.5, help="Accepted probability of a false alarm."),
    ] = 0.05,
    at_least: Annotated[
        float, typer.Option("--at-least", min=0.0, metavar="PERCENT", help="Ignore changes below this percentage.")
    ] = 2.0,
    show_all: Annotated[
        bool,
        typer.Option(
            "--all", envvar="WIRESPEED_BENCH_COMPARE_ALL", help="Also show series without a significant change."
        ),
    ] = False,
    limit: stored_campaigns.LimitOption = 30,
    output: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_BENCH_COMPARE_FORMAT", help="Output format.")
    ] = Format.TABLE,
) -> None:
    """Compare two campaigns statistically.

    A campaign is given by its id, its label, latest or latest~N (the N-th before it); an existing path is read as logs.
    Each series (same test, endpoints and size) of A is compared with the same series of B: medians, their difference,
    and the exact two-sided Mann-Whitney test, corrected for the number of series (Benjamini-Hochberg). Fewer series,
    selected with --test, --metric or --size, make the test more sensitive.

    A change can be detected with 4 runs per side if 1 series is compared, with 5 if 2 to 6 series are compared, and
    with more if there are more series. Series whose values are all equal are not included in this number. If the values
    of both sides do not overlap, but the runs are too few for the number of series, the change is "not proven", and the
    number of runs that are needed is printed.

    With 6 or more pairs of hosts of one test and size, all pairs are tested jointly (Wilcoxon signed-rank test), which
    finds a change of the whole cluster. With 20 or more, each pair is also compared with the change of all others,
    which finds one slow pair from single runs.

    Changes of settings, drivers, firmware and run parameters between the two campaigns are listed after the table.
    Settings must be stored with the campaigns (`bench parse --bundle`).

    Bandwidths of nccl-tests and rccl-tests are computed from size and time where the time is printed more exactly.

    To compare two hosts, two networks or RC with UD, use --across-paths: series with the same test, number of ranks and
    size are compared, and the parts of the path that differ are listed.

    Exit code 1 when something got worse, 3 when nothing could be compared or a change for the worse is not proven for
    lack of runs, 0 otherwise.

    Examples:

    \b
      wirespeed bench compare latest~1 latest --test all_reduce --metric busbw
      wirespeed bench compare before/ after/
      wirespeed bench compare ethernet/ bridge/ --across-paths
      wirespeed bench compare before/ after/ --collective all-reduce
    """
    wanted = stored_campaigns.select_series(tool, test, metric, size, value_label, ranks)
    judging = stored_campaigns.Thresholds(significance, at_least / 100)
    comparison = stored_campaigns.compare_campaigns(
        a, b, store, wanted, judging, across_paths=across_paths, collective=collective
    )
    if output is Format.JSON:
        from wirespeed.results.documents import SCHEMAS
        from wirespeed.results.json import document

        typer.echo(document("bench-comparison", SCHEMAS["bench-comparison"], comparison=comparison), nl=False)
    else:
        from wirespeed.cli.console import standard_output
        from wirespeed.cli.unnamed_collectives import is_unnamed
        from wirespeed.report import campaign_comparison

        campaign_comparison.comparison(comparison, standard_output(), limit, show_all=show_all)
        if not comparison.series and not across_paths and not collective and comparison.only_a and comparison.only_b:
            paired = stored_campaigns.compare_campaigns(
                a, b, store, wanted, judging, across_paths=True, collective=collective
            )
            if paired.series:
                count = f"{len(paired.series):,} series that differ only in their hosts, interfaces or transport"
                standard_output().print(f"hint: --across-paths compares {count}")
        if any(is_unnamed(row.series) for row in comparison.series) or "log (" in (comparison.unpaired or ""):
            reason = "logs without the name of their collective are compared by their file names"
            standard_output().print(f"hint: {reason}; name it, such as --collective all-reduce", soft_wrap=True)
        if not comparison.series and not wanted.selects_everything:
            from wirespeed.cli.console import err
            from wirespeed.store import Filters

            every = stored_campaigns.compare_campaigns(a, b, store, Filters(), judging)
            explanation = stored_campaigns.explain_no_match((row.series for row in every.series), wanted)
            err().print(explanation, markup=False, soft_wrap=True, highlight=False)
    raise typer.Exit(flows.comparison_exit(comparison))
