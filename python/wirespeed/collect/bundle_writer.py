"""Writing a bundle: outputs as they arrive, the manifest at the end."""

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
from wirespeed.errors import refuse

_UNSAFE = re.compile(r"[^A-Za-z0-9._+@:,=-]")


class Writer:
    """A bundle being written, as a directory or, if its name ends in ``.tar.gz``, an archive.

    Outputs are written at once into a hidden folder beside it. Leaving the context renames it;
    an exception or Ctrl-C does so too, with the outputs so far, and its manifest marks it as incomplete.
    An existing bundle is replaced; anything else is not touched.

    Raises:
        Refusal: the output path holds something else than a bundle.
    """

    def __init__(self, out: Path, cluster: str | None = None) -> None:
        self._out = out
        self._cluster = cluster
        self._devices: dict[str, tuple[tuple[tuple[str, str], ...], list[tuple[int, Entry]]]] = {}
        self._folder = Path()

    def __enter__(self) -> Self:
        _check_free(self._out)
        self._out.parent.mkdir(parents=True, exist_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix=f".{self._out.name}.", dir=self._out.parent))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._finish(complete=kind is None)
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def device(self, name: str, platforms: tuple[tuple[str, str], ...]) -> None:
        """Begin a device, or replace its platforms."""
        _, entries = self._devices.get(name, ((), []))
        self._devices[name] = (platforms, entries)

    def output(self, device: str, entry: Entry, stdout: bytes | None, stderr: bytes = b"", order: int = 0) -> None:
        """Write one command's output. The manifest lists a device's commands by ``order``."""
        stem = f"{_UNSAFE.sub('_', device)}/{_UNSAFE.sub('_', entry.command)}"
        file = None if stdout is None else self._write(f"{stem}.out", stdout)
        errors = self._write(f"{stem}.err", stderr) if stderr else None
        kept = dataclasses.replace(entry, file=file, errors=errors)
        self._devices[device][1].append((order, kept))

    def _write(self, name: str, content: bytes) -> str:
        path = self._folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return name

    def _finish(self, complete: bool) -> None:
        devices = tuple(
            DeviceEntry(name, platforms, tuple(entry for _, entry in sorted(entries, key=lambda pair: pair[0])))
            for name, (platforms, entries) in self._devices.items()
        )
        manifest = Manifest(f"wirespeed {__version__}", self._cluster, devices, complete)
        (self._folder / NAME).write_text(to_json(manifest), encoding="utf-8")
        if _is_archive(self._out):
            _pack(self._folder, self._out)
            return
        if self._out.exists():
            shutil.rmtree(self._out)
        self._folder.chmod(0o755)
        self._folder.rename(self._out)


def _is_archive(path: Path) -> bool:
    return path.name.endswith((".tar.gz", ".tgz"))


def _check_free(out: Path) -> None:
    if not out.exists() and not out.is_symlink():
        return
    hint = "give another path with --output"
    if _is_archive(out):
        if out.is_file() and not out.is_symlink():
            return
        raise refuse(str(out), "something that is not a file", "a path that is free, or an older bundle", hint)
    if out.is_symlink() or not out.is_dir() or (any(out.iterdir()) and not _is_bundle(out)):
        raise refuse(str(out), "something that is not a bundle", "a path that is free, or an older bundle", hint)


def _is_bundle(folder: Path) -> bool:
    try:
        document = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and document.get("kind") == KIND


def _pack(folder: Path, out: Path) -> None:
    """An archive whose bytes depend on the content only."""
    beside = folder.with_name(f"{folder.name}.tar.gz")
    with (
        beside.open("wb") as raw,
        gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            content = path.read_bytes()
            info = tarfile.TarInfo(str(path.relative_to(folder)))
            info.size, info.mode, info.mtime = len(content), 0o644, 0
            archive.addfile(info, io.BytesIO(content))
    beside.replace(out)
