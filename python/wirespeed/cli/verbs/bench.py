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
    from wirespeed.cli.log_storage import Asked, Kept
    from wirespeed.cli.logs import LogFile
    from wirespeed.results.benchmarks import Run
    from wirespeed.results.campaign_history import Campaign
    from wirespeed.results.nccl import Communicator


class Format(StrEnum):
    """How to print runs."""

    TABLE = "table"
    JSON = "json"


@bench.command()
def parse(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Logs to read, or folders of logs; - is standard input.")
    ],
    format: Annotated[Format, typer.Option("--format", "-f", help="A table to look at, or JSON.")] = Format.TABLE,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="STORE",
            envvar="WIRESPEED_STORE",
            help="Store what is read instead of showing it: in a file, in postgresql://HOST/DATABASE, or in your own "
            "store (default).",
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--label", help="What to call the campaign; the folder and time of the logs if not said."),
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", help="When it was measured; the time of the oldest log if not said.")
    ] = None,
    cluster: Annotated[
        Path | None, typer.Option("--cluster", metavar="CLUSTER.yaml", help="The cluster file of what was measured.")
    ] = None,
    bundle: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            metavar="BUNDLE",
            help="What wirespeed collect read then: its settings are kept beside the runs.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", min=1, metavar="N", help="Processes that read for --store; one on each core if not said."
        ),
    ] = None,
) -> None:
    """Read the output of benchmark tools: nccl-tests, perftest, iperf3, OSU micro-benchmarks and more.

    'wirespeed list tools' names them all. The tool is recognised by what is in the file: text or JSON, one run or many,
    with rank prefixes, colours, quoting and debug lines of NCCL in between. What was left out is said on standard error
    with its line. Units are what they truly are: perftest's MB/sec is MiB/s, iperf3's GBytes is GiB, NetPIPE's Mbps is
    Mib/s.

    Debug lines of NCCL and RCCL (NCCL_DEBUG=INFO) become communicators: network, NICs, GPUDirect RDMA on each path,
    rings, trees, GID index, environment, algorithms and warnings. A log with nothing else is read too.

    Every run says whether its log is complete, truncated or that of a failure; reading all of them leaves with 0. A
    failed run names the entries of the failure catalogue that cause its message, likeliest first; `wirespeed explain`
    shows one. A file that is no output of a known tool is refused with 2; in a folder such files are left out.

    With --store the runs and the raw output become a campaign, for `wirespeed bench compare` and `wirespeed bench
    history`. Storing the same logs again under the same label adds what is new and doubles nothing, also after an
    interrupt. A password belongs into PostgreSQL's own password file, not into --store.

    Example: mpirun ... all_reduce_perf -b 8 -e 16G -f 2 | wirespeed bench parse --format json -

    Example: wirespeed bench parse logs/ --store default --label after-firmware
    """
    from wirespeed.cli.logs import log_files

    logs = list(log_files(files))
    if store is None:
        if label or time or cluster or bundle:
            raise typer.BadParameter("--label, --time, --cluster and --bundle say what to store: give --store too")
        _show(logs, format)
        return
    from wirespeed.cli.log_storage import Asked

    _store(logs, jobs, store, Asked(label, time, cluster, bundle), format)


def _show(logs: Sequence[LogFile], format: Format) -> None:
    from wirespeed.cli.console import show_problems
    from wirespeed.cli.logs import read
    from wirespeed.errors import Problem, Refused

    runs: list[Run] = []
    communicators: list[Communicator] = []
    notices: list[Problem] = []
    refused: list[Problem] = []
    for log in logs:
        try:
            reading = read(log, log.content())
        except Refused as problem:
            (notices if log.inside else refused).extend(problem.problems)
            continue
        runs += reading.runs
        communicators += reading.communicators
        notices += reading.notices
    if runs or communicators:
        _print(runs, communicators, format)
    show_problems(notices, label="left out")
    if refused:
        raise Refused(refused)
    if not runs and not communicators:
        raise typer.Exit(Exit.INCOMPLETE)


def _store(logs: Sequence[LogFile], jobs: int | None, where: str, asked: Asked, format: Format) -> None:
    from wirespeed.cli.console import err, show_problems
    from wirespeed.cli.log_reader import Readers
    from wirespeed.cli.log_storage import keep, open_store
    from wirespeed.errors import Refused

    with Readers(logs, jobs) as readers, open_store(where) as store:
        campaign, kept = keep(store, logs, readers, asked)
        name = store.name
    if campaign is not None:
        _print_kept(name, campaign, kept, format)
    show_problems(kept.notices, label="left out")
    if kept.interrupted:
        err().print("interrupted: what was read is stored; the same command goes on from there", markup=False)
        raise typer.Exit(Exit.INTERRUPTED)
    if kept.refused:
        raise Refused(kept.refused)
    if campaign is None:
        err().print("nothing to store: no output of a known tool", markup=False)
        raise typer.Exit(Exit.INCOMPLETE)


def _print_kept(store: str, campaign: Campaign, kept: Kept, format: Format) -> None:
    from wirespeed.cli.console import err, out
    from wirespeed.report.wording import plural
    from wirespeed.results.json import document

    if format is Format.JSON:
        added = {"logs": kept.logs, "runs": kept.runs, "measurements": kept.measurements, "known": kept.known}
        typer.echo(document("bench-stored", 1, store=store, campaign=campaign, added=added), nl=False)
    else:
        brought = ((kept.logs, "log"), (kept.runs, "run"), (kept.measurements, "measurement"))
        counts = ", ".join(plural(count, name) for count, name in brought)
        line = f"campaign {campaign.id} {campaign.label}: {counts} stored in {store}"
        out().print(line, soft_wrap=True, markup=False)
    if kept.known:
        err().print(f"{plural(len(kept.known), 'log')} left out: the campaign holds the same content", markup=False)


def _print(runs: list[Run], communicators: list[Communicator], output: Format) -> None:
    if output is Format.JSON:
        from wirespeed.results.json import document

        typer.echo(document("bench-runs", 1, runs=runs, communicators=communicators), nl=False)
        return
    from wirespeed.cli import bench_nccl_table, bench_table

    for run in runs:
        bench_table.show(run)
    for communicator in communicators:
        bench_nccl_table.show(communicator)
