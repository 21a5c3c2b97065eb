"""Processes inside namespaces, found by the kernel's own record of which network each has."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path

from wirespeed.lab import state


def processes_of(namespaces: Iterable[str]) -> Iterator[int]:
    """Processes that have one of the namespaces as their network."""
    wanted = _inodes(namespaces)
    if not wanted:
        return
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal() and _network(int(entry.name)) in wanted:
            yield int(entry.name)


def programs(processes: Iterable[int]) -> set[str]:
    """Names of the programs that they run."""
    found = set()
    for process in processes:
        with contextlib.suppress(OSError):
            found.add(Path(f"/proc/{process}/exe").readlink().name)
    return found


def kill(processes: Iterable[int], namespaces: Iterable[str]) -> None:
    """End them, each after another look: its number may have become another's."""
    wanted = _inodes(namespaces)
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            handle = os.pidfd_open(process)
            try:
                if _network(process) in wanted:
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
            finally:
                os.close(handle)


def _inodes(namespaces: Iterable[str]) -> set[int]:
    """Inodes of those names that are namespaces: a name whose namespace is not there yet is a plain file."""
    found = set()
    plain = state.NAMESPACES.stat().st_dev if state.NAMESPACES.exists() else None
    for namespace in namespaces:
        with contextlib.suppress(OSError):
            status = (state.NAMESPACES / namespace).stat()
            if status.st_dev != plain:
                found.add(status.st_ino)
    return found


def _network(process: int) -> int | None:
    try:
        return Path(f"/proc/{process}/ns/net").stat().st_ino
    except OSError:
        return None
