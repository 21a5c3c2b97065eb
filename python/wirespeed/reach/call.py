"""A command on some machine that may run for a while: a benchmark, or the server that it uses.

Every command runs under a guard, a few lines of POSIX shell on the machine itself, which

* ends it with its children at the time limit, or when the connection is lost, also if wirespeed was killed;
* reports when a server listens, so that no client starts too early;
* refuses to start a server if another program uses the port: a client would measure that program.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from wirespeed.reach.local import SYSTEM_PATH, CommandResult, Status

LISTENING_MARK = b"wirespeed: listening"
_IN_USE_EXIT = 98

# One line without "!", so that every login shell passes it on unchanged. A job in the background reads from /dev/null
# (POSIX, XCU 2.9.3.1), hence the third descriptor. `timeout` leads the process group of the program, and forwards
# signals to the group (coreutils); processes of the group that remain at the end are killed.
_GUARD = (
    "exec 3<&0 </dev/null; port=$1 limit=$2; "
    f"PATH=${{3:+$3:}}$PATH:{SYSTEM_PATH}; export PATH; shift 3; "
    'listens() { grep -qi ":$port 0*:0000 0A" /proc/net/tcp /proc/net/tcp6 2>/dev/null; }; '
    'if [ "$port" != - ] && listens; then '
    f'echo "another program listens on port 0x$port" >&2; exit {_IN_USE_EXIT}; fi; '
    'timeout -k 5 "$limit" "$@" 3<&- & child=$!; '
    '{ cat <&3; kill "$child"; } >/dev/null 2>&1 & watch=$!; '
    'if [ "$port" != - ]; then while kill -0 "$child" 2>/dev/null; do '
    f'if listens; then echo "{LISTENING_MARK.decode()}"; break; fi; sleep 0.05; done; fi; '
    'wait "$child"; code=$?; kill "$watch" 2>/dev/null; kill -KILL -"$child" 2>/dev/null; exit "$code"'
)
LONGEST_COMMAND = 131_071
"""Bytes: ssh and the login shell of the other machine pass a command as one argument, which Linux limits to 32 pages of
4 KiB with its last byte (execve(2), MAX_ARG_STRLEN)."""
_TIMED_OUT = (124, 137)  # exit codes of `timeout`: ended, and killed
_MISSING_EXIT = 127
_NOT_EXECUTABLE = 126
_WRONG = re.compile(r"error|fail|unable|cannot|can't|couldn't|not found|refused|denied|no such", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Call:
    """A command to run on a machine. ``listening_port`` is the TCP port that a server listens on."""

    host: str
    arguments: tuple[str, ...]
    limit_s: float
    environment: Mapping[str, str] = field(default_factory=dict)
    path: tuple[str, ...] = ()  # folders that are searched first
    listening_port: int | None = None

    @property
    def plain(self) -> tuple[str, ...]:
        """The command without its guard, as a person would type it."""
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        return (*(("env", *variables) if variables else ()), *self.arguments)

    @property
    def guarded_arguments(self) -> tuple[str, ...]:
        """The command under its guard."""
        port = f"{self.listening_port:04X}" if self.listening_port is not None else "-"
        guard_arguments = (
            port,
            f"{self.limit_s:g}",
            ":".join(self.path),
            "env",
            "LC_ALL=C",
            *self.environment_arguments,
            *self.arguments,
        )
        return ("sh", "-c", _GUARD, "wirespeed", *guard_arguments)

    @property
    def shell_text(self) -> str:
        """The command under its guard, quoted for a shell."""
        return shlex.join(self.guarded_arguments)

    @property
    def length(self) -> int:
        """The bytes of the command under its guard."""
        return len(self.shell_text.encode())

    @property
    def environment_arguments(self) -> tuple[str, ...]:
        """Its variables, as `env` takes them."""
        return tuple(f"{name}={value}" for name, value in self.environment.items())


class RunningCommand(Protocol):
    """A command that was started."""

    def wait_for_listener(self, within_s: float) -> bool:
        """Wait until the server listens. False if it ended before that, or at the timeout."""

    def stop(self) -> None:
        """End the command. Its output until then is kept."""

    def wait_for_end(self, within_s: float) -> bool:
        """Wait for the end of the command. False at the timeout."""

    def result(self) -> CommandResult:
        """Wait for the end; return output and status."""


class Reach(Protocol):
    """Access to machines."""

    def start(self, call: Call) -> RunningCommand:
        """Start a command on its machine."""

    def command_text(self, call: Call) -> str:
        """The command for copy and paste, without its guard."""


def command_text(prefix: Sequence[str], call: Call) -> str:
    """A command with the prefix that runs it on its machine."""
    return shlex.join((*prefix, *call.plain))


def outcome(
    call: Call, stdout: bytes, stderr: bytes, exit_code: int | None, start_time: datetime, seconds: float
) -> CommandResult:
    """The result of a guarded command. The exit code of a stopped command is None."""
    output = b"".join(line for line in stdout.splitlines(keepends=True) if line.strip() != LISTENING_MARK)
    status, detail = _find_status(call, stderr, exit_code, seconds)
    return CommandResult(status, output, stderr, exit_code, start_time, seconds, detail)


def _find_status(call: Call, stderr: bytes, exit_code: int | None, seconds: float) -> tuple[Status, str | None]:
    program = call.arguments[0]
    if exit_code == 0:
        return Status.OK, None
    if exit_code is None:
        return Status.TIMEOUT, "stopped"
    if exit_code in _TIMED_OUT and seconds >= call.limit_s:  # earlier, another program sent the signal
        return Status.TIMEOUT, f"not done within {call.limit_s:g} s"
    message = error_line(stderr)
    if exit_code == _MISSING_EXIT:
        return Status.MISSING, message or f"{program} is not installed"
    if exit_code == _NOT_EXECUTABLE:
        return Status.PERMISSION, message or f"{program} may not be run by this user"
    return Status.FAILED, message or f"exit code {exit_code}"


def error_line(text: bytes) -> str | None:
    """The line with the error, for a message: the first that reports an error, else the last that is not empty."""
    lines = [line.strip()[:300] for line in text.decode("utf-8", "replace").splitlines()]
    lines = [line for line in lines if any(sign.isalnum() for sign in line)]
    return next((line for line in lines if _WRONG.search(line)), lines[-1] if lines else None)
