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


def list_logs(folder: Path) -> Iterator[LogFile]:
    """The log of every attempt that has one.

    Raises:
        Refusal: the folder is not complete.
    """
    from wirespeed.benchmarks.run import open_folder

    opened = open_folder(folder)
    ends_by_step = {step.id: step.ends for step in opened.campaign.steps}
    over_nics = {step.id for step in opened.campaign.steps if step.nics_only}
    tests = {step.id: step.test for step in opened.campaign.steps}
    for attempt in opened.attempts:
        path = folder / attempt.log
        if path.is_file():
            key = f"{attempt.step}.{attempt.attempt}"
            ends = attempt.ends or ends_by_step.get(attempt.step)
            failed = None
            if attempt.status is not Outcome.DONE:
                failed = FailedStep(tests.get(attempt.step, attempt.step), attempt.detail or attempt.status.value)
            yield LogFile(
                str(path),
                path,
                is_in_folder=True,
                ends=ends,
                key=key,
                folder=folder,
                failed=failed,
                span=parse_span(attempt),
                cluster=opened.campaign.cluster,
                nics_only=attempt.step in over_nics,
            )


def parse_span(attempt: Attempt) -> tuple[float, float] | None:
    """The begin and end of an attempt, in seconds since 1970; None if the journal has no valid times."""
    try:
        start = datetime.fromisoformat(attempt.started).timestamp()
    except ValueError:
        return None
    return start, start + attempt.duration_s


def check_no_lab(file: LogFile) -> None:
    """Check that a log was not written by `wirespeed lab bench`, whose results are not compared with a cluster.

    Raises:
        Refusal: the log is from a lab.
    """
    from wirespeed.errors import refuse
    from wirespeed.results.lab import is_lab

    cluster = file.cluster
    if cluster is None and file.path is not None:
        cluster = _find_cluster(file.path.absolute().parent.parent)  # the user gave one log of a folder
    if is_lab(cluster):
        raise refuse(
            file.name,
            f"a result of the {cluster}, not of the cluster",
            hint="summary.json in the result folder compares it with the baseline of the lab",
        )


@cache
def _find_cluster(folder: Path) -> str | None:
    """The cluster of a folder, if it is a result folder."""
    from wirespeed.benchmarks.run import open_folder
    from wirespeed.errors import Refusal

    try:
        return open_folder(folder).campaign.cluster if (folder / NAME).is_file() else None
    except Refusal:  # a file of another program with this name
        return None


def find_campaign(files: Iterable[LogFile]) -> Campaign | None:
    """The campaign of all these logs; None if they belong to none or to several."""
    folders = {file.folder for file in files}
    folder = folders.pop() if len(folders) == 1 else None
    if folder is None:
        return None
    from wirespeed.benchmarks.run import open_folder

    return open_folder(folder).campaign
