"""Processes in namespaces, by the network namespace that the kernel reports for each process."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path

from wirespeed.lab import state


def list_processes(namespaces: Iterable[str]) -> Iterator[int]:
    """Processes that have one of the namespaces as their network."""
    inodes = _find_inodes(namespaces)
    if not inodes:
        return
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal() and _find_network(int(entry.name)) in inodes:
            yield int(entry.name)


def programs(processes: Iterable[int]) -> set[str]:
    """Names of the programs that they run."""
    names = set()
    for process in processes:
        with contextlib.suppress(OSError):
            names.add(Path(f"/proc/{process}/exe").readlink().name)
    return names


def kill(processes: Iterable[int], namespaces: Iterable[str]) -> None:
    """Kill processes. Each is checked again first, because process ids are reused."""
    inodes = _find_inodes(namespaces)
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            handle = os.pidfd_open(process)
            try:
                if _find_network(process) in inodes:
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
            finally:
                os.close(handle)


def _find_inodes(namespaces: Iterable[str]) -> set[int]:
    """Inodes of the names that are namespaces. A name without its namespace is a plain file."""
    inodes = set()
    plain = state.NAMESPACES.stat().st_dev if state.NAMESPACES.exists() else None
    for namespace in namespaces:
        with contextlib.suppress(OSError):
            status = (state.NAMESPACES / namespace).stat()
            if status.st_dev != plain:
                inodes.add(status.st_ino)
    return inodes


def _find_network(process: int) -> int | None:
    try:
        return Path(f"/proc/{process}/ns/net").stat().st_ino
    except OSError:
        return None
