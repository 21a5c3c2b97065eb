"""Remove a lab: its processes, namespaces and files, complete or not."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wirespeed.errors import Refusal, refuse
from wirespeed.lab import kernel, processes, state
from wirespeed.reach import Status
from wirespeed.results.lab import Phase

_GONE_WITHIN_S = 20
_LOOK_S = 0.01


@dataclass(frozen=True, slots=True)
class Removal:
    """Number of removed namespaces and processes."""

    namespaces: int
    processes: int


def remove_lab(name: str) -> Removal:
    """Remove a lab.

    Raises:
        Refusal: no such lab exists, or part of it could not be removed.
    """
    if name not in state.names():
        lab_names = state.names()
        raise refuse("lab", f"no lab {name!r}", "a lab", f"labs: {', '.join(lab_names)}" if lab_names else None)
    with state.hold_lock(name) as lock:
        return clear(name, lock)


def clear(name: str, lock: int) -> Removal:
    """Remove a lab whose lock is held.

    Raises:
        Refusal: part of it could not be removed.
    """
    with contextlib.suppress(Refusal):  # a state that cannot be read is removed with the rest
        stored = state.load(name)
        if stored is not None:
            state.save(replace(stored, phase=Phase.LEAVING))
    removal = remove(name, state.namespaces(name), lock)
    state.remove(name)
    return removal


def remove(name: str, namespaces: Sequence[str], lock: int) -> Removal:
    """Remove namespaces of a lab whose lock is held, and their processes.

    Raises:
        Refusal: one could not be removed.
    """
    ended_processes: set[int] = set()
    deadline = time.monotonic() + _GONE_WITHIN_S
    while running := list(processes.list_processes(namespaces)):
        ended_processes.update(running)
        processes.kill(running, namespaces)
        if time.monotonic() > deadline:
            raise refuse(
                f"lab {name}", f"processes {', '.join(map(str, running))}, which do not end", "no process", "try again"
            )
        time.sleep(_LOOK_S)
    _delete_namespaces(name, namespaces, lock)
    return Removal(len(namespaces), len(ended_processes))


def _delete_namespaces(name: str, namespaces: Sequence[str], lock: int) -> None:
    lines = [f"netns delete {namespace}\n" for namespace in namespaces]
    if not lines:
        return
    path = state.folder(name) / "delete"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines), encoding="utf-8")
    ran = kernel.batch(path, lock, "-force")
    remaining = set(namespaces) & set(state.namespaces(name))
    for namespace in remaining:  # a file that was made, and no namespace yet put on it
        with contextlib.suppress(OSError):
            (state.NAMESPACES / namespace).unlink()
    remaining = set(namespaces) & set(state.namespaces(name))
    if remaining:
        reason = ran.detail if ran.status is not Status.OK else "still there"
        raise refuse(f"lab {name}", f"{', '.join(sorted(remaining))}: {reason}", "namespaces removed")
