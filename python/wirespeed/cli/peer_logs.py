"""Logs with their endpoints, from result folders of ``bench run``, options, or host names in paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.cli import logs
from wirespeed.cli.campaign_folder import parse_span
from wirespeed.cli.log_files import log_files
from wirespeed.cli.logs import CopyDetector

if TYPE_CHECKING:
    from wirespeed.benchmarks.peers import Log
    from wirespeed.errors import Problem
    from wirespeed.plan import Plan
    from wirespeed.results.benchmarks import Run
    from wirespeed.results.campaign import Attempt, Step

_CAMPAIGN = "campaign.json"


@dataclass(slots=True)
class Read:
    """Logs, and the problems of skipped and refused ones."""

    logs: list[Log] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)
    refusals: list[Problem] = field(default_factory=list)
    copies: CopyDetector = field(default_factory=CopyDetector)


def read(
    names: Sequence[str],
    plan: Plan | None,
    ends: tuple[str | None, str | None],
    stored_logs: Sequence[logs.LogFile] = (),
) -> Read:
    """Read the logs with these names, and ``stored_logs`` of a store.

    ``ends`` are the two ends of logs that do not contain them.

    Raises:
        Refusal: a result folder of ``bench run`` is not complete.
    """
    result = Read()
    for name in names:
        path = Path(name)
        folders = sorted(file.parent for file in path.rglob(_CAMPAIGN)) if path.is_dir() else []
        for folder in folders:
            result.logs += _read_campaign(folder, result)
        for file in log_files([name]):
            if file.path is None or not any(file.path.is_relative_to(folder) for folder in folders):
                result.logs += _read_file(file, plan, ends, result)
    for file in stored_logs:
        result.logs += _read_stored_log(file, plan, ends, result)
    return result


def _read_stored_log(
    file: logs.LogFile, plan: Plan | None, ends: tuple[str | None, str | None], result: Read
) -> Iterable[Log]:
    """Read a log of a stored campaign, which contains its two ends."""
    from wirespeed.benchmarks.peers import Log

    if file.ends is None:
        yield from _read_file(file, plan, ends, result)
        return
    source, target, host = _split_ends(file.ends)
    runs = _read_runs(file, result)
    if runs:
        yield Log(file.name, runs, source, target, host)
    elif file.failed is not None:
        yield Log(file.name, (), source, target, host, file.failed.test.partition(" ")[0], file.failed.error)


def _split_ends(ends: str) -> tuple[str | None, str | None, str | None]:
    """Both ends of ``FROM -> TO``, or one host, as in a step of a campaign."""
    from wirespeed.results.benchmarks import PAIR_ARROW

    near, arrow, far = ends.partition(PAIR_ARROW)
    hosts = [near, far] if arrow else ends.split(", ")
    source, target = (hosts[0], hosts[1]) if len(hosts) == 2 else (None, None)
    return source, target, hosts[0] if len(hosts) == 1 else None


def _read_campaign(folder: Path, result: Read) -> Iterator[Log]:
    """Read every attempt of every step, also failed ones, with its two ends or its host."""
    from wirespeed.benchmarks.run import open_folder

    campaign = open_folder(folder)
    steps = {step.id: step for step in campaign.campaign.steps}
    for attempt in campaign.attempts:
        yield from _read_attempt(folder, steps.get(attempt.step), attempt, result)


def _read_attempt(folder: Path, step: Step | None, attempt: Attempt, result: Read) -> Iterator[Log]:
    """Read an attempt; one that narrowed down has no step in the campaign, but contains its ends."""
    from wirespeed.benchmarks.peers import Log
    from wirespeed.results.campaign import Outcome

    path = folder / attempt.log
    ends = attempt.ends or (step.ends if step else "")
    key, span = f"{attempt.step}.{attempt.attempt}", parse_span(attempt)
    file = logs.LogFile(str(path), path, is_in_folder=True, ends=ends, key=key, span=span)
    if path.is_file() and _is_copy(file, result):
        return
    runs = _read_runs(file, result) if path.is_file() else ()
    source, target, host = _split_ends(ends)
    failed = None if attempt.status is Outcome.DONE or runs else attempt.detail or attempt.status.value
    test = step.test.partition(" ")[0] if step else None
    yield Log(file.name, runs, source, target, host, test, failed)


def _read_file(
    file: logs.LogFile, plan: Plan | None, ends: tuple[str | None, str | None], result: Read
) -> Iterable[Log]:
    from wirespeed.benchmarks.peers import Log

    host = None if ends[0] else _find_host(file, plan)
    if _is_copy(replace(file, ends=host), result):
        return
    runs = _read_runs(file, result)
    if runs:
        source, target = ends
        yield Log(file.name, runs, source, target, host)


def _is_copy(file: logs.LogFile, result: Read) -> bool:
    """Whether another file has the same bytes from the same host: a copy is no second measurement."""
    if file.path is None and file.stored_bytes is None:
        return False  # standard input
    copy = result.copies.find_copy(file, file.content())
    if copy is not None:
        result.notices.append(copy)
    return copy is not None


def _read_runs(file: logs.LogFile, result: Read) -> tuple[Run, ...]:
    from wirespeed.benchmarks import read as read_log
    from wirespeed.errors import Refusal

    try:
        reading = read_log(logs.text(file.content()), file.name)
    except Refusal as refusal:
        (result.notices if file.is_in_folder else result.refusals).extend(refusal.problems)
        return ()
    result.notices += reading.notices
    return reading.runs


def _find_host(file: logs.LogFile, plan: Plan | None) -> str | None:
    """The host of the cluster file that matches the name of the log's file or folder."""
    if plan is None or file.path is None:
        return None
    names = (file.path.stem, *(parent.name for parent in file.path.parents))
    return next((name for name in names if name in plan.hosts), None)
