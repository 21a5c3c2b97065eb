"""Starts daemons, which outlive this process, and a command that replaces it."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from wirespeed.reach.local import environment

_LOOK_S = 0.01


def start_daemon(arguments: Sequence[str], log: Path, stdin: int = subprocess.DEVNULL) -> int:
    """Start a program in a separate session, which outlives this process; return its process id. It prints to ``log``.

    Raises:
        OSError: the program did not start.
    """
    with log.open("ab") as log_file:
        process = subprocess.Popen(
            list(arguments),
            stdin=stdin,
            stdout=log_file,
            stderr=subprocess.STDOUT,
            env=environment(),
            start_new_session=True,
        )
    process.returncode = 0  # `has_ended` waits for it by its process id
    return process.pid


def has_ended(process: int) -> bool:
    """Whether a program that `daemon` started here has ended."""
    try:
        return os.waitpid(process, os.WNOHANG)[0] == process
    except ChildProcessError:  # an earlier call has waited for it
        return True


def wait_for_socket(path: Path, process: int, within_s: float) -> bool:
    """Wait until ``process`` listens at a Unix socket. False if it ends before that, or at the timeout."""
    deadline = time.monotonic() + within_s
    folder = os.open(path.parent, os.O_PATH)
    try:
        while not _has_listener(f"/proc/self/fd/{folder}/{path.name}"):  # a path has 107 bytes at most (unix(7))
            if has_ended(process) or time.monotonic() > deadline:
                return False
            time.sleep(_LOOK_S)
        return True
    finally:
        os.close(folder)


def replace_process(arguments: Sequence[str]) -> None:
    """Replace this process by a program, with the same input, outputs, terminal and signals.

    Raises:
        OSError: the program did not start.
    """
    os.execvp(arguments[0], list(arguments))


def run_attached(arguments: Sequence[str]) -> int:
    """Run a program with this process's input, outputs and terminal; return its exit code as a shell reports it."""
    exit_code = subprocess.run(list(arguments), check=False).returncode
    return exit_code if exit_code >= 0 else 128 - exit_code


def _has_listener(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(path) == 0
