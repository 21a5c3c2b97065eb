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
    """What was there."""

    namespaces: int
    processes: int


def remove_lab(name: str) -> Removal:
    """Remove a lab.

    Raises:
        Refusal: there is nothing of it, or some of it does not go.
    """
    if name not in state.names():
        known = state.names()
        raise refuse("lab", f"no lab {name!r}", "a lab", f"labs: {', '.join(known)}" if known else None)
    with state.hold_lock(name) as lock:
        return clear(name, lock)


def clear(name: str, lock: int) -> Removal:
    """Remove what there is of a lab whose lock is held.

    Raises:
        Refusal: some of it does not go.
    """
    with contextlib.suppress(Refusal):  # a state that cannot be read is removed with the rest
        kept = state.load(name)
        if kept is not None:
            state.save(replace(kept, phase=Phase.LEAVING))
    removed = remove(name, state.namespaces(name), lock)
    state.remove(name)
    return removed


def remove(name: str, namespaces: Sequence[str], lock: int) -> Removal:
    """Remove some namespaces of a lab whose lock is held, with what runs in them.

    Raises:
        Refusal: one does not go.
    """
    ended: set[int] = set()
    deadline = time.monotonic() + _GONE_WITHIN_S
    while found := list(processes.processes_of(namespaces)):
        ended.update(found)
        processes.kill(found, namespaces)
        if time.monotonic() > deadline:
            raise refuse(
                f"lab {name}", f"processes {', '.join(map(str, found))}, which do not end", "no process", "try again"
            )
        time.sleep(_LOOK_S)
    _delete(name, namespaces, lock)
    return Removal(len(namespaces), len(ended))


def _delete(name: str, namespaces: Sequence[str], lock: int) -> None:
    lines = [f"netns delete {namespace}\n" for namespace in namespaces]
    if not lines:
        return
    path = state.folder(name) / "delete"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines), encoding="utf-8")
    ran = kernel.batch(path, lock, "-force")
    left = set(namespaces) & set(state.namespaces(name))
    for namespace in left:  # a file that was made, and no namespace yet put on it
        with contextlib.suppress(OSError):
            (state.NAMESPACES / namespace).unlink()
    left = set(namespaces) & set(state.namespaces(name))
    if left:
        reason = ran.detail if ran.status is not Status.OK else "still there"
        raise refuse(f"lab {name}", f"{', '.join(sorted(left))}: {reason}", "namespaces removed")
