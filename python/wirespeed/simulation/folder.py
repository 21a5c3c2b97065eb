"""The folder of one run's results: a Parquet file per table, the captures, and ``summary.json``, written last.

Files are written into a hidden subfolder and moved when all are complete, so that neither a full disk nor Ctrl-C leaves
a partial file. The folder may be a mount point.
"""

from __future__ import annotations

import errno
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from wirespeed.errors import refuse
from wirespeed.results.simulation import KIND, to_json
from wirespeed.simulation.result_folder import SUMMARY

if TYPE_CHECKING:
    import pyarrow as pa

    from wirespeed.simulation.run import Result


class Folder:
    """The folder of one run's results."""

    def __init__(self, path: Path, new: Path) -> None:
        self._path = path
        self._new = new
        self._files: list[str] = []

    def create(self, name: str) -> BinaryIO:
        """Create a file to fill before `write`; the caller closes it."""
        self._files.append(name)
        return (self._new / name).open("xb")

    def write(self, result: Result) -> None:
        """Write the tables and the summary, and show all files.

        Raises:
            OSError: the disk is full; the earlier content of the folder is unchanged.
        """
        with _name_folder(self._path):
            for name, table in {**result.tables, **result.context}.items():
                with self.create(f"{name}.parquet") as file:
                    _write_parquet(table, file)
            text = to_json(result.summary, files=sorted(self._files))
            (self._new / SUMMARY).write_text(text, encoding="utf-8")
            self._move_files()

    def _move_files(self) -> None:
        """Move the files by renaming, which needs no disk space."""
        for stale in _earlier_files(self._path):
            (self._path / stale).unlink(missing_ok=True)
        (self._path / SUMMARY).unlink(missing_ok=True)
        for name in (*self._files, SUMMARY):
            (self._new / name).replace(self._path / name)


@contextmanager
def prepare(path: Path, *, force: bool = False) -> Iterator[Folder]:
    """Create the folder of a run's results before the run, so that write errors appear at once.

    Args:
        path: the folder; it is created if it does not exist.
        force: replace an earlier result; other files stay.

    Raises:
        Refusal: the folder is a file, or not empty.
        OSError: the folder is not writable.
    """
    if path.exists() and not path.is_dir():
        raise refuse(str(path), "a file", "a new or an empty folder")
    if not force and path.is_dir() and any(path.iterdir()):
        raise refuse(
            str(path),
            "a folder that is not empty",
            "a new or an empty folder",
            "--force replaces an earlier result and does not change other files",
        )
    is_new = not path.exists()
    path.mkdir(parents=True, exist_ok=True)
    with _name_folder(path):
        new = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=path))
    try:
        yield Folder(path, new)
    finally:
        shutil.rmtree(new, ignore_errors=True)
        if is_new and not any(path.iterdir()):
            path.rmdir()


def _write_parquet(table: pa.Table, file: BinaryIO) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, file, compression="zstd")


def _earlier_files(path: Path) -> list[str]:
    """The files of an earlier result."""
    try:
        document = json.loads((path / SUMMARY).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return []
    if not isinstance(document, dict) or document.get("kind") != KIND:
        return []
    return [name for name in document.get("files", ()) if isinstance(name, str) and name and Path(name).name == name]


@contextmanager
def _name_folder(path: Path) -> Iterator[None]:
    """Add the folder's name to write errors, which name no file or a hidden one."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror or errno.errorcode[error.errno], str(path)) from error
