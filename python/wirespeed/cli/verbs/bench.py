"""``wirespeed bench parse``: benchmark logs to runs."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.bench_app import bench
from wirespeed.cli.exit import Exit

if TYPE_CHECKING:
    from wirespeed.cli.log_storage import CampaignOptions, StorageResult
    from wirespeed.cli.logs import LogFile
    from wirespeed.results.benchmarks import Run
    from wirespeed.results.campaign_history import Campaign
    from wirespeed.results.nccl import Communicator


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"


@bench.command(short_help="Parse the output of benchmark tools.")
def parse(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Logs or folders of logs; - is standard input.")
    ],
    format: Annotated[Format, typer.Option("--format", "-f", help="Output format.")] = Format.TABLE,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="STORE",
            envvar="WIRESPEED_STORE",
            help="Store the runs instead of printing them: a file, postgresql://HOST/DATABASE, or "
            "`default` for your personal store.",
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--label", metavar="TEXT", help="Label of the campaign. Default: folder and time of the logs."),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option("--time", metavar="TIME", help="Time of the measurement. Default: the time of the oldest log."),
    ] = None,
    cluster: Annotated[
        Path | None,
        typer.Option("--cluster", "-c", metavar="CLUSTER.yaml", help="Cluster file of the measured cluster."),
    ] = None,
    bundle: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            metavar="BUNDLE",
            help="Bundle collected at that time; its settings are stored with the runs.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            min=1,
            metavar="N",
            help="Number of processes that parse logs for --store. Default: number of cores.",
        ),
    ] = None,
) -> None:
    """Parse the output of benchmark tools: nccl-tests, perftest, iperf3, OSU micro-benchmarks and more.

    `wirespeed list tools` lists all tools. The tool is recognised by the content of the file: text or JSON, one run or
    many, with rank prefixes, colors, quoting and NCCL debug lines in between. Skipped lines are reported on standard
    error. Units are corrected: MB/sec of perftest means MiB/s, GBytes of iperf3 means GiB, Mbps of NetPIPE means Mib/s.

    Debug lines of NCCL and RCCL (NCCL_DEBUG=INFO) are shown as communicators: network, NICs, GPUDirect RDMA per path,
    rings, trees, GID index, environment, algorithms and warnings. A log that contains only debug lines is accepted.

    Each run is complete, truncated or failed, or its end is unknown. For a failed run the likely causes of its error
    message are listed, most likely first; `wirespeed explain` explains them. A file without output of a known tool is
    refused; in a folder such files are skipped.

    With --store the runs and the raw output become a campaign for `wirespeed bench compare` and `wirespeed bench
    history`. If you store a folder again under the same label, for example after an interrupt, only new logs are added.
    Put the password of a PostgreSQL store in ~/.pgpass, not in --store.

    Exit code 0 when all logs were parsed, even if a log contains a failed run (`bench judge` then exits with 1); 2 when
    a file is refused; 3 when nothing was found.

    Examples:

    \b
      wirespeed bench parse all_reduce.log
      mpirun ... all_reduce_perf -b 8 -e 16G -f 2 | wirespeed bench parse --format json -
      wirespeed bench parse logs/ --store default --label after-firmware
    """
    from wirespeed.cli.log_files import log_files

    logs = list(log_files(files))
    if store is None:
        if label or time or cluster or bundle:
            raise typer.BadParameter("--label, --time, --cluster and --bundle need --store")
        _show_logs(logs, format)
        return
    from wirespeed.cli.log_storage import CampaignOptions

    _store_logs(logs, jobs, store, CampaignOptions(label, time, cluster, bundle), format)


def _show_logs(logs: Sequence[LogFile], format: Format) -> None:
    from wirespeed.cli.console import show_problems
    from wirespeed.cli.logs import read
    from wirespeed.errors import Problem, Refusal

    runs: list[Run] = []
    communicators: list[Communicator] = []
    notices: list[Problem] = []
    refusals: list[Problem] = []
    for log in logs:
        try:
            reading = read(log, log.content())
        except Refusal as problem:
            (notices if log.is_in_folder else refusals).extend(problem.problems)
            continue
        runs += reading.runs
        communicators += reading.communicators
        notices += reading.notices
    if runs or communicators:
        _print_runs(runs, communicators, format)
    show_problems(notices, label="warning")
    if refusals:
        raise Refusal(refusals)
    if not runs and not communicators:
        from wirespeed.cli.console import err

        err().print(
            f"no benchmark log found in {len(logs)} files; `wirespeed list tools` lists the tools", markup=False
        )
        raise typer.Exit(Exit.INCOMPLETE)


def _store_logs(
    logs: Sequence[LogFile], jobs: int | None, store_name: str, options: CampaignOptions, format: Format
) -> None:
    from wirespeed.cli.console import err, show_problems, show_skipped
    from wirespeed.cli.log_reader import Readers
    from wirespeed.cli.log_storage import keep, open_store
    from wirespeed.errors import Refusal

    with Readers(logs, jobs) as readers, open_store(store_name) as store:
        campaign, result = keep(store, logs, readers, options)
        name = store.name
    if campaign is not None:
        _print_stored(name, campaign, result, format)
    show_problems(result.notices, label="warning")
    show_skipped(result.skipped)
    if result.interrupted:
        err().print("interrupted: the logs read so far are stored; run the same command to continue", markup=False)
        raise typer.Exit(Exit.INTERRUPTED)
    if result.refusals:
        raise Refusal(result.refusals)
    if campaign is None:
        err().print("nothing stored: no output of a known tool", markup=False)
        raise typer.Exit(Exit.INCOMPLETE)


def _print_stored(store: str, campaign: Campaign, result: StorageResult, format: Format) -> None:
    from wirespeed.cli.console import err, standard_output
    from wirespeed.report.wording import plural
    from wirespeed.results.json import document

    if format is Format.JSON:
        added = {
            "logs": result.logs,
            "runs": result.runs,
            "measurements": result.measurements,
            "known": result.known_logs,
        }
        typer.echo(document("bench-stored", 1, store=store, campaign=campaign, added=added), nl=False)
    else:
        brought = ((result.logs, "log"), (result.runs, "run"), (result.measurements, "measurement"))
        counts = ", ".join(plural(count, name) for count, name in brought)
        line = f"campaign {campaign.id} {campaign.label}: {counts} stored in {store}"
        standard_output().print(line, soft_wrap=True, markup=False)
    if result.known_logs:
        err().print(f"{plural(len(result.known_logs), 'log')} skipped: already in the campaign", markup=False)


def _print_runs(runs: list[Run], communicators: list[Communicator], output: Format) -> None:
    if output is Format.JSON:
        from wirespeed.results.json import document

        typer.echo(document("bench-runs", 3, runs=runs, communicators=communicators), nl=False)
        return
    from wirespeed.cli import bench_nccl_table, bench_table

    for run in runs:
        bench_table.show(run)
    explained = {failure for run in runs for failure in run.failures}
    errors = [run.error for run in runs if run.error]
    for communicator in communicators:
        if not bench_nccl_table.repeats_errors(communicator, errors):
            bench_nccl_table.show(communicator, explained, errors)
