"""Programs that outlive this one: daemons, and a command that takes its place."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from wirespeed.reach.local import environment

_LOOK_S = 0.01


def daemon(arguments: Sequence[str], log: Path, stdin: int = subprocess.DEVNULL) -> int:
    """Start a program that goes on after this one, in a session of its own; its process id. It prints to ``log``.

    Raises:
        OSError: it did not start.
    """
    with log.open("ab") as written:
        started = subprocess.Popen(
            list(arguments),
            stdin=stdin,
            stdout=written,
            stderr=subprocess.STDOUT,
            env=environment(),
            start_new_session=True,
        )
    started.returncode = 0  # it is waited for by its number, if at all: see `ended`
    return started.pid


def has_ended(process: int) -> bool:
    """Whether a program that `daemon` started here has ended."""
    try:
        return os.waitpid(process, os.WNOHANG)[0] == process
    except ChildProcessError:  # it had ended at an earlier call
        return True


def wait_for_socket(path: Path, process: int, within_s: float) -> bool:
    """Whether something listens at a socket in the file system before ``process``, which is to, ends, or time is up."""
    deadline = time.monotonic() + within_s
    folder = os.open(path.parent, os.O_PATH)
    try:
        while not _listens(f"/proc/self/fd/{folder}/{path.name}"):  # a path has 107 bytes at most (unix(7))
            if has_ended(process) or time.monotonic() > deadline:
                return False
            time.sleep(_LOOK_S)
        return True
    finally:
        os.close(folder)


def become(arguments: Sequence[str]) -> None:
    """Run a program in place of this one: with its input, outputs, terminal and signals; its exit code is ours.

    Raises:
        OSError: it did not start.
    """
    os.execvp(arguments[0], list(arguments))


def run_attached(arguments: Sequence[str]) -> int:
    """Run a program with this process's input, outputs and terminal; return its exit code as a shell reports it."""
    ended = subprocess.run(list(arguments), check=False).returncode
    return ended if ended >= 0 else 128 - ended


def _listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as asking:
        return asking.connect_ex(path) == 0
