"""Write logs to a store share by share as they are read, so that an interrupt loses no finished share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.cli import logs
from wirespeed.cli.campaign_folder import find_campaign
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
    """The outcome of storing logs."""

    logs: int = 0
    runs: int = 0
    measurements: int = 0
    known_logs: list[str] = field(default_factory=list)
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


def open_store(store_name: str | None) -> Store:
    """The store at a path or URL; the personal store for `PERSONAL_STORE` and None.

    Raises:
        Refusal: the store cannot be opened, or the folder of its file does not exist.
    """
    from wirespeed.errors import refuse
    from wirespeed.store import Store
    from wirespeed.store.address import address

    if store_name not in (None, "", PERSONAL_STORE):
        url = address(store_name)
        if url.get_backend_name() == "sqlite" and not (folder := Path(str(url.database)).absolute().parent).is_dir():
            raise refuse(f"store {url.database}", f"no folder {folder}", hint="create the folder, or name another one")
    return Store(None if store_name == PERSONAL_STORE else store_name)


def keep(
    store: Store, files: Sequence[LogFile], readers: Readers, options: CampaignOptions
) -> tuple[Campaign | None, StorageResult]:
    """Store logs as one campaign, or add them to the campaign of the same label; no campaign without runs.

    Raises:
        Refusal: the label, the time or the cluster file is refused.
    """
    from wirespeed import __version__

    folder_campaign = find_campaign(files)
    began = options.time or (folder_campaign.started if folder_campaign else None)
    time = _parse_time(began) if began else logs.find_start(files)
    named = options.label or (folder_campaign.label or folder_campaign.id if folder_campaign else None)
    label = named or f"{logs.common_name(files)}-{time.translate({ord(mark): None for mark in '-:'})}"
    cluster = _read_cluster_name(options.cluster) or (folder_campaign.cluster if folder_campaign else None)
    settings = None if options.bundle is None else read_settings(options.bundle)
    result = StorageResult()
    campaign: Campaign | None = None
    with interruptible() as interrupted, _show_progress(readers.size) as advance:
        for share in readers:
            result.notices += share.notices
            result.skipped += share.skipped
            result.refusals += share.refusals
            if share.batch.logs:
                campaign = campaign or store.begin(label, time, cluster, f"wirespeed {__version__}")
                _add_batch(store, campaign, share.batch, result)
            advance(share.size)
            if interrupted():
                result.interrupted = True
                break
    if campaign is None:
        return None, result
    if settings is not None:
        store.keep_settings(campaign, settings)
    if not result.interrupted:
        store.finish(campaign)
    return store.find(label), result


@contextmanager
def _show_progress(size: int) -> Iterator[Callable[[int], None]]:
    """A progress bar of stored bytes, on standard error if it is a terminal."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from wirespeed.cli.console import err

    columns = (TextColumn("storing"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err(), transient=True, disable=not err().is_terminal) as bar:
        task = bar.add_task("storing", total=size)
        yield lambda advance: bar.advance(task, advance)


def _add_batch(store: Store, campaign: Campaign, batch: Batch, result: StorageResult) -> None:
    added = store.add(campaign, batch)
    result.logs += added.logs
    result.runs += added.runs
    result.measurements += added.measurements
    result.known_logs += added.known_logs


def read_settings(bundle: Path) -> dict[str, Settings]:
    """Read the settings of every device in a bundle, as text by place and path.

    Raises:
        Refusal: the file is not a bundle.
    """
    from wirespeed.checks.wording import format_value
    from wirespeed.cli.flows import evidence
    from wirespeed.facts import COMPLETE

    settings_by_device: dict[str, dict[str, dict[str, str]]] = {}
    for (place, path), readings in evidence(bundle).facts.readings.items():
        if readings[0].value != COMPLETE:
            settings_by_device.setdefault(place.device, {}).setdefault(str(place), {})[path] = format_value(
                readings[0].value
            )
    return dict(settings_by_device)


def _parse_time(text: str) -> str:
    from datetime import UTC, datetime

    from wirespeed.errors import refuse

    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise refuse(
            "--time", repr(text), "a time such as 2026-11-21T08:00:00Z", "a time without zone is UTC"
        ) from None
    return logs.utc(time if time.tzinfo else time.replace(tzinfo=UTC))


def _read_cluster_name(path: Path | None) -> str | None:
    if path is None:
        return None
    from wirespeed.cluster import read

    return read(path).name
