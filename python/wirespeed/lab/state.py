"""State of a lab on disk, and the lock that lets one command at a time change it.

/run/wirespeed/lab/NAME/lab.json          the lab as it was built
/run/wirespeed/lab/NAME/devices/DEVICE/   etc/: the files rendered for it; run/: its /run; what configured it, and logs
/run/wirespeed/lab/NAME/bench.lock        what a run of benchmarks in it holds
/run/wirespeed/lab/NAME.lock              the lock

/run is in memory: a lab does not outlive the machine's boot, and neither does this.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from wirespeed.errors import refuse
from wirespeed.lab.names import PREFIX
from wirespeed.results import documents
from wirespeed.results.json import document
from wirespeed.results.lab import KIND, SCHEMA, LabState

ROOT = Path("/run/wirespeed/lab")
NAMESPACES = Path("/run/netns")  # where ip-netns(8) keeps the names
_STATE, _LOCK, _BENCH = "lab.json", ".lock", "bench.lock"
_PATIENCE_S = 30
_LOOK_S = 0.05


def folder(lab: str) -> Path:
    """The folder of a lab."""
    return ROOT / lab


def device_folder(lab: str, device: str) -> Path:
    """The folder of a device's files."""
    return folder(lab) / "devices" / device


def names() -> list[str]:
    """Every lab with a folder, namespaces or a lock, complete or not."""
    labs = {entry.name if entry.is_dir() else entry.name.removesuffix(_LOCK) for entry in _list_entries(ROOT)}
    labs |= {name.removeprefix(PREFIX).partition("-")[0] for name in _list_namespaces() if name.startswith(PREFIX)}
    return sorted(labs)


def exists(lab: str) -> bool:
    """Whether a lab has a folder or namespaces."""
    return folder(lab).exists() or bool(namespaces(lab))


def namespaces(lab: str) -> list[str]:
    """The existing namespaces of a lab."""
    return sorted(name for name in _list_namespaces() if name.startswith(f"{PREFIX}{lab}-"))


def save(state: LabState) -> None:
    """Write the lab's state atomically."""
    path = folder(state.name) / _STATE
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(document(KIND, SCHEMA, lab=state), encoding="utf-8")
    new.replace(path)


def load(lab: str) -> LabState | None:
    """The lab's state. None if it was never written.

    Raises:
        Refusal: the file is incomplete, or of a newer version.
    """
    path = folder(lab) / _STATE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    return documents.read_kind(text, str(path), KIND, SCHEMA, "lab", LabState, f"wirespeed lab down {lab}")


def remove(lab: str) -> None:
    """Remove the folder of a lab.

    Raises:
        Refusal: some of it could not be removed.
    """
    path = folder(lab)
    deadline = time.monotonic() + _PATIENCE_S
    while path.exists():
        shutil.rmtree(path, ignore_errors=True)  # another command may write a file there meanwhile, such as a question
        if path.exists() and time.monotonic() > deadline:
            raise refuse(f"lab {lab}", f"{path}, which does not go", "none", "try once more")


def remove_device(lab: str, device: str) -> None:
    """Remove the folder of a device."""
    shutil.rmtree(device_folder(lab, device), ignore_errors=True)


@contextlib.contextmanager
def hold_lock(lab: str, patience_s: float = _PATIENCE_S) -> Iterator[int]:
    """Hold the lab's lock; the context is its descriptor.

    A program that inherits the open file holds the lock too, also after this process was killed, so that it ends before
    another command begins.

    Raises:
        Refusal: another command held it all the time.
    """
    ROOT.mkdir(parents=True, exist_ok=True)
    path = ROOT / f"{lab}{_LOCK}"
    deadline = time.monotonic() + patience_s
    while (descriptor := _try_lock(path)) is None:
        if time.monotonic() > deadline:
            raise refuse(
                f"lab {lab}",
                f"another command at work on it for {patience_s:g} s",
                "one command at a time",
                f"fuser {path} names the process",
            )
        time.sleep(_LOOK_S)
    try:
        yield descriptor
    finally:
        if not folder(lab).exists():
            path.unlink(missing_ok=True)
        os.close(descriptor)


@contextlib.contextmanager
def hold_benchmark_lock(lab: str) -> Iterator[None]:
    """Hold the lock of benchmarks in the lab. It is removed with the lab's folder.

    Raises:
        Refusal: another run holds it, or the lab is gone.
    """
    try:
        descriptor = os.open(folder(lab) / _BENCH, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        raise refuse(f"lab {lab}", "no such lab any more", "a lab that is up") from None
    try:
        if not _lock_file(descriptor):
            remedy = "one run at a time: all share this machine's cores"
            raise refuse(f"lab {lab}", "benchmarks that run in it", remedy)
        yield
    finally:
        os.close(descriptor)


def tidy() -> None:
    """Remove the empty folder of all labs."""
    for empty in (ROOT, ROOT.parent):
        with contextlib.suppress(OSError):
            empty.rmdir()


def _try_lock(path: Path) -> int | None:
    """Take the lock. None if another process holds it or has removed the file."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:  # the folder went with the last lab
        path.parent.mkdir(parents=True, exist_ok=True)
        return None
    with contextlib.suppress(FileNotFoundError):
        if _lock_file(descriptor) and os.fstat(descriptor).st_ino == path.stat().st_ino:
            return descriptor
    os.close(descriptor)
    return None


def _lock_file(descriptor: int) -> bool:
    """Whether no other command holds it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _list_namespaces() -> list[str]:
    return [entry.name for entry in _list_entries(NAMESPACES)]


def _list_entries(path: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except FileNotFoundError:
        return []
