"""Reads a bundle: a directory or an archive."""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wirespeed.collect.manifest import NAME, Entry, Manifest, from_json
from wirespeed.errors import Problem, Refusal, refuse
from wirespeed.reach import LARGEST_OUTPUT

LARGEST_FILE = LARGEST_OUTPUT
LARGEST_BUNDLE = 2 * 2**30
LARGEST_HEADER = 2**16
MOST_FILES = 1_000_000
"""Limits of an unpacked archive: far above the size of a cluster of a thousand hosts, far below a disk."""

_DAMAGE = (
    *(tarfile.TarError, EOFError, zlib.error, OSError),
    *(ValueError, ArithmeticError, LookupError, RecursionError),  # of tarfile, on headers that contradict themselves
)
_GZIP_MAGIC = b"\x1f\x8b"
_PAX_TYPES = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle: its manifest, and the content of its files by name."""

    path: Path
    manifest: Manifest
    content: Mapping[str, bytes]

    def read_text(self, name: str) -> str:
        """A file as text. Bytes that are no UTF-8 become replacement characters."""
        return self.content[name].decode("utf-8", "replace")


def open_bundle(path: Path) -> Bundle:
    """Read a bundle. An archive is read into memory and never unpacked to disk.

    Raises:
        Refusal: the path is no bundle, a newer one, or an incomplete one; every missing file is listed.
        FileNotFoundError: the path does not exist.
    """
    if path.is_dir():
        manifest = _folder_manifest(path)
        return Bundle(path, manifest, _read_contents(path, manifest, _FolderReader(path).read))
    files = _unpack_archive(path)
    if NAME not in files:
        raise refuse(
            str(path), f"an archive without {NAME}", "a bundle", "give a bundle that `wirespeed collect` wrote"
        )
    manifest = from_json(_manifest_text(files[NAME], f"{path}: {NAME}"), f"{path}: {NAME}")
    return Bundle(path, manifest, _read_contents(path, manifest, files.get))


def _folder_manifest(path: Path) -> Manifest:
    file = path / NAME
    if not file.is_file() or file.is_symlink():
        raise refuse(str(path), f"a folder without {NAME}", "a bundle", "give a bundle that `wirespeed collect` wrote")
    content = file.read_bytes()
    return from_json(_manifest_text(content, str(file)), str(file))


def _manifest_text(content: bytes, location: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise refuse(location, "bytes that are not UTF-8", "a whole manifest") from error


def _read_contents(path: Path, manifest: Manifest, read: Callable[[str], bytes | None]) -> Mapping[str, bytes]:
    content: dict[str, bytes] = {}
    problems: list[Problem] = []
    for device in manifest.devices:
        missing_files: list[tuple[str, Entry]] = []
        for entry in device.outputs:
            for name in filter(None, (entry.file, entry.errors)):
                data = read(name)
                if data is None:
                    missing_files.append((name, entry))
                else:
                    content[name] = data
        if missing_files:
            problems.append(_list_missing_files(path, device.name, missing_files))
    if problems:
        raise Refusal(problems)
    return content


def _list_missing_files(path: Path, device: str, missing_files: Sequence[tuple[str, Entry]]) -> Problem:
    """One problem for all missing files of a device."""
    name, entry = missing_files[0]
    remainder = f" and {len(missing_files) - 1:,} more of {device}" if len(missing_files) > 1 else ""
    expected_output = f"the output of {entry.run!r}" if not remainder else "the output of every command in the manifest"
    return Problem(f"{path}: {NAME}", f"no file {name}{remainder}", expected_output, f"collect {device} again")


class _FolderReader:
    """Reads the files of one folder."""

    def __init__(self, folder: Path) -> None:
        self._root = folder.resolve()
        self._is_inside: dict[Path, bool] = {}  # by folder: resolving each of its files anew would double the time

    def read(self, name: str) -> bytes | None:
        """A file of the folder. None if it does not exist, or is a link to the outside."""
        path = self._root / name
        try:
            if not self._contains(path) or not path.is_file():
                return None
        except (OSError, RuntimeError):  # a name that is too long, or circular links
            return None
        return path.read_bytes()

    def _contains(self, path: Path) -> bool:
        if path.is_symlink():
            return path.resolve().is_relative_to(self._root)
        if path.parent not in self._is_inside:
            self._is_inside[path.parent] = path.parent.resolve().is_relative_to(self._root)
        return self._is_inside[path.parent]


class _Member(tarfile.TarInfo):
    """A member with a limited header size: ``tarfile`` reads headers of long names into memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Member:
        member = super().frombuf(buf, encoding, errors)
        is_extension = member.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, *_PAX_TYPES)
        if not 0 <= member.size <= (LARGEST_HEADER if is_extension else LARGEST_BUNDLE):
            raise tarfile.ReadError(f"a header announces {member.size} bytes")
        return member


def _require_gzip(path: Path) -> None:
    """Raise a refusal of a file that is not compressed with gzip, such as a cluster file."""
    with path.open("rb") as file:
        start = file.read(len(_GZIP_MAGIC))
    if start != _GZIP_MAGIC:
        description = "an empty file" if not start else "a file that is not compressed with gzip"
        raise refuse(str(path), description, "a bundle (.tar.gz or folder)", "`wirespeed collect` writes a bundle")


def _unpack_archive(path: Path) -> dict[str, bytes]:
    """The files of an archive by name. Links, devices and names outside the archive are refused."""
    files: dict[str, bytes] = {}
    total = 0
    try:
        _require_gzip(path)
        with (
            gzip.open(path, "rb") as compressed,
            tarfile.open(fileobj=compressed, mode="r:", tarinfo=_Member) as archive,
        ):
            for number, member in enumerate(archive):
                name = _member_name(path, member)
                total += member.size
                if not 0 <= member.size <= LARGEST_FILE or total > LARGEST_BUNDLE or number >= MOST_FILES:
                    limits = f"at most {LARGEST_FILE} bytes a file, {LARGEST_BUNDLE} and {MOST_FILES} files in all"
                    raise refuse(f"{path}: {member.name!r}", f"{member.size} bytes, {total} so far", limits)
                if name is None:
                    continue
                stream = archive.extractfile(member)
                assert stream is not None  # a regular file has content
                files[name] = stream.read()
                if len(files[name]) != member.size:
                    raise EOFError("a file in it ends early")
            _read_to_end(compressed)
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        hint = "it is truncated or not a bundle; copy it again"
        raise refuse(str(path), f"an archive that cannot be read: {error}", "a bundle (.tar.gz)", hint) from error
    return files


def _read_to_end(stream: gzip.GzipFile) -> None:
    """Read to the checksum at the end, to detect a cut in the padding."""
    remaining = LARGEST_BUNDLE
    while remaining > 0 and (chunk := stream.read(2**20)):
        remaining -= len(chunk)


def _member_name(path: Path, member: tarfile.TarInfo) -> str | None:
    """The name of a file in the bundle; None for a folder."""
    pure = PurePosixPath(member.name)
    if pure.is_absolute() or ".." in pure.parts:
        raise refuse(f"{path}: {member.name!r}", "a name outside the archive", "names within the bundle")
    if member.isdir():
        return None
    if not member.isfile() or member.issparse():
        kind = "a sparse file" if member.issparse() else "a link or device"
        raise refuse(f"{path}: {member.name!r}", kind, "plain files only")
    return str(pure)
