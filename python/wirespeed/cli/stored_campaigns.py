"""Access to stored campaigns: selection of series, comparison, history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import logs
from wirespeed.cli.bus_factors import find_bus_factor
from wirespeed.cli.log_files import log_files

if TYPE_CHECKING:
    from wirespeed.results.campaign_history import Campaign, Changes, Comparison, History
    from wirespeed.results.series import Series
    from wirespeed.store import Filters, Store
    from wirespeed.store.configuration_diff import Circumstance

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="STORE",
        envvar="WIRESPEED_STORE",
        help="Store of campaigns: a file or postgresql://HOST/DATABASE. Default: your personal store.",
    ),
]
ToolOption = Annotated[str | None, typer.Option("--tool", metavar="TOOL", help="Use only this tool, such as perftest.")]
TestOption = Annotated[
    str | None, typer.Option("--test", metavar="TEST", help="Use only this test, such as all_reduce or ib_write_bw.")
]
MetricOption = Annotated[
    str | None, typer.Option("--metric", metavar="METRIC", help="Use only this metric, such as busbw or bw_avg.")
]
SizeOption = Annotated[
    str | None,
    typer.Option("--size", metavar="SIZE", help="Use only this message size, in bytes or with a unit, such as 8GiB."),
]
ValueLabelOption = Annotated[
    str | None,
    typer.Option(
        "--value-label",
        metavar="TEXT",
        help="Use only series with this label or pair, such as in-place or 'node1 -> node2'.",
    ),
]
RanksOption = Annotated[
    int | None, typer.Option("--ranks", metavar="N", help="Use only runs with this number of ranks.")
]
LimitOption = Annotated[int, typer.Option("--limit", min=1, metavar="N", help="Maximum number of series in a table.")]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Thresholds of a difference."""

    significance: float
    at_least: float


def select_series(
    tool: str | None, test: str | None, metric: str | None, size: str | None, label: str | None, ranks: int | None
) -> Filters:
    """The series that the options select.

    Raises:
        Refusal: the metric is unknown, or the size is invalid.
    """
    from wirespeed.errors import did_you_mean, format_choices, refuse
    from wirespeed.results.benchmarks import Metric
    from wirespeed.store import Filters

    metrics = [member.value for member in Metric]
    if metric is not None and metric not in metrics:
        raise refuse(
            "--metric", f"no metric named {metric!r}", hint=did_you_mean(metric, metrics) or format_choices(metrics)
        )
    return Filters(tool, test, metric, None if size is None else _parse_size(size), label, ranks)


def _parse_size(text: str) -> int:
    from wirespeed.errors import refuse
    from wirespeed.units import Size

    try:
        return int(text) if text.isdecimal() else int(Size.parse(text))
    except ValueError as error:
        raise refuse("--size", str(error), hint="a number of bytes, or one with its unit such as 8GiB") from None


def open_existing(store_name: str | None) -> Store:
    """Open an existing store.

    Raises:
        Refusal: the store does not exist or cannot be opened.
    """
    from wirespeed.cli.log_storage import PERSONAL_STORE, open_store
    from wirespeed.errors import refuse

    database = _find_missing_store(store_name)
    if database is not None:
        option = "default" if store_name in (None, PERSONAL_STORE) else store_name
        hint = f"`wirespeed bench parse LOGS --store {option}` creates it"
        raise refuse(f"store {database}", "does not exist", hint=hint)
    return open_store(store_name)


def _find_missing_store(store_name: str | None) -> str | None:
    """The path of an SQLite store that does not exist; None if the store exists or is a database server."""
    from wirespeed.cli.log_storage import PERSONAL_STORE
    from wirespeed.store.address import address

    url = address(None if store_name == PERSONAL_STORE else store_name)
    is_missing = url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists()
    return str(url.database) if is_missing else None


def compare_campaigns(
    a: str,
    b: str,
    store_name: str | None,
    selection: Filters,
    judging: Thresholds,
    *,
    across_paths: bool = False,
    collective: str | None = None,
) -> Comparison:
    """Compare two campaigns, stored or read from logs; ``across_paths`` also pairs series that differ in their path.

    ``collective`` is that of logs of nccl-tests and rccl-tests that do not name theirs.

    Raises:
        Refusal: a campaign is unknown, logs contain no output of a known tool, or ``collective`` fits no log.
    """
    from wirespeed.store.comparison import compare

    if Path(a).exists() and Path(b).exists():
        sides = [_read_file_side(name, selection) for name in (a, b)]
        first, second = _name_collectives(sides, collective)
        return _compare_sides(first, second, judging, across_paths)
    with _open_for_names((a, b), store_name) as store:
        if Path(a).exists() or Path(b).exists() or across_paths or collective is not None:
            sides = [
                _read_file_side(name, selection) if Path(name).exists() else _read_stored_side(name, store, selection)
                for name in (a, b)
            ]
            first, second = _name_collectives(sides, collective)
            stored = first.campaign.id is not None and second.campaign.id is not None
            changes = store.find_changes(first.campaign, second.campaign) if stored else None
            return _compare_sides(first, second, judging, across_paths, changes)
        baseline, candidate = store.find(a), store.find(b)
        _check_same_kind(baseline, candidate)
        values = (store.values(baseline, selection), store.values(candidate, selection))
        of_times = selection.select_times()
        times = (store.values(baseline, of_times), store.values(candidate, of_times)) if of_times else None
        changes = store.find_changes(baseline, candidate)
        return compare(
            baseline,
            candidate,
            values,
            store.names,
            changes,
            judging.significance,
            judging.at_least,
            times=times,
            bus_factor=find_bus_factor,
        )


def _open_for_names(names: Sequence[str], store_name: str | None) -> Store:
    """Open the store for the names that are not files.

    Raises:
        Refusal: the store does not exist, so that the first of these names is unknown.
    """
    from wirespeed.cli.usage import path_hint
    from wirespeed.errors import refuse

    database = _find_missing_store(store_name)
    if database is not None:
        name = next(name for name in names if not Path(name).exists())
        hint = f"{path_hint(name)}; `--store STORE` names another store"
        raise refuse(name, f"no such file or folder, and no store {database} with a campaign of this name", hint=hint)
    return open_existing(store_name)


@dataclass(frozen=True, slots=True)
class _Side:
    campaign: Campaign
    values: Mapping[Series, Sequence[float]]
    runs: Sequence[Circumstance]
    times: Mapping[Series, Sequence[float]]  # of collectives, where the values are of another metric only


def _compare_sides(
    a: _Side, b: _Side, judging: Thresholds, across_paths: bool, stored_changes: Changes | None = None
) -> Comparison:
    """Compare two sides; ``stored_changes`` are those of two stored campaigns.

    Raises:
        Refusal: only one is from a lab, or all series are paired without ``across_paths`` too.
    """
    from wirespeed.errors import refuse
    from wirespeed.results.campaign_history import Changes
    from wirespeed.store.comparison import compare
    from wirespeed.store.path_pairs import pair_across_paths

    def names(keys: Sequence[Series]) -> dict[Series, Series]:
        return {key: key for key in keys}

    _check_same_kind(a.campaign, b.campaign)
    values, times = (a.values, b.values), (a.times, b.times)
    changes = stored_changes or _parameter_changes(a, b)
    if across_paths:
        pairs = pair_across_paths(a.values, b.values)
        if a.values.keys() & b.values.keys() and not pairs.changed and not pairs.notes:
            raise refuse("--across-paths", "no effect: both have the same series without it", hint=_OMIT_ACROSS_PATHS)
        values = (dict(pairs.before), dict(pairs.after))
        pairs_of_times = pair_across_paths(a.times, b.times)
        times = (dict(pairs_of_times.before), dict(pairs_of_times.after))
        changes = Changes((*pairs.changed, *changes.changed), changes.unread, (*pairs.notes, *changes.notes))
    return compare(
        a.campaign,
        b.campaign,
        values,
        names,
        changes,
        judging.significance,
        judging.at_least,
        times=times if all(times) else None,
        bus_factor=find_bus_factor,
    )


def _name_collectives(sides: Sequence[_Side], name: str | None) -> Sequence[_Side]:
    """Both sides with the collective of logs that do not name theirs.

    Raises:
        Refusal: there is no such collective, or no log that it completes.
    """
    from wirespeed.benchmarks.judge.collective_names import find_named_collective
    from wirespeed.cli.console import show_problems
    from wirespeed.cli.unnamed_collectives import format_test, is_unnamed, name_collective
    from wirespeed.errors import Problem, refuse

    if name is None:
        return sides
    collective = find_named_collective(name)
    option = f"--collective {name}"
    if not any(is_unnamed(series) for side in sides for series in side.values):
        tests = sorted({series.test for side in sides for series in side.values if series.test})
        if format_test(collective) in tests:
            return sides
        found = f"no effect: the logs or the names of their files name {' and '.join(tests) or 'no collective'}"
        raise refuse(option, found, hint="omit it, or select with --test")
    named: list[_Side] = []
    excluded: list[str] = []
    for side in sides:
        values, times, logs_of_others = name_collective(side.values, side.times, collective)
        named.append(_Side(side.campaign, values, side.runs, times))
        excluded += logs_of_others
    if all(new.values.keys() == old.values.keys() for new, old in zip(named, sides, strict=True)):
        raise refuse(option, "no effect: no log without a name has the bus bandwidths of this collective")
    found = f"its bus bandwidths are not those of {name}: not named"
    show_problems([Problem(log, found) for log in dict.fromkeys(excluded)], label="warning")
    return named


_OMIT_ACROSS_PATHS = "omit it; collectives on the same number of hosts are compared on any hosts"


def _check_same_kind(a: Campaign, b: Campaign) -> None:
    """Check that both or none are from a lab, whose hosts are namespaces of one machine.

    Raises:
        Refusal: only one is from a lab.
    """
    from wirespeed.errors import refuse
    from wirespeed.results.lab import is_lab

    if is_lab(a.cluster) != is_lab(b.cluster):
        labs, counterpart = (a, b) if is_lab(a.cluster) else (b, a)
        raise refuse(
            f"campaign {labs.label}",
            f"results of the {labs.cluster}, compared with those of {counterpart.cluster or counterpart.label}",
            "two labs or two clusters",
            "results of a lab show how fast one machine copies memory",
        )


def _parameter_changes(a: _Side, b: _Side) -> Changes:
    from wirespeed.results.campaign_history import Changes
    from wirespeed.store.configuration_diff import compare_parameters

    lacking = " and ".join(f"'{side.campaign.label}'" for side in (a, b) if side.campaign.id is None)
    command = "`wirespeed bench parse LOGS --store STORE --bundle BUNDLE`"
    note = f"no settings are stored with {lacking}, so changed settings are unknown; store them with {command}"
    return Changes(compare_parameters(a.runs, b.runs), 0, (note,))


def _read_stored_side(name: str, store: Store, selection: Filters) -> _Side:
    campaign = store.find(name)
    values = store.values(campaign, selection)
    series = store.names(list(values))
    named = {series[key]: values[key] for key in values if key in series}
    of_times = selection.select_times()
    times = store.values(campaign, of_times) if of_times else {}
    names_of_times = store.names(list(times))
    named_times = {names_of_times[key]: times[key] for key in times if key in names_of_times}
    return _Side(campaign, named, store.circumstances(campaign), named_times)


def _read_file_side(name: str, selection: Filters) -> _Side:
    from wirespeed.cli.campaign_folder import find_campaign
    from wirespeed.cli.console import show_problems, show_skipped
    from wirespeed.cli.log_reader import read_share
    from wirespeed.errors import Refusal, refuse
    from wirespeed.results.benchmarks import RunStatus
    from wirespeed.results.campaign_history import Campaign
    from wirespeed.store.batch import parse_series
    from wirespeed.store.configuration_diff import Circumstance

    copies = logs.CopyDetector()
    copy_notices = {file: copies.find_copy(file, file.content()) for file in log_files([name])}
    files = [file for file, notice in copy_notices.items() if notice is None]
    share = read_share(files)
    batch = share.batch
    show_problems([notice for notice in copy_notices.values() if notice is not None], label="warning")
    show_problems(share.notices, label="warning")
    show_skipped(share.skipped)
    if share.refusals:
        raise Refusal(share.refusals)
    if not batch.runs:
        raise refuse(name, "no output of a known tool", "benchmark logs, or a stored campaign")
    kinds = [parse_series(row) for row in batch.series]
    values: dict[Series, list[float]] = {}
    times: dict[Series, list[float]] = {}
    of_times = selection.select_times()
    for kind, value in zip(batch.kind, batch.value, strict=True):
        if selection.includes(kinds[kind]):
            values.setdefault(kinds[kind], []).append(value)
        elif of_times is not None and of_times.includes(kinds[kind]):
            times.setdefault(kinds[kind], []).append(value)
    failed = sum(run.status == RunStatus.FAILED.value for run in batch.runs)
    folder_campaign = find_campaign(files)
    cluster = folder_campaign.cluster if folder_campaign is not None else None
    campaign = Campaign(None, name, None, cluster, True, len(batch.logs), len(batch.runs), failed)
    runs = [Circumstance(run.tool, run.test, run.version, run.parameters) for run in batch.runs]
    return _Side(campaign, values, runs, times)


def explain_no_match(series: Iterable[Series], selection: Filters) -> str:
    """Why no series is selected: the first option that no series satisfies, and the available values."""
    from wirespeed.errors import format_first
    from wirespeed.report import wording

    stored = list(series)
    if not stored:
        return "no series matches; there are no series"
    size = wording.size(selection.size_bytes)
    criteria = (
        ("--tool", selection.tool, "tools", lambda series: (series.tool,)),
        ("--test", selection.test, "tests", lambda series: (series.test,)),
        ("--metric", selection.metric, "metrics", lambda series: (series.metric.value,)),
        ("--size", size or None, "sizes", lambda series: (wording.size(series.size_bytes),)),
        ("--value-label", selection.label, "labels and pairs", lambda series: (series.ends, series.label)),
        ("--ranks", selection.ranks, "numbers of ranks", lambda series: (series.ranks,)),
    )
    stored.sort(key=lambda series: series.size_bytes or 0)
    for option, wanted, name, values_of in criteria:
        values = list(dict.fromkeys(value for entry in stored for value in values_of(entry) if value not in (None, "")))
        if wanted is not None and wanted not in values:
            listed = format_first([str(value) for value in values], _VALUES_LISTED) if values else "none"
            return f"no series matches {option} {wanted}; {name}: {listed}"
    return "no series matches all of these options"


_VALUES_LISTED = 12


def build_history(store: Store, selection: Filters, judging: Thresholds, cluster: str | None = None) -> History:
    """The selected series over the campaigns of a cluster, the most notable first.

    Without a cluster, all campaigns except those of labs are used.

    Raises:
        Refusal: the store has no campaign of this cluster.
    """
    from wirespeed.errors import did_you_mean, format_choices, refuse
    from wirespeed.results.campaign_history import History, Turn
    from wirespeed.results.lab import is_lab
    from wirespeed.store.history import notable, series_history

    every = store.campaigns()
    known_clusters = sorted({campaign.cluster for campaign in every if campaign.cluster is not None})
    if cluster is not None and cluster not in known_clusters:
        hint = did_you_mean(cluster, known_clusters) or format_choices(known_clusters)
        raise refuse("--cluster", f"no campaigns of a cluster named {cluster!r}", hint=hint if known_clusters else None)
    campaigns = tuple(
        campaign
        for campaign in every
        if (campaign.cluster == cluster if cluster is not None else not is_lab(campaign.cluster))
    )
    series = store.find_campaigns(selection)
    values = store.series_values(campaigns, list(series))
    histories = sorted(
        (
            series_history(key, campaigns, values[number], judging.significance, judging.at_least)
            for number, key in series.items()
            if number in values
        ),
        key=notable,
    )
    campaign_by_id = {campaign.id: campaign for campaign in campaigns}
    turn_campaigns = sorted({(step.last_before, step.campaign) for entry in histories for step in entry.steps})
    turns = tuple(
        Turn(last, first, store.find_changes(campaign_by_id[last], campaign_by_id[first]))
        for last, first in turn_campaigns
    )
    return History(campaigns, judging.significance, judging.at_least, tuple(histories), turns)
