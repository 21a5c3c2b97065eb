"""Logs into a store: read one after the other and written in batches, so that an interrupt loses nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.cli import logs
from wirespeed.cli.interrupt import interruptible
from wirespeed.cli.logs import LogFile

if TYPE_CHECKING:
    from wirespeed.errors import Problem
    from wirespeed.results.campaigns import Campaign
    from wirespeed.store import Batch, Store
    from wirespeed.store.between import Settings

OWN = "default"
"""The word that ``--store`` takes for the user's own store."""

_BATCH_ROWS = 200_000
_BATCH_BYTES = 64 << 20


@dataclass(slots=True)
class Kept:
    """What became of the logs."""

    logs: int = 0
    runs: int = 0
    measurements: int = 0
    known: list[str] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)
    refused: list[Problem] = field(default_factory=list)
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user says of a campaign; what is None follows from the logs."""

    label: str | None = None
    time: str | None = None
    cluster: Path | None = None
    bundle: Path | None = None


def open_store(where: str | None) -> Store:
    """The store at a path or URL; the user's own for `OWN` and None.

    Raises:
        Refused: it cannot be opened.
    """
    from wirespeed.store import Store

    return Store(None if where == OWN else where)


def keep(store: Store, files: Sequence[LogFile], asked: Asked) -> tuple[Campaign | None, Kept]:
    """Store what these logs hold as one campaign, or go on with the campaign of the same label; none for no runs.

    Raises:
        Refused: the label, the time or the cluster file is refused.
    """
    from wirespeed import __version__
    from wirespeed.store import Batch

    time = _time(asked.time) if asked.time else logs.started(files)
    label = asked.label or f"{logs.common_name(files)}-{time.translate({ord(mark): None for mark in '-:'})}"
    cluster = _cluster(asked.cluster)
    settings = None if asked.bundle is None else settings_of(asked.bundle)
    kept = Kept()
    campaign: Campaign | None = None
    batch = Batch()
    with interruptible() as interrupted:
        for file in files:
            if interrupted():
                kept.interrupted = True
                break
            read_into(file, batch, kept)
            if len(batch) >= _BATCH_ROWS or sum(len(log.content) for log in batch.logs) >= _BATCH_BYTES:
                campaign = campaign or store.begin(label, time, cluster, f"wirespeed {__version__}")
                _add(store, campaign, batch, kept)
                batch = Batch()
        if batch.logs:
            campaign = campaign or store.begin(label, time, cluster, f"wirespeed {__version__}")
            _add(store, campaign, batch, kept)
    if campaign is None:
        return None, kept
    if settings is not None:
        store.keep_settings(campaign, settings)
    if not kept.interrupted:
        store.finish(campaign)
    return store.find(label), kept


def read_into(file: LogFile, batch: Batch, kept: Kept) -> None:
    """Read a log into a batch; what cannot be read is noted."""
    from wirespeed.benchmarks import read
    from wirespeed.errors import Refused
    from wirespeed.store import pack

    content = file.content()
    try:
        reading = read(logs.text(content), file.name)
    except Refused as refused:
        (kept.notices if file.inside else kept.refused).extend(refused.problems)
        return
    kept.notices += reading.notices
    batch.add(pack(file.name, content), reading.runs)


def _add(store: Store, campaign: Campaign, batch: Batch, kept: Kept) -> None:
    added = store.add(campaign, batch)
    kept.logs += added.logs
    kept.runs += added.runs
    kept.measurements += added.measurements
    kept.known += added.known


def settings_of(bundle: Path) -> dict[str, Settings]:
    """What a bundle shows of every device's settings, in words by place and path.

    Raises:
        Refused: it is no bundle.
    """
    from wirespeed.checks.words import words
    from wirespeed.cli.flows import evidence
    from wirespeed.facts import COMPLETE

    found: dict[str, dict[str, dict[str, str]]] = {}
    for (place, path), readings in evidence(bundle).facts.readings.items():
        if readings[0].value != COMPLETE:
            found.setdefault(place.device, {}).setdefault(str(place), {})[path] = words(readings[0].value)
    return dict(found)


def _time(given: str) -> str:
    from datetime import UTC, datetime

    from wirespeed.errors import refuse

    try:
        time = datetime.fromisoformat(given)
    except ValueError:
        raise refuse("--time", repr(given), "a time such as 2026-11-21T08:00:00Z", "without a zone it is UTC") from None
    return logs.utc(time if time.tzinfo else time.replace(tzinfo=UTC))


def _cluster(path: Path | None) -> str | None:
    from wirespeed.cluster import read

    return None if path is None else read(path).name
