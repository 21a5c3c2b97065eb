"""Logs into a store: written share by share as they are read, so that an interrupt loses nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.cli import logs
from wirespeed.cli.campaign_folder import campaign_of
from wirespeed.cli.interrupt import interruptible
from wirespeed.cli.logs import LogFile

if TYPE_CHECKING:
    from wirespeed.cli.log_reader import Readers
    from wirespeed.errors import Problem
    from wirespeed.results.campaign_history import Campaign
    from wirespeed.store import Batch, Store
    from wirespeed.store.configuration_diff import Settings

PERSONAL_STORE = "default"
"""Value of ``--store`` for the personal store."""


@dataclass(slots=True)
class StorageResult:
    """What became of the logs."""

    logs: int = 0
    runs: int = 0
    measurements: int = 0
    known: list[str] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    refusals: list[Problem] = field(default_factory=list)
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class CampaignOptions:
    """Options of the user for a stored campaign; None: taken from the logs."""

    label: str | None = None
    time: str | None = None
    cluster: Path | None = None
    bundle: Path | None = None


def open_store(location: str | None) -> Store:
    """The store at a path or URL; the personal store for `PERSONAL_STORE` and None.

    Raises:
        Refusal: it cannot be opened, or the folder of a named file does not exist.
    """
    from wirespeed.errors import refuse
    from wirespeed.store import Store
    from wirespeed.store.address import address

    if location not in (None, "", PERSONAL_STORE):
        url = address(location)
        if url.get_backend_name() == "sqlite" and not (folder := Path(str(url.database)).absolute().parent).is_dir():
            raise refuse(f"store {url.database}", f"no folder {folder}", hint="create the folder, or name another one")
    return Store(None if location == PERSONAL_STORE else location)


def keep(
    store: Store, files: Sequence[LogFile], readers: Readers, options: CampaignOptions
) -> tuple[Campaign | None, StorageResult]:
    """Store what these logs hold as one campaign, or go on with the campaign of the same label; none for no runs.

    Raises:
        Refusal: the label, the time or the cluster file is refused.
    """
    from wirespeed import __version__

    folder_campaign = campaign_of(files)
    began = options.time or (folder_campaign.started if folder_campaign else None)
    time = _time(began) if began else logs.find_start(files)
    named = options.label or (folder_campaign.label or folder_campaign.id if folder_campaign else None)
    label = named or f"{logs.common_name(files)}-{time.translate({ord(mark): None for mark in '-:'})}"
    cluster = _cluster(options.cluster) or (folder_campaign.cluster if folder_campaign else None)
    settings = None if options.bundle is None else settings_of(options.bundle)
    kept = StorageResult()
    campaign: Campaign | None = None
    with interruptible() as interrupted, _progress(readers.size) as advance:
        for share in readers:
            kept.notices += share.notices
            kept.skipped += share.skipped
            kept.refusals += share.refusals
            if share.batch.logs:
                campaign = campaign or store.begin(label, time, cluster, f"wirespeed {__version__}")
                _add(store, campaign, share.batch, kept)
            advance(share.size)
            if interrupted():
                kept.interrupted = True
                break
    if campaign is None:
        return None, kept
    if settings is not None:
        store.keep_settings(campaign, settings)
    if not kept.interrupted:
        store.finish(campaign)
    return store.find(label), kept


@contextmanager
def _progress(size: int) -> Iterator[Callable[[int], None]]:
    """A bar of the bytes that are stored, on standard error where that is a terminal."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from wirespeed.cli.console import err

    columns = (TextColumn("storing"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err(), transient=True, disable=not err().is_terminal) as bar:
        task = bar.add_task("storing", total=size)
        yield lambda advance: bar.advance(task, advance)


def _add(store: Store, campaign: Campaign, batch: Batch, kept: StorageResult) -> None:
    added = store.add(campaign, batch)
    kept.logs += added.logs
    kept.runs += added.runs
    kept.measurements += added.measurements
    kept.known += added.known


def settings_of(bundle: Path) -> dict[str, Settings]:
    """What a bundle shows of every device's settings, as text by place and path.

    Raises:
        Refusal: it is no bundle.
    """
    from wirespeed.checks.wording import format_value
    from wirespeed.cli.flows import evidence
    from wirespeed.facts import COMPLETE

    found: dict[str, dict[str, dict[str, str]]] = {}
    for (place, path), readings in evidence(bundle).facts.readings.items():
        if readings[0].value != COMPLETE:
            found.setdefault(place.device, {}).setdefault(str(place), {})[path] = format_value(readings[0].value)
    return dict(found)


def _time(given: str) -> str:
    from datetime import UTC, datetime

    from wirespeed.errors import refuse

    try:
        time = datetime.fromisoformat(given)
    except ValueError:
        raise refuse(
            "--time", repr(given), "a time such as 2026-11-21T08:00:00Z", "a time without zone is UTC"
        ) from None
    return logs.utc(time if time.tzinfo else time.replace(tzinfo=UTC))


def _cluster(path: Path | None) -> str | None:
    if path is None:
        return None
    from wirespeed.cluster import read

    return read(path).name
