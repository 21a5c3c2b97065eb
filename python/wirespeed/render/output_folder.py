"""Rendered files on disk: all of them or none.

The files are written beside the folder and moved in when the last one is there, so that neither a full disk nor
Ctrl-C leaves a device half written.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from wirespeed.errors import refuse
from wirespeed.render.files import RenderedFile

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What was written."""

    devices: tuple[str, ...]
    files: int
    bytes: int


Beside = Callable[[Sequence[str]], Iterable[tuple[str, str]]]
"""Devices that have a folder to (name, text) of files beside the folders."""


def write(
    rendered: Iterable[RenderedFile],
    folder: Path,
    cluster: str,
    progress: Callable[[str], None] | None = None,
    beside: Beside | None = None,
) -> WriteResult:
    """Write files to ``folder/<device>/<path>``. Devices that are not among them stay as they are.

    Args:
        rendered: the files, device by device.
        folder: made where there is none; one that holds anything but rendered files is refused.
        cluster: name of the cluster, for the manifest.
        progress: called with each device's name when its files are written.
        beside: gives the files that stand beside the devices' folders, once it is known which there are.

    Raises:
        Refusal: the folder holds something else, or files of another cluster.
        OSError: the disk is full, or nothing may be written there; the folder is then as it was.
    """
    before = _previous_devices(folder, cluster)
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        written = _write_all(rendered, new, progress)
        names = dict.fromkeys([*before, *written.devices])
        document = {"kind": "rendered", "schema": 1, "cluster": cluster, "devices": sorted(names)}
        _put(new / MANIFEST, json.dumps(document, indent=1) + "\n", 0o644)
        extras = dict(beside(list(names))) if beside else {}
        for name, text in extras.items():
            _put(new / name, text, 0o644)
        new.chmod(0o755)
        if folder.exists():
            _move_in(new, folder, written.devices, extras)
        else:
            new.rename(folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return written


def is_rendered(folder: Path) -> bool:
    """Whether a folder was written by `write`."""
    return _manifest(folder) is not None


def _previous_devices(folder: Path, cluster: str) -> list[str]:
    """The devices whose files the folder has already."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return []
    manifest = _manifest(folder) if folder.is_dir() else None
    if manifest is None:
        content = "a folder with other files" if folder.is_dir() else "a file"
        hint = f"give another folder, such as `-o {folder}/rendered`" if folder.is_dir() else None
        raise refuse(str(folder), content, "an empty folder, a new one, or one that render wrote", hint)
    if manifest.get("cluster") != cluster:
        raise refuse(
            str(folder),
            f"files of the cluster {manifest.get('cluster')!r}",
            f"files of {cluster!r}",
            "render into another folder, or remove this one",
        )
    return [name for name in manifest.get("devices", ()) if isinstance(name, str)]


def _manifest(folder: Path) -> Mapping[str, Any] | None:
    try:
        document = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    return document if isinstance(document, dict) and document.get("kind") == "rendered" else None


def _write_all(rendered: Iterable[RenderedFile], new: Path, progress: Callable[[str], None] | None) -> WriteResult:
    """Write every device's files, while the next devices' are rendered: making a file is the kernel's work."""
    done: list[_Batch] = []
    waiting: deque[Future[_Batch]] = deque()

    def finish(maximum: int) -> None:
        while len(waiting) > maximum:
            batch = waiting.popleft().result()
            done.append(batch)
            if progress:
                progress(batch.device)

    with ThreadPoolExecutor(_WRITERS) as pool:
        try:
            for device, files in groupby(rendered, attrgetter("device")):
                _check_name(device)
                waiting.append(pool.submit(_write_device, new, device, list(files)))
                finish(_AHEAD)
            finish(0)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return WriteResult(
        tuple(batch.device for batch in done), sum(batch.files for batch in done), sum(batch.bytes for batch in done)
    )


_WRITERS = 2
_AHEAD = 32
"""Devices whose files are held in memory, waiting to be written."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """The files of one device, written."""

    device: str
    files: int
    bytes: int


def _write_device(new: Path, device: str, files: Sequence[RenderedFile]) -> _Batch:
    made = {str(new)}
    size = 0
    for file in files:
        path = f"{new}/{device}/{file.relative}"
        _make(path.rpartition("/")[0], made)
        size += _put(path, file.text, file.mode)
    return _Batch(device, len(files), size)


def _check_name(device: str) -> None:
    """A device's name is one path component. Cluster files are held to more; plans may come from elsewhere."""
    if "/" in device or device in ("", ".", "..", MANIFEST) or device.startswith("ansible-") or "\0" in device:
        raise refuse("render", f"the device name {device!r}", "a name that is valid for a folder")


def _make(folder: str, made: set[str]) -> None:
    """Make a folder and those around it. What was made is remembered: asking the disk costs as much as a file."""
    if folder not in made:
        _make(folder.rpartition("/")[0], made)
        os.mkdir(folder)  # noqa: PTH102 - tens of thousands of them
        made.add(folder)


def _put(path: str | Path, text: str, mode: int) -> int:
    data = text.encode()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        os.fchmod(descriptor, mode)  # whatever the umask is
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)
    return len(data)


def _move_in(new: Path, folder: Path, devices: Iterable[str], extras: Iterable[str]) -> None:
    """Exchange each device's folder by renaming: everything that could fail for lack of space is done."""
    old = new / ".old"
    old.mkdir()
    for device in devices:
        target = folder / device
        if target.exists():
            target.rename(old / device)
        (new / device).rename(target)
    for name in (*extras, MANIFEST):
        (new / name).replace(folder / name)
