"""The folder of a campaign. Its content is on the disk: the journal gets a line when an attempt has ended.

After an interruption, a kill or a full disk, attempts that ended are kept, and `resume_folder` continues.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from wirespeed.errors import refuse
from wirespeed.results.campaign import KIND, SCHEMA, Attempt, Campaign, Step, parse_attempt, parse_campaign
from wirespeed.results.json import document, plain

CAMPAIGN, JOURNAL, LOGS = "campaign.json", "journal.jsonl", "logs"


class Folder:
    """The folder of a campaign that is being run."""

    def __init__(self, path: Path, campaign: Campaign, attempts: list[Attempt]) -> None:
        self.path, self.campaign, self.attempts = path, campaign, attempts

    def keep(self, step: Step, number: int, output: bytes, server_output: bytes | None) -> str:
        """Write the output of an attempt and of its server; return the log's name in the folder."""
        name = f"{LOGS}/{step.id}.{number}.log"
        if server_output is not None:
            (self.path / f"{LOGS}/{step.id}.{number}.server.log").write_bytes(server_output)
        (self.path / name).write_bytes(output)
        return name

    def note(self, attempt: Attempt) -> None:
        """Append an attempt to the journal, and wait until it is on the disk."""
        line = json.dumps(plain(attempt), ensure_ascii=False) + "\n"
        with (self.path / JOURNAL).open("a", encoding="utf-8") as file:
            start = file.tell()
            try:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                os.truncate(self.path / JOURNAL, start)  # remove the partial line
                raise
        self.attempts.append(attempt)

    def latest(self) -> dict[str, Attempt]:
        """The last attempt of each step that has any."""
        return {attempt.step: attempt for attempt in self.attempts}

    def text(self, attempt: Attempt) -> str:
        """The output of the tools in an attempt."""
        return (self.path / attempt.log).read_text(encoding="utf-8", errors="replace")


def create_folder(path: Path, campaign: Campaign) -> Folder:
    """Make the folder of a campaign.

    Raises:
        Refusal: the folder is not empty, or the path is a file.
    """
    if (path / CAMPAIGN).exists():
        raise refuse(str(path), "an earlier run", "a new or an empty folder", "--resume continues it")
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        content = "a folder that is not empty" if path.is_dir() else "a file"
        raise refuse(str(path), content, "a new or an empty folder")
    start = datetime.now(UTC)
    started = replace(campaign, id=f"{start:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}", started=_format_time(start))
    (path / LOGS).mkdir(parents=True, exist_ok=True)
    new = path / f".{CAMPAIGN}"
    with new.open("w", encoding="utf-8") as file:
        file.write(_format_campaign(started))
        file.flush()
        os.fsync(file.fileno())
    new.replace(path / CAMPAIGN)
    return Folder(path, started, [])


def resume_folder(path: Path, campaign: Campaign) -> Folder:
    """Open the folder of a campaign to continue it.

    Raises:
        Refusal: the folder contains no campaign, or one with other steps than ``campaign``.
    """
    if not (path / CAMPAIGN).is_file():
        raise refuse(str(path), "no earlier run to continue", hint="start it without --resume")
    _truncate_partial_line(path / JOURNAL)
    folder = open_folder(path)
    stored, requested = folder.campaign, campaign
    if (stored.suite, stored.cluster) != (requested.suite, requested.cluster):
        raise refuse(
            str(path), f"the suite {stored.suite} on {stored.cluster}", f"{requested.suite} on {requested.cluster}"
        )
    if stored.steps != requested.steps:
        changed = next(
            (
                step.id
                for step, requested_step in zip(stored.steps, requested.steps, strict=False)
                if step != requested_step
            ),
            "their number",
        )
        raise refuse(
            str(path),
            f"other steps than these, first {changed}",
            "the same cluster file and the same options as when it began",
            "give another folder to begin anew",
        )
    return folder


def open_folder(path: Path) -> Folder:
    """Open the folder of a campaign.

    Raises:
        Refusal: the folder contains no campaign, or it is not complete.
    """
    file = path / CAMPAIGN
    if not file.is_file():
        raise refuse(str(path), "no earlier run", "a result folder of `bench run` (with campaign.json)")
    try:
        campaign = parse_campaign(json.loads(file.read_text(encoding="utf-8")))
    except (ValueError, KeyError, RecursionError) as error:
        raise refuse(str(file), f"no campaign ({type(error).__name__}: {error})", "what bench run wrote") from None
    return Folder(path, campaign, _read_journal(path / JOURNAL))


def _truncate_partial_line(file: Path) -> None:
    """Remove a last line that is not complete: its attempt runs again."""
    if file.is_file():
        data = file.read_bytes()
        os.truncate(file, data.rfind(b"\n") + 1)


def _read_journal(file: Path) -> list[Attempt]:
    """The attempts that ended, without a last line that is not complete."""
    if not file.is_file():
        return []
    data = file.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    attempts = []
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            attempt = parse_attempt(json.loads(line))
            if not _is_in_folder(attempt.log):
                raise ValueError(attempt.log)
            attempts.append(attempt)
        except (ValueError, KeyError, RecursionError):
            raise refuse(f"{file}:{number}", "a line that is no attempt", "a line as bench run writes it") from None
    return attempts


def _is_in_folder(log: str) -> bool:
    """Whether a log is named relative to the folder and below it; its names are as long as file systems allow.

    Raises:
        ValueError: half of a surrogate pair.
    """
    path = PurePosixPath(log)
    names = [os.fsencode(name) for name in path.parts]
    is_below = bool(names) and not path.is_absolute() and b".." not in names
    return is_below and all(len(name) <= _LONGEST_NAME and b"\0" not in name for name in names)


_LONGEST_NAME = 255  # bytes, NAME_MAX of Linux


def _format_campaign(campaign: Campaign) -> str:
    fields = {name: getattr(campaign, name) for name in Campaign.__dataclass_fields__}
    return document(KIND, SCHEMA, **fields)


def _format_time(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
