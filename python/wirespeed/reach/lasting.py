"""Programs that outlive this one: daemons, and a command that takes its place."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from wirespeed.reach.local import environment


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


def ended(process: int) -> bool:
    """Whether a program that `daemon` started here has ended."""
    try:
        return os.waitpid(process, os.WNOHANG)[0] == process
    except ChildProcessError:  # it had, when this was asked before
        return True


def become(arguments: Sequence[str]) -> None:
    """Run a program in place of this one: with its input, outputs, terminal and signals; its exit code is ours.

    Raises:
        OSError: it did not start.
    """
    os.execvp(arguments[0], list(arguments))


def attached(arguments: Sequence[str]) -> int:
    """Run a program with this one's input, outputs and terminal, and wait for it; its exit code as a shell says it."""
    ended = subprocess.run(list(arguments), check=False).returncode
    return ended if ended >= 0 else 128 - ended
