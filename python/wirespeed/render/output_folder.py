"""Writes rendered files: all of them or none.

The files are written to a temporary folder and moved when all are complete, so that neither a full disk nor Ctrl-C
leaves an incomplete device.
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

from wirespeed.errors import refuse, refuse_output
from wirespeed.render.files import RenderedFile

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Devices, files and bytes that were written, and the names of files that are run, not installed."""

    devices: tuple[str, ...]
    files: int
    bytes: int
    scripts: frozenset[str]


ExtraFiles = Callable[[Sequence[str]], Iterable[tuple[str, str]]]
"""From the devices with a folder to (name, text) of files next to the folders."""


def write(
    rendered_files: Iterable[RenderedFile],
    folder: Path,
    cluster: str,
    progress: Callable[[str], None] | None = None,
    extra_files: ExtraFiles | None = None,
) -> WriteResult:
    """Write files to ``folder/<device>/<path>``. Files of other devices are not changed.

    Args:
        rendered: the files, device by device.
        folder: created if it does not exist; a folder with other files is refused.
        cluster: name of the cluster, for the manifest.
        progress: called with each device's name when its files are written.
        extra_files: called with the names of the devices; gives the files next to their folders.

    Raises:
        Refusal: the folder contains other files, or files of another cluster, or cannot be created.
        OSError: the disk is full, or the folder is not writable; the folder is then unchanged.
    """
    previous_devices = _previous_devices(folder, cluster)
    with refuse_output(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        result = _write_files(rendered_files, new, progress)
        names = dict.fromkeys([*previous_devices, *result.devices])
        document = {"kind": "rendered", "schema": 1, "cluster": cluster, "devices": sorted(names)}
        _write_file(new / MANIFEST, json.dumps(document, indent=1) + "\n", 0o644)
        extras = dict(extra_files(list(names))) if extra_files else {}
        for name, text in extras.items():
            _write_file(new / name, text, 0o644)
        new.chmod(0o755)
        if folder.exists():
            _replace_folders(new, folder, result.devices, extras)
        else:
            new.rename(folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return result


def is_rendered(folder: Path) -> bool:
    """Whether a folder was written by `write`."""
    return _read_manifest(folder) is not None


def _previous_devices(folder: Path, cluster: str) -> list[str]:
    """The devices whose files the folder already contains."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return []
    manifest = _read_manifest(folder) if folder.is_dir() else None
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


def _read_manifest(folder: Path) -> Mapping[str, Any] | None:
    try:
        document = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) and document.get("kind") == "rendered" else None


def _write_files(
    rendered_files: Iterable[RenderedFile], new: Path, progress: Callable[[str], None] | None
) -> WriteResult:
    """Write the files of every device while those of the next devices are rendered."""
    batches: list[_Batch] = []
    futures: deque[Future[_Batch]] = deque()

    def finish(maximum: int) -> None:
        while len(futures) > maximum:
            batch = futures.popleft().result()
            batches.append(batch)
            if progress:
                progress(batch.device)

    with ThreadPoolExecutor(_WRITERS) as pool:
        try:
            for device, files in groupby(rendered_files, attrgetter("device")):
                _check_name(device)
                futures.append(pool.submit(_write_device, new, device, list(files)))
                finish(_AHEAD)
            finish(0)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return WriteResult(
        tuple(batch.device for batch in batches),
        sum(batch.files for batch in batches),
        sum(batch.bytes for batch in batches),
        frozenset().union(*(batch.scripts for batch in batches)),
    )


_WRITERS = 2
_AHEAD = 32
"""Devices whose files are in memory and not yet written."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """The written files of one device."""

    device: str
    files: int
    bytes: int
    scripts: frozenset[str]


def _write_device(new: Path, device: str, files: Sequence[RenderedFile]) -> _Batch:
    made_folders = {str(new)}
    size = 0
    for file in files:
        path = f"{new}/{device}/{file.relative}"
        _make_folder(path.rpartition("/")[0], made_folders)
        size += _write_file(path, file.text, file.mode)
    scripts = frozenset(file.path for file in files if not file.path.startswith("/"))
    return _Batch(device, len(files), size, scripts)


def _check_name(device: str) -> None:
    """Refuse a device name that is not one path component. Plans may have other origins than cluster files."""
    if "/" in device or device in ("", ".", "..", MANIFEST) or device.startswith("ansible-") or "\0" in device:
        raise refuse("render", f"the device name {device!r}", "a name that is valid for a folder")


def _make_folder(folder: str, made_folders: set[str]) -> None:
    """Make a folder and its parents. ``made_folders`` saves system calls."""
    if folder not in made_folders:
        _make_folder(folder.rpartition("/")[0], made_folders)
        os.mkdir(folder)  # noqa: PTH102 - tens of thousands of them
        made_folders.add(folder)


def _write_file(path: str | Path, text: str, mode: int) -> int:
    data = text.encode()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        os.fchmod(descriptor, mode)  # independent of the umask
        remaining = memoryview(data)
        while remaining:
            remaining = remaining[os.write(descriptor, remaining) :]
    finally:
        os.close(descriptor)
    return len(data)


def _replace_folders(new: Path, folder: Path, devices: Iterable[str], extras: Iterable[str]) -> None:
    """Replace each device's folder by renaming, after every step that needs disk space."""
    old = new / ".old"
    old.mkdir()
    for device in devices:
        target = folder / device
        if target.exists():
            target.rename(old / device)
        (new / device).rename(target)
    for name in (*extras, MANIFEST):
        (new / name).replace(folder / name)
