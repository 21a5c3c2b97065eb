"""Writes a bundle: the outputs as they arrive, the manifest at the end."""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
import re
import shutil
import tarfile
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from wirespeed import __version__
from wirespeed.collect.manifest import KIND, NAME, DeviceEntry, Entry, Manifest, to_json
from wirespeed.errors import refuse, refuse_output

_UNSAFE = re.compile(r"[^A-Za-z0-9._+@:,=-]")


class Writer:
    """A bundle being written, as a directory or, if its name ends in ``.tar.gz``, an archive.

    Outputs are written immediately into a hidden folder next to the target. Leaving the context renames the folder;
    after an exception or Ctrl-C the manifest marks the bundle as incomplete. An existing bundle is replaced; other
    files are not changed.

    Raises:
        Refusal: the output path contains something other than a bundle.
    """

    def __init__(self, target: Path, cluster: str | None = None) -> None:
        self._target = target
        self._cluster = cluster
        self._devices: dict[str, tuple[tuple[tuple[str, str], ...], list[tuple[int, Entry]]]] = {}
        self._folder = Path()

    def __enter__(self) -> Self:
        _check_free(self._target)
        with refuse_output(self._target):
            self._target.parent.mkdir(parents=True, exist_ok=True)
            self._folder = Path(tempfile.mkdtemp(prefix=f".{self._target.name}.", dir=self._target.parent))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._write_manifest(complete=kind is None)
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def add_device(self, name: str, platforms: tuple[tuple[str, str], ...]) -> None:
        """Begin a device, or replace its platforms."""
        _, entries = self._devices.get(name, ((), []))
        self._devices[name] = (platforms, entries)

    def write_output(
        self, device: str, entry: Entry, stdout: bytes | None, stderr: bytes = b"", order: int = 0
    ) -> None:
        """Write one command's output. The manifest lists a device's commands by ``order``."""
        stem = f"{_UNSAFE.sub('_', device)}/{_UNSAFE.sub('_', entry.command)}"
        file = None if stdout is None else self._write_file(f"{stem}.out", stdout)
        errors = self._write_file(f"{stem}.err", stderr) if stderr else None
        stored_entry = dataclasses.replace(entry, file=file, errors=errors)
        self._devices[device][1].append((order, stored_entry))

    def _write_file(self, name: str, content: bytes) -> str:
        path = self._folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return name

    def _write_manifest(self, complete: bool) -> None:
        devices = tuple(
            DeviceEntry(name, platforms, tuple(entry for _, entry in sorted(entries, key=lambda pair: pair[0])))
            for name, (platforms, entries) in self._devices.items()
        )
        manifest = Manifest(f"wirespeed {__version__}", self._cluster, devices, complete)
        (self._folder / NAME).write_text(to_json(manifest), encoding="utf-8")
        if _is_archive(self._target):
            _pack_archive(self._folder, self._target)
            return
        if self._target.exists():
            shutil.rmtree(self._target)
        self._folder.chmod(0o755)
        self._folder.rename(self._target)


def _is_archive(path: Path) -> bool:
    return path.name.endswith((".tar.gz", ".tgz"))


_OTHER_ARCHIVES = (".zip", ".7z", ".tar", ".tgz", ".gz", ".bz2", ".tbz", ".xz", ".txz", ".zst")


def _check_free(target: Path) -> None:
    if not _is_archive(target) and target.name.endswith(_OTHER_ARCHIVES):
        raise refuse(
            str(target), "the name of another kind of archive", "the name of a folder, or one that ends in .tar.gz"
        )
    if not target.exists() and not target.is_symlink():
        return
    hint = "give another path with --output"
    if _is_archive(target):
        if target.is_file() and not target.is_symlink():
            return
        raise refuse(str(target), "something that is not a file", "a path that is free, or an older bundle", hint)
    if target.is_symlink() or not target.is_dir() or (any(target.iterdir()) and not _is_bundle(target)):
        raise refuse(str(target), "something that is not a bundle", "a path that is free, or an older bundle", hint)


def _is_bundle(folder: Path) -> bool:
    try:
        document = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("kind") == KIND


def _pack_archive(folder: Path, target: Path) -> None:
    """Write an archive whose bytes depend on the content only."""
    temporary = folder.with_name(f"{folder.name}.tar.gz")
    with (
        temporary.open("wb") as raw,
        gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            content = path.read_bytes()
            info = tarfile.TarInfo(str(path.relative_to(folder)))
            info.size, info.mode, info.mtime = len(content), 0o644, 0
            archive.addfile(info, io.BytesIO(content))
    temporary.replace(target)
