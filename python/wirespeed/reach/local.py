"""Runs one command on this machine."""

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

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Folders of the system's programs. The PATH of a user may lack some of them."""

_CHUNK = 65536
_GRACE_S = 0.5  # between the signals SIGTERM and SIGKILL to a process group
_LOOK_S = 0.1  # polling interval for a stop by the caller
_SEARCH = f"{SYSTEM_PATH}:/opt/rocm/bin"
_DENIAL_MESSAGES = (
    b"permission denied",
    b"operation not permitted",
    b"must be root",
    b"are you root",
    b"requires root",
)


class Status(StrEnum):
    """Status of a command."""

    OK = "ok"
    MISSING = "missing"  # the program is not installed
    PERMISSION = "permission"
    TIMEOUT = "timeout"
    FAILED = "failed"
    UNREACHABLE = "unreachable"  # the machine does not answer, or refuses the login


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Output and status of a command; the output is unchanged."""

    status: Status
    stdout: bytes
    stderr: bytes
    exit_code: int | None  # None if it did not start or was stopped
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

    The search path includes the folders of administrators' programs. At the timeout, or after more than ``largest``
    bytes of output, the program and its children are ended; the output until then is kept. ``exits`` are the exit codes
    that mean success. Setting ``stop`` ends the program like the timeout. ``stdin`` is an open file, which its children
    inherit: a lock on it is held until the last of them has ended.
    """
    start_time, clock = datetime.now(UTC), time.monotonic()
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
        return _build_start_failure(Status.MISSING, f"{arguments[0]} is not installed", start_time)
    except PermissionError:
        if _is_anywhere(arguments[0]):
            return _build_start_failure(Status.PERMISSION, f"{arguments[0]} may not be run by this user", start_time)
        return _build_start_failure(Status.MISSING, f"{arguments[0]} is not installed", start_time)
    except OSError as error:
        return _build_start_failure(Status.FAILED, f"{arguments[0]} did not start: {error.strerror}", start_time)
    try:
        stdout, stderr, stop_status = _read_outputs(process, clock + timeout_s, largest, stop)
    finally:
        _end_process(process)
    seconds = time.monotonic() - clock
    if stop_status is not None:
        reason = _format_reason(stop_status, timeout_s, largest, stop)
        return CommandResult(stop_status, stdout, stderr, None, start_time, seconds, reason)
    status, detail = _judge_exit(process.returncode, stderr, exits)
    return CommandResult(status, stdout, stderr, process.returncode, start_time, seconds, detail)


def environment() -> dict[str, str]:
    """The variables of a program: plain English output, and a PATH with administrators' programs."""
    variables = {name: os.environ[name] for name in ("HOME", "USER", "LOGNAME") if name in os.environ}
    return {**variables, "PATH": _search_path(), "LC_ALL": "C", "LANG": "C", "TERM": "dumb"}


def _search_path() -> str:
    return ":".join(part for part in (os.environ.get("PATH", ""), _SEARCH) if part)


def _is_anywhere(program: str) -> bool:
    """Whether the file exists. A folder on the PATH without search permission is ignored."""
    return "/" in program or any(_is_file(Path(folder, program)) for folder in _search_path().split(":"))


def _format_reason(stop_status: Status, timeout_s: float, largest: int, stop: threading.Event | None) -> str:
    if stop_status is Status.FAILED:
        return f"more than {largest} bytes of output"
    return "interrupted" if stop is not None and stop.is_set() else f"no answer within {timeout_s:g} s"


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except PermissionError:
        return False


def _build_start_failure(status: Status, detail: str, start_time: datetime) -> CommandResult:
    return CommandResult(status, b"", b"", None, start_time, 0.0, detail)


def _read_outputs(
    process: subprocess.Popen[bytes], deadline: float, largest: int, stop: threading.Event | None
) -> tuple[bytes, bytes, Status | None]:
    """Read both outputs until the process closes them, the deadline passes, or one is too large."""
    assert process.stdout is not None and process.stderr is not None
    outputs: dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    stop_status: Status | None = None
    with selectors.DefaultSelector() as selector:
        for stream in outputs:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map() and stop_status is None:
            remaining_s = max(deadline - time.monotonic(), 0)
            ready = selector.select(min(remaining_s, _LOOK_S) if stop else remaining_s)
            if remaining_s == 0 or (stop is not None and stop.is_set()):
                stop_status = Status.TIMEOUT
            for key, _ in ready:
                stream = next(candidate for candidate in outputs if candidate is key.fileobj)
                chunk = os.read(stream.fileno(), _CHUNK)
                if not chunk:
                    selector.unregister(stream)
                outputs[stream] += chunk
                if len(outputs[stream]) > largest:
                    del outputs[stream][largest:]
                    stop_status = Status.FAILED
    if stop_status is None:
        try:  # a program may close its outputs and continue
            process.wait(max(deadline - time.monotonic(), 0.01))
        except subprocess.TimeoutExpired:
            stop_status = Status.TIMEOUT
    return bytes(outputs[process.stdout]), bytes(outputs[process.stderr]), stop_status


def _end_process(process: subprocess.Popen[bytes]) -> None:
    """End the process and its children."""
    if process.poll() is None:
        _signal_group(process, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
    _signal_group(process, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _judge_exit(exit_code: int, stderr: bytes, exits: Sequence[int]) -> tuple[Status, str | None]:
    if exit_code in exits:
        return Status.OK, None
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    detail = lines[-1][:300] if lines else f"exit code {exit_code}"
    if any(sign in stderr.lower() for sign in _DENIAL_MESSAGES):
        return Status.PERMISSION, detail
    return Status.FAILED, detail
