"""Reads a bundle: a directory or an archive."""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wirespeed.collect.manifest import NAME, Manifest, from_json
from wirespeed.errors import refuse
from wirespeed.input_files import require_file
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
    """A bundle: its manifest, and the content of its files by name.

    ``missing_files`` are in the manifest, but not in the bundle, or cannot be read.
    """

    path: Path
    manifest: Manifest
    content: Mapping[str, bytes]
    missing_files: tuple[str, ...] = ()

    def read_text(self, name: str) -> str:
        """A file as text. Bytes that are no UTF-8 become replacement characters."""
        return self.content[name].decode("utf-8", "replace")


def open_bundle(path: Path) -> Bundle:
    """Read a bundle. An archive is read into memory and never unpacked to disk.

    Raises:
        Refusal: the path is no bundle, a newer one, or one without any output.
        FileNotFoundError: the path does not exist.
    """
    if path.is_dir():
        manifest = _folder_manifest(path)
        return _read_bundle(path, manifest, _FolderReader(path).read)
    files = _unpack_archive(path)
    if NAME not in files:
        raise refuse(
            str(path), f"an archive without {NAME}", "a bundle", "give a bundle that `wirespeed collect` wrote"
        )
    manifest = from_json(_manifest_text(files[NAME], f"{path}: {NAME}"), f"{path}: {NAME}")
    return _read_bundle(path, manifest, files.get)


def _folder_manifest(path: Path) -> Manifest:
    file = path / NAME
    if file.is_symlink() or not file.is_file():  # a link may lead to a name that the system refuses
        raise refuse(str(path), f"a folder without {NAME}", "a bundle", "give a bundle that `wirespeed collect` wrote")
    content = file.read_bytes()
    return from_json(_manifest_text(content, str(file)), str(file))


def _manifest_text(content: bytes, location: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise refuse(location, "bytes that are not UTF-8", "a complete manifest") from error


def _read_bundle(path: Path, manifest: Manifest, read: Callable[[str], bytes | None]) -> Bundle:
    """The bundle with the files that can be read: one lost file leaves the outputs of all others."""
    entries = [entry for device in manifest.devices for entry in device.outputs]
    names = dict.fromkeys(name for entry in entries for name in (entry.file, entry.errors) if name is not None)
    content = {name: data for name in names if (data := read(name)) is not None}
    if names and not content:
        hint = "copy the whole bundle, or collect again"
        raise refuse(
            f"{path}: {NAME}", f"none of its {len(names):,} output files", "the output files of its commands", hint
        )
    return Bundle(path, manifest, content, tuple(name for name in names if name not in content))


class _FolderReader:
    """Reads the files of one folder."""

    def __init__(self, folder: Path) -> None:
        self._root = folder.resolve()
        self._is_inside: dict[Path, bool] = {}  # by folder: resolving each of its files anew would double the time

    def read(self, name: str) -> bytes | None:
        """A file of the folder. None if it does not exist, cannot be read, or is a link to the outside."""
        path = self._root / name
        try:
            return path.read_bytes() if self._contains(path) and path.is_file() else None
        except (OSError, RuntimeError):  # no permission, a name that is too long, or circular links
            return None

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
        if start and path.suffix in (".yaml", ".yml"):
            description = "a YAML file, such as a cluster file"
        raise refuse(str(path), description, "a bundle (.tar.gz or folder)", "`wirespeed collect` writes a bundle")


def _unpack_archive(path: Path) -> dict[str, bytes]:
    """The files of an archive by name. Links, devices and names outside the archive are refused."""
    files: dict[str, bytes] = {}
    total = 0
    require_file(path)
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
        hint = "copy it again, or collect again"
        raise refuse(str(path), _describe_damage(error), "a complete bundle (.tar.gz)", hint) from error
    return files


def _describe_damage(error: Exception) -> str:
    """What is wrong with the archive. The end of the file before the end of the archive is a cut."""
    return "a truncated archive" if isinstance(error, EOFError) else f"an archive that cannot be read: {error}"


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
