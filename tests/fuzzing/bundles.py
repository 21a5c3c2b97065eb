"""Bundles, changed anywhere: archives, and folders with files, links and devices of any name.

The first byte of an input chooses its form: an archive as it is, the content of a gzip file, or the description of a
folder (a manifest, a separator 0x1e, then names with their content).
"""

from __future__ import annotations

import gzip
import io
import os
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random

from fuzzing.target import Target
from fuzzing.text_mutation import mutate
from wirespeed.collect.bundle import Bundle, open_bundle
from wirespeed.collect.manifest import NAME, DeviceEntry, Entry, Manifest, to_json
from wirespeed.errors import Refusal

SECRET = b"not in the bundle"
PLAIN, PACKED, FOLDER = b"p", b"g", b"f"
SEPARATOR = b"\x1e"


def targets() -> list[Target]:
    """One target: the reader of bundles."""
    return [Target("bundle", check, seeds, _mutate, 20_480)]


def check(content: bytes) -> None:
    """A bundle is read, with the names of missing files, or refused with a location; no file outside it is opened."""
    mode, remainder = content[:1], content[1:]
    with _folder() as folder:
        (folder / "secret").write_bytes(SECRET)
        path = folder / "bundle"
        if mode == FOLDER:
            _make_folder(path, remainder)
        else:
            path.write_bytes(gzip.compress(remainder, 0) if mode == PACKED else remainder)
        with _record_opens() as opened:
            try:
                bundle = open_bundle(path)
            except Refusal as refusal:
                assert all(problem.location.startswith(str(path)) for problem in refusal.problems), refusal
            else:
                _check_bundle(bundle)
        outside = [name for name in opened if not Path(name).is_relative_to(path)]
        assert not outside, outside


def _check_bundle(bundle: Bundle) -> None:
    names = {
        name for device in bundle.manifest.devices for entry in device.outputs for name in (entry.file, entry.errors)
    }
    assert set(bundle.content) | set(bundle.missing_files) == names - {None}
    assert not set(bundle.content) & set(bundle.missing_files)
    assert SECRET not in bundle.content.values()


def _make_folder(path: Path, description: bytes) -> None:
    """Files of a folder; a name that begins with ``@`` is a symbolic link to what the content names, ``!`` a FIFO."""
    manifest, *files = description.split(SEPARATOR)
    path.mkdir()
    (path / NAME).write_bytes(manifest)
    for file in files[:8]:
        name, _, content = file.partition(b"\n")
        kind, name = (name[:1], name[1:]) if name[:1] in (b"@", b"!") else (b"", name)
        inner = os.path.normpath(os.fsdecode(path) + "/" + name.decode("utf-8", "replace"))
        if not inner.startswith(f"{path}/") or "\0" in inner:
            continue
        try:
            Path(inner).parent.mkdir(parents=True, exist_ok=True)
            if kind == b"@":
                Path(inner).unlink(missing_ok=True)
                Path(inner).symlink_to(content.decode("utf-8", "replace").replace("\0", "")[:200] or "x")
            elif kind == b"!":
                os.mkfifo(inner)
            elif Path(inner).parent.resolve().is_relative_to(path) and not (
                Path(inner).is_symlink() or Path(inner).is_fifo()  # the FIFO has no reader
            ):
                Path(inner).write_bytes(content)
        except OSError:
            continue


_armed: list[str] | None = None


@contextmanager
def _record_opens() -> Iterator[list[str]]:
    """The names of the files that are opened within."""
    global _armed
    _hook()
    _armed = names = []
    try:
        yield names
    finally:
        _armed = None


@cache
def _hook() -> None:
    def note(event: str, arguments: tuple[object, ...]) -> None:
        if _armed is not None and event == "open" and isinstance(arguments[0], str):
            _armed.append(arguments[0])

    sys.addaudithook(note)


@contextmanager
def _folder() -> Iterator[Path]:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder).resolve()


def _manifest(*files: str) -> bytes:
    entries = tuple(Entry(f"c{number}", "run it", "ok", file) for number, file in enumerate(files))
    device = DeviceEntry("leaf1", (("switch", "eos"),), entries)
    return to_json(Manifest("wirespeed 0.1.0", "small", (device,))).encode()


def _archive(format: int, *extra: tarfile.TarInfo) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:", format=format) as archive:
        for name, content in ((NAME, _manifest("leaf1/version.out")), ("leaf1/version.out", b"4.30")):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for member in extra:
            archive.addfile(member)
    return packed.getvalue()


def _link(kind: bytes, name: str, target: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


@cache
def _seeds() -> tuple[bytes, ...]:
    formats = (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)
    archives = [_archive(format) for format in formats]
    archives += [
        _archive(tarfile.PAX_FORMAT, _link(kind, name, target))
        for kind, name, target in (
            (tarfile.SYMTYPE, "leaf1/a", "../../secret"),
            (tarfile.LNKTYPE, "leaf1/b", "/etc/passwd"),
            (tarfile.CHRTYPE, "leaf1/c", ""),
            (tarfile.FIFOTYPE, "leaf1/d", ""),
            (tarfile.DIRTYPE, "leaf1", ""),
            (tarfile.REGTYPE, "../outside", ""),
            (tarfile.REGTYPE, "/absolute", ""),
            (tarfile.REGTYPE, "long/" * 60 + "é", ""),
        )
    ]
    manifest = _manifest("leaf1/version.out", "leaf1/a")
    folders = [
        [manifest, b"leaf1/version.out\n4.30", b"leaf1/a\n"],
        [manifest, b"leaf1/version.out\n4.30", b"@leaf1/a\n../../secret"],
        [manifest, b"@leaf1\n.."],
        [_manifest("secret"), b"@secret\n/proc/self/environ"],
        [_manifest("a"), b"!a\n"],
        [_manifest("a"), b"@a\na"],
        [_manifest("../secret")],
        [_manifest("a"), b"@manifest.json\n../secret"],
    ]
    return (
        *(PACKED + archive for archive in archives),
        *(PLAIN + gzip.compress(archive, mtime=0) for archive in archives[:1]),
        *(FOLDER + SEPARATOR.join(parts) for parts in folders),
    )


def seeds() -> list[bytes]:
    """Archives in every format with every kind of member, and folders with links in and out."""
    return list(_seeds())


def _mutate(content: bytes, random: Random) -> bytes:
    """Change the text of a folder; of an archive, fields of a header with its checksum made right."""
    mode, remainder = content[:1], content[1:]
    if mode != PACKED or random.random() < 0.2:
        return mode + mutate(remainder, random, _seeds())
    blocks = [remainder[index : index + 512] for index in range(0, len(remainder), 512)]
    headers = [index for index, block in enumerate(blocks) if block[257:262] == b"ustar"]
    if not headers:
        return mode + mutate(remainder, random, _seeds())
    index = random.choice(headers)
    start, size = random.choice(((0, 100), (100, 8), (124, 12), (136, 12), (156, 1), (157, 100), (257, 8), (345, 155)))
    value = random.choice(
        (
            b"\xff" * size,
            b"\x80" + bytes(size - 2) + b"\x01" if size > 1 else b"x",
            b"\xff" * (size - 2) + b"\xfe\x00",
            bytes(size),
            b"7" * (size - 1) + b"\0",
            random.choice((b"../", b"/", b"L", b"K", b"x", b"g", b"S", b"1", b"2", b"5")),
        )
    )
    block = bytearray(blocks[index])
    block[start : start + size] = value[:size].ljust(size, b"\0")
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    blocks[index] = bytes(block)
    if random.random() < 0.3:
        blocks.insert(random.randrange(len(blocks)), random.choice(blocks))
    return mode + b"".join(blocks)
