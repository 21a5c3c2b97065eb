"""Logs with their endpoints, from result folders of ``bench run``, options, or host names in paths."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.cli import logs

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
    origins: dict[tuple[bytes, str], str] = field(default_factory=dict)
    """First file, or first result folder, of each content and location."""


def read(
    names: Sequence[str], plan: Plan | None, ends: tuple[str | None, str | None], held: Sequence[logs.LogFile] = ()
) -> Read:
    """Everything these names hold, and logs ``held`` by a store.

    ``ends`` are the two ends of logs that do not name them.

    Raises:
        Refusal: a folder of bench run is not whole.
    """
    found = Read()
    for name in names:
        path = Path(name)
        folders = sorted(file.parent for file in path.rglob(_CAMPAIGN)) if path.is_dir() else []
        for folder in folders:
            found.logs += _campaign(folder, found)
        for file in logs.log_files([name]):
            if file.path is None or not any(file.path.is_relative_to(folder) for folder in folders):
                found.logs += _file(file, plan, ends, found)
    for file in held:
        found.logs += _stored_log(file, plan, ends, found)
    return found


def _stored_log(
    file: logs.LogFile, plan: Plan | None, ends: tuple[str | None, str | None], found: Read
) -> Iterable[Log]:
    """A log of a stored campaign, which contains its two ends."""
    from wirespeed.benchmarks.peers import Log

    if file.location is None:
        yield from _file(file, plan, ends, found)
        return
    source, target, host = _places(file.location)
    runs = _runs(file, found)
    if runs:
        yield Log(file.name, runs, source, target, host)
    elif file.failed is not None:
        yield Log(file.name, (), source, target, host, file.failed.test.partition(" ")[0], file.failed.error)


def _places(ends: str) -> tuple[str | None, str | None, str | None]:
    """Both ends of ``FROM -> TO``, or the one host, as a campaign names the location of a step."""
    near, arrow, far = ends.partition(" -> ")
    hosts = [near, far] if arrow else ends.split(", ")
    source, target = (hosts[0], hosts[1]) if len(hosts) == 2 else (None, None)
    return source, target, hosts[0] if len(hosts) == 1 else None


def _campaign(folder: Path, found: Read) -> Iterator[Log]:
    """Every attempt of every step, with the two ends or the one host it was run at; what failed, too."""
    from wirespeed.benchmarks.run import open_folder

    campaign = open_folder(folder)
    steps = {step.id: step for step in campaign.campaign.steps}
    for attempt in campaign.attempts:
        yield from _attempt(folder, steps.get(attempt.step), attempt, found)


def _attempt(folder: Path, step: Step | None, attempt: Attempt, found: Read) -> Iterator[Log]:
    """An attempt; one that narrowed down has no step in the plan, and contains its location."""
    from wirespeed.benchmarks.peers import Log
    from wirespeed.results.campaign import Outcome

    path = folder / attempt.log
    file = logs.LogFile(str(path), path, inside=True)
    place = attempt.place or (step.place if step else "")
    if path.is_file() and _is_copy(file, place, str(folder), found):
        return
    runs = _runs(file, found) if path.is_file() else ()
    source, target, host = _places(place)
    failed = None if attempt.status is Outcome.DONE or runs else attempt.detail or attempt.status.value
    test = step.test.partition(" ")[0] if step else None
    yield Log(file.name, runs, source, target, host, test, failed)


def _file(file: logs.LogFile, plan: Plan | None, ends: tuple[str | None, str | None], found: Read) -> Iterable[Log]:
    from wirespeed.benchmarks.peers import Log

    host = None if ends[0] else _host(file, plan)
    runs = () if _is_copy(file, host or "", file.name, found) else _runs(file, found)
    if runs:
        source, target = ends
        yield Log(file.name, runs, source, target, host)


def _is_copy(file: logs.LogFile, place: str, origin: str, found: Read) -> bool:
    """Whether another file has the same bytes from the same location: a copy confirms nothing."""
    from wirespeed.errors import Problem

    if file.path is None and file.stored_bytes is None:
        return False  # standard input
    key = hashlib.sha256(file.content()).digest(), place
    first = found.origins.setdefault(key, origin)
    if first != origin:
        found.notices.append(Problem(file.name, f"the same bytes as {first}", "another measurement; ignored"))
    return first != origin


def _runs(file: logs.LogFile, found: Read) -> tuple[Run, ...]:
    from wirespeed.benchmarks import read as read_log
    from wirespeed.errors import Refusal

    try:
        reading = read_log(logs.text(file.content()), file.name)
    except Refusal as refusal:
        (found.notices if file.inside else found.refusals).extend(refusal.problems)
        return ()
    found.notices += reading.notices
    return reading.runs


def _host(file: logs.LogFile, plan: Plan | None) -> str | None:
    """The host of the cluster file that the log's file, or the folder it is in, is named after."""
    if plan is None or file.path is None:
        return None
    names = (file.path.stem, *(parent.name for parent in file.path.parents))
    return next((name for name in names if name in plan.hosts), None)
