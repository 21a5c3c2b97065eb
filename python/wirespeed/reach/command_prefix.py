"""Machines that a local command reaches: this one, a device of a lab, a node of a Slurm allocation."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO

from wirespeed.reach.call import LISTENING_MARK, Call, command_text, outcome
from wirespeed.reach.local import LARGEST_OUTPUT, CommandResult, Status

_GRACE_S = 6  # between the request to the guard to end and its kill; the guard waits 5 s for its program
# Messages of srun about a node that is down, not in the job, or that went away, and of a job that is over.
_NO_NODE = re.compile(
    rb"^(srun: error: (?:Node failure|Task launch .* failed on node|Unable to create step|"
    rb"Unable to confirm allocation|Slurm job \d+ has expired).*)",
    re.MULTILINE,
)


def use_this_machine() -> CommandPrefix:
    """All hosts are this machine."""
    return CommandPrefix(lambda host: ())


def use_slurm() -> CommandPrefix:
    """A host is a node of the Slurm allocation that this runs in."""
    # --overlap: the step shares the node with others, a server and a client among them (srun(1), since Slurm 20.11).
    return CommandPrefix(
        lambda host: (
            "srun",
            "--quiet",
            "--overlap",
            "--nodes=1",
            "--ntasks=1",
            f"--nodelist={host}",
            "--cpu-bind=none",
        ),
        _NO_NODE,
    )


@dataclass(frozen=True, slots=True)
class CommandPrefix:
    """Commands with the prefix that runs them on their host.

    ``lost_pattern`` matches messages about an unreachable host; ``short_prefix`` is a shorter prefix for a person to
    type.
    """

    prefix: Callable[[str], tuple[str, ...]]
    lost_pattern: re.Pattern[bytes] | None = None
    short_prefix: Callable[[str], tuple[str, ...]] | None = None

    def start(self, call: Call) -> _Process:
        """Start a command on its machine."""
        return _Process(call, (*self.prefix(call.host), *call.guarded_arguments), self.lost_pattern)

    def command_text(self, call: Call) -> str:
        """The command for copy and paste."""
        return command_text((self.short_prefix or self.prefix)(call.host), call)


class _Process:
    """A local process whose outputs are read continuously."""

    def __init__(self, call: Call, arguments: tuple[str, ...], lost_pattern: re.Pattern[bytes] | None) -> None:
        self._call, self._lost_pattern = call, lost_pattern
        self._started, self._clock = datetime.now(UTC), time.monotonic()
        self._seconds = 0.0
        self._stopped = False
        self._listening = threading.Event()
        self._outputs = bytearray(), bytearray()
        self._failed: CommandResult | None = None
        self._readers: list[threading.Thread] = []
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            is_missing = isinstance(error, FileNotFoundError)
            detail = f"{arguments[0]} is not installed" if is_missing else f"{arguments[0]}: {error.strerror}"
            status = Status.MISSING if is_missing else Status.FAILED
            self._failed = CommandResult(status, b"", b"", None, self._started, 0.0, detail)
            return
        assert self._process.stdout is not None and self._process.stderr is not None
        for stream, output in zip((self._process.stdout, self._process.stderr), self._outputs, strict=True):
            reader = threading.Thread(target=self._read_stream, args=(stream, output), daemon=True)
            reader.start()
            self._readers.append(reader)

    def wait_for_listener(self, within_s: float) -> bool:
        """Wait until the server listens."""
        deadline = time.monotonic() + within_s
        while self._failed is None and self._process.poll() is None and time.monotonic() < deadline:
            if self._listening.wait(0.02):
                return True
        return self._listening.is_set() and self._failed is None and self._process.poll() is None

    def wait_for_end(self, within_s: float) -> bool:
        """Wait until it has ended."""
        if self._failed is not None:
            return True
        try:
            self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def stop(self) -> None:
        """End the command: the guard ends when its input closes."""
        if self._failed is not None or self._process.poll() is not None:
            return
        self._stopped = True
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S)
        self._kill_group()

    def result(self) -> CommandResult:
        """Wait for the end; return output and status."""
        if self._failed is not None:
            return self._failed
        self._process.wait()
        self._kill_group()
        for reader in self._readers:
            reader.join()
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._seconds = self._seconds or time.monotonic() - self._clock
        code = None if self._stopped else self._process.returncode
        stdout, stderr = (bytes(output) for output in self._outputs)
        lost_message = self._lost_pattern.search(stderr) if self._lost_pattern is not None and code else None
        if lost_message is not None:
            message = lost_message[1].decode("utf-8", "replace").strip()
            return CommandResult(Status.UNREACHABLE, stdout, stderr, code, self._started, self._seconds, message)
        return outcome(self._call, stdout, stderr, code, self._started, self._seconds)

    def _read_stream(self, stream: IO[bytes], output: bytearray) -> None:
        with stream:
            while chunk := os.read(stream.fileno(), 65536):
                if len(output) < LARGEST_OUTPUT:
                    output += chunk
                if not self._listening.is_set() and LISTENING_MARK in output:
                    self._listening.set()

    def _kill_group(self) -> None:
        """Kill the process group, so that no child remains."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
