"""Log files: content, text and runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.errors import Problem, Refusal
from wirespeed.input_files import read_input, read_stream

if TYPE_CHECKING:
    from wirespeed.benchmarks import Reading


@dataclass(frozen=True, slots=True)
class FailedStep:
    """A step of ``bench run`` that failed: its log may contain no output of a tool."""

    test: str
    error: str


@dataclass(frozen=True, slots=True)
class LogFile:
    """A log to read. ``is_in_folder``: the log is from a folder, which may also contain other files.

    A log of ``bench run`` also has ``ends`` (its pair or nodes), ``key`` (its attempt), ``folder``, ``span`` (begin
    and end in seconds), ``cluster`` and ``nics_only``. ``stored_bytes`` returns the bytes of a log in a store.
    """

    name: str
    path: Path | None
    is_in_folder: bool = False
    ends: str | None = None
    key: str = ""
    folder: Path | None = None
    failed: FailedStep | None = None
    span: tuple[float, float] | None = None
    stored_bytes: Callable[[], bytes] | None = None
    cluster: str | None = None
    nics_only: bool = False

    def content(self) -> bytes:
        """The bytes of the log.

        Raises:
            Refusal: it is a device, or larger than a log can be.
        """
        if self.stored_bytes is not None:
            return self.stored_bytes()
        return read_stream(sys.stdin.buffer, self.name) if self.path is None else read_input(self.path, self.name)


@dataclass(frozen=True, slots=True)
class CopyDetector:
    """Finds logs with the same bytes as an earlier log: a copy, or a file that is named twice, is no second run.

    Steps of ``bench run`` may print equal values, but between other ends, at another time or in another attempt.
    """

    _names: dict[tuple[object, ...], str] = field(default_factory=dict)

    def find_copy(self, log: LogFile, content: bytes) -> Problem | None:
        """The notice on a log that is a copy of an earlier one; None for the first with these bytes."""
        origin = sha256(content).digest(), log.ends, log.span, log.key
        if origin not in self._names:
            self._names[origin] = log.name
            return None
        first = self._names[origin]
        copy_of = "the same file a second time" if first == log.name else f"the same bytes as {first}"
        return Problem(log.name, copy_of, "another measurement; ignored")


def text(content: bytes) -> str:
    """Decode UTF-8, or UTF-16 as written by PowerShell; invalid bytes become replacement characters."""
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    return content.decode(encoding, errors="replace")


_COMPRESSED = (
    (b"\x1f\x8b", "gzip", "zcat"),
    (b"\xfd7zXZ\0", "xz", "xzcat"),
    (b"\x28\xb5\x2f\xfd", "zstd", "zstdcat"),
    (b"BZh", "bzip2", "bzcat"),
)
"""Signatures of compressed files, the name of the compression, and the command that prints the content."""


def read(log: LogFile, content: bytes, *, communicators: bool = True) -> Reading:
    """Read the runs of a log; a step that failed before its tool printed anything is a failed run.

    Raises:
        Refusal: the log contains no output of a known tool.
    """
    from wirespeed import benchmarks
    from wirespeed.errors import refuse

    for signature, name, command in _COMPRESSED:
        if content.startswith(signature):
            hint = f"`{command} {log.name} | wirespeed bench parse -` reads it"
            raise refuse(log.name, f"compressed with {name}", hint=hint)
    log_text = text(content)
    reading = benchmarks.Reading((), ())
    try:
        reading = benchmarks.read(log_text, log.name, communicators=communicators, messages=log.failed is None)
    except Refusal:
        if log.failed is None:
            raise
    if reading.runs or log.failed is None:
        return reading
    failed = benchmarks.build_failed_run(log.failed.test, log.failed.error, log_text)
    return benchmarks.Reading((failed,), reading.notices, reading.communicators)


def find_start(logs: Iterable[LogFile]) -> str:
    """The last modification time of the oldest log; the current time for standard input."""
    times = [log.path.stat().st_mtime for log in logs if log.path is not None]
    return utc(datetime.fromtimestamp(min(times), UTC) if times else datetime.now(UTC))


def utc(time: datetime) -> str:
    """A time for documents and stores: ISO 8601 in UTC, with seconds."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def common_name(logs: Iterable[LogFile]) -> str:
    """A common name of these logs: the folder that contains all of them, or the name of a single log."""
    paths = [log.path.absolute() for log in logs if log.path is not None]
    if not paths:
        return "standard-input"
    if len(paths) == 1:
        return paths[0].stem
    parents = [path.parent for path in paths]
    shared = next(
        folder for folder in (parents[0], *parents[0].parents) if all(path.is_relative_to(folder) for path in parents)
    )
    return shared.name or "logs"
