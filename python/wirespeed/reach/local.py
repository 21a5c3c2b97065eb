"""Running one command on this machine."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import IO

LARGEST_OUTPUT = 64 * 2**20
"""Bytes of one output that are kept; a command that prints more is stopped and has failed."""

_CHUNK = 65536
_GRACE_S = 0.5  # between asking a process group to end and ending it
_LOOK_S = 0.1  # how often a caller's wish to stop is looked for
_SEARCH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/rocm/bin"
_DENIED = (b"permission denied", b"operation not permitted", b"must be root", b"are you root", b"requires root")


class Status(StrEnum):
    """What became of a command."""

    OK = "ok"
    MISSING = "missing"  # the program is not installed
    PERMISSION = "permission"
    TIMEOUT = "timeout"
    FAILED = "failed"
    UNREACHABLE = "unreachable"  # the machine does not answer, or refuses the login


@dataclass(frozen=True, slots=True)
class CommandResult:
    """A command that was run: what it printed, byte for byte, and how it ended."""

    status: Status
    stdout: bytes
    stderr: bytes
    exit_code: int | None  # None when it never started or was stopped
    started: datetime  # in UTC
    duration_s: float
    detail: str | None = None  # why it is not ok, as text


def run(
    arguments: Sequence[str],
    timeout_s: float,
    exits: Sequence[int] = (0,),
    largest: int = LARGEST_OUTPUT,
    stop: threading.Event | None = None,
    stdin: int = subprocess.DEVNULL,
) -> CommandResult:
    """Run a program with these arguments: no shell, no input, plain English output.

    The program is also looked for where an administrator's programs are. When the time is up, or more than ``largest``
    bytes were printed, the program and its children are ended; what was printed by then is kept. ``exits`` are the
    exit codes that mean success. Setting ``stop`` ends the program as if its time were up. ``stdin`` is an open file,
    also its children's: they hold a lock on it until the last of them has ended.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    try:
        process = subprocess.Popen(
            list(arguments),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
            start_new_session=True,
        )
    except FileNotFoundError:
        return _not_started(Status.MISSING, f"{arguments[0]} is not installed", started)
    except PermissionError:
        if _is_anywhere(arguments[0]):
            return _not_started(Status.PERMISSION, f"{arguments[0]} may not be run by this user", started)
        return _not_started(Status.MISSING, f"{arguments[0]} is not installed", started)
    except OSError as error:
        return _not_started(Status.FAILED, f"{arguments[0]} did not start: {error.strerror}", started)
    try:
        stdout, stderr, stopped = _read(process, clock + timeout_s, largest, stop)
    finally:
        _end(process)
    seconds = time.monotonic() - clock
    if stopped is not None:
        reason = _reason(stopped, timeout_s, largest, stop)
        return CommandResult(stopped, stdout, stderr, None, started, seconds, reason)
    status, detail = _judge(process.returncode, stderr, exits)
    return CommandResult(status, stdout, stderr, process.returncode, started, seconds, detail)


def environment() -> dict[str, str]:
    """The variables that a program is given: plain English output, and an administrator's programs found too."""
    kept = {name: os.environ[name] for name in ("HOME", "USER", "LOGNAME") if name in os.environ}
    return {**kept, "PATH": _search(), "LC_ALL": "C", "LANG": "C", "TERM": "dumb"}


def _search() -> str:
    return ":".join(part for part in (os.environ.get("PATH", ""), _SEARCH) if part)


def _is_anywhere(program: str) -> bool:
    """Whether there is such a file at all: a folder on the PATH that may not be searched is no sign of one."""
    return "/" in program or any(_is_file(Path(folder, program)) for folder in _search().split(":"))


def _reason(stopped: Status, timeout_s: float, largest: int, stop: threading.Event | None) -> str:
    if stopped is Status.FAILED:
        return f"more than {largest} bytes of output"
    return "interrupted" if stop is not None and stop.is_set() else f"no answer within {timeout_s:g} s"


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except PermissionError:
        return False


def _not_started(status: Status, detail: str, started: datetime) -> CommandResult:
    return CommandResult(status, b"", b"", None, started, 0.0, detail)


def _read(
    process: subprocess.Popen[bytes], deadline: float, largest: int, stop: threading.Event | None
) -> tuple[bytes, bytes, Status | None]:
    """Both outputs until the process closes them, the deadline passes, or one grows too large."""
    assert process.stdout is not None and process.stderr is not None
    kept: dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    stopped: Status | None = None
    with selectors.DefaultSelector() as selector:
        for stream in kept:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map() and stopped is None:
            left = max(deadline - time.monotonic(), 0)
            ready = selector.select(min(left, _LOOK_S) if stop else left)
            if left == 0 or (stop is not None and stop.is_set()):
                stopped = Status.TIMEOUT
            for key, _ in ready:
                stream = next(known for known in kept if known is key.fileobj)
                chunk = os.read(stream.fileno(), _CHUNK)
                if not chunk:
                    selector.unregister(stream)
                kept[stream] += chunk
                if len(kept[stream]) > largest:
                    del kept[stream][largest:]
                    stopped = Status.FAILED
    if stopped is None:
        try:  # a program may close its outputs and go on
            process.wait(max(deadline - time.monotonic(), 0.01))
        except subprocess.TimeoutExpired:
            stopped = Status.TIMEOUT
    return bytes(kept[process.stdout]), bytes(kept[process.stderr]), stopped


def _end(process: subprocess.Popen[bytes]) -> None:
    """Leave neither the process nor a child of it behind."""
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
    _signal(process, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _judge(exit_code: int, stderr: bytes, exits: Sequence[int]) -> tuple[Status, str | None]:
    if exit_code in exits:
        return Status.OK, None
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    detail = lines[-1][:300] if lines else f"exit code {exit_code}"
    if any(sign in stderr.lower() for sign in _DENIED):
        return Status.PERMISSION, detail
    return Status.FAILED, detail
