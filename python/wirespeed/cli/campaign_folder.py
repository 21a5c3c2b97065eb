"""Logs in a result folder of `wirespeed bench run`, each with the endpoints of its attempt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.cli.logs import FailedStep, LogFile
from wirespeed.results.campaign import Outcome

if TYPE_CHECKING:
    from wirespeed.results.campaign import Attempt, Campaign

NAME = "campaign.json"


def logs_of(folder: Path) -> Iterator[LogFile]:
    """The log of every attempt that left one.

    Raises:
        Refusal: the folder is not whole.
    """
    from wirespeed.benchmarks.run import open_folder

    found = open_folder(folder)
    places = {step.id: step.place for step in found.campaign.steps}
    tests = {step.id: step.test for step in found.campaign.steps}
    for attempt in found.attempts:
        path = folder / attempt.log
        if path.is_file():
            key = f"{attempt.step}.{attempt.attempt}"
            place = attempt.place or places.get(attempt.step)
            failed = None
            if attempt.status is not Outcome.DONE:
                failed = FailedStep(tests.get(attempt.step, attempt.step), attempt.detail or attempt.status.value)
            yield LogFile(
                str(path),
                path,
                inside=True,
                location=place,
                key=key,
                folder=folder,
                failed=failed,
                span=span_of(attempt),
                cluster=found.campaign.cluster,
            )


def span_of(attempt: Attempt) -> tuple[float, float] | None:
    """From when to when an attempt was made, in seconds since 1970; None where the journal has no valid times."""
    try:
        start = datetime.fromisoformat(attempt.started).timestamp()
    except ValueError:
        return None
    return start, start + attempt.duration_s


def check_no_lab(file: LogFile) -> None:
    """That a log is none that `wirespeed lab bench` wrote: it stands against no cluster.

    Raises:
        Refusal: it is.
    """
    from wirespeed.errors import refuse
    from wirespeed.results.lab import is_lab

    cluster = file.cluster
    if cluster is None and file.path is not None:
        cluster = _cluster_of(file.path.absolute().parent.parent)  # one log of a folder was named
    if is_lab(cluster):
        raise refuse(
            file.name,
            f"a result of the {cluster}, not of the cluster",
            hint="summary.json in the result folder compares it with the baseline of the lab",
        )


@cache
def _cluster_of(folder: Path) -> str | None:
    """The cluster of a folder that may be a campaign's."""
    from wirespeed.benchmarks.run import open_folder
    from wirespeed.errors import Refusal

    try:
        return open_folder(folder).campaign.cluster if (folder / NAME).is_file() else None
    except Refusal:  # another program's file of that name
        return None


def campaign_of(files: Iterable[LogFile]) -> Campaign | None:
    """The campaign that all these logs are of; None where they are of none, or of several."""
    folders = {file.folder for file in files}
    folder = folders.pop() if len(folders) == 1 else None
    if folder is None:
        return None
    from wirespeed.benchmarks.run import open_folder

    return open_folder(folder).campaign
