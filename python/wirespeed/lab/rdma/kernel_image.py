"""The kernel's image without its compression, which an emulated processor takes longer to undo than to boot.

An image contains the compressed ELF file and its offset (Linux Documentation/arch/x86/boot.rst, setup_sects,
payload_offset and payload_length). The emulator starts that file itself where it has a PVH entry.
"""

from __future__ import annotations

import bz2
import hashlib
import lzma
import struct
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Protocol


class _Unpacks(Protocol):
    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, /) -> bytes: ...


_MAGIC = 0x202, b"HdrS"
_VERSION, _WITH_PAYLOAD = 0x206, 0x0208  # of the boot protocol
_SETUP_SECTORS, _SECTOR = 0x1F1, 512
_PAYLOAD = 0x248  # offset and length, from the end of the setup
_UNPACK: dict[bytes, Callable[[], _Unpacks]] = {  # by the first bytes
    b"\xfd7zXZ\0": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ),
    b"\x1f\x8b": lambda: zlib.decompressobj(zlib.MAX_WBITS | 16),
    b"BZh": bz2.BZ2Decompressor,
}
_ELF = b"\x7fELF"
# The note with the entry point of a kernel: XEN_ELFNOTE_PHYS32_ENTRY (Xen, public/elfnote.h; elf(5), Elf64_Nhdr).
_PVH = tuple(struct.pack("<III", 4, size, 18) + b"Xen\0" for size in (4, 8))


def unpack_kernel(image: Path, cache: Path) -> Path:
    """The kernel to boot: unpacked, kept in the cache by what it was made of; the image itself where that cannot be."""
    data = image.read_bytes()
    cached = cache / f"vmlinux-{hashlib.sha256(data).hexdigest()[:32]}"
    if cached.is_file():
        return cached
    kernel = unpack_image(data)
    if kernel is None:
        return image
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix="vmlinux.partial.") as folder:
            temporary = Path(folder) / "vmlinux"
            temporary.write_bytes(kernel)
            temporary.rename(cached)
    except OSError:  # a full disk: the packed image is slower, but works
        return image
    return cached


def unpack_image(image: bytes) -> bytes | None:
    """The ELF file of an image; None: not packed by a known method, or without a PVH entry point."""
    offset_of_magic, magic = _MAGIC
    if (
        image[offset_of_magic : offset_of_magic + len(magic)] != magic
        or struct.unpack_from("<H", image, _VERSION)[0] < _WITH_PAYLOAD
    ):
        return None
    offset, length = struct.unpack_from("<II", image, _PAYLOAD)
    start = (1 + (image[_SETUP_SECTORS] or 4)) * _SECTOR + offset  # 0 means 4
    payload = image[start : start + length]
    unpacks = next((command for first, command in _UNPACK.items() if payload.startswith(first)), None)
    if unpacks is None:
        return None
    decompressor = unpacks()
    try:
        kernel = decompressor.decompress(payload)  # its length follows the data
    except (lzma.LZMAError, zlib.error, OSError):
        return None
    whole = decompressor.eof and kernel.startswith(_ELF)
    return kernel if whole and any(note in kernel for note in _PVH) else None
