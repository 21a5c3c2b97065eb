"""A kernel's image without its compression: images as the boot protocol lays them out, and what stays packed."""

from __future__ import annotations

import bz2
import lzma
import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.lab.rdma.kernel_image import unpack_image, unpack_kernel

_NOTE = struct.pack("<III", 4, 8, 18) + b"Xen\0" + struct.pack("<Q", 0x1000000)
KERNEL = b"\x7fELF" + bytes(3000) + _NOTE + random.Random(1).randbytes(5000)


def gzip(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    return packer.compress(data) + packer.flush()


def image(payload: bytes, sectors: int = 2, version: int = 0x020F, magic: bytes = b"HdrS") -> bytes:
    """A setup, what unpacks, and the payload with its length behind it."""
    setup = bytearray((1 + (sectors or 4)) * 512)
    setup[0x1F1] = sectors
    setup[0x202:0x206] = magic
    struct.pack_into("<H", setup, 0x206, version)
    struct.pack_into("<II", setup, 0x248, 777, len(payload) + 4)
    return bytes(setup) + b"\x90" * 777 + payload + struct.pack("<I", len(KERNEL)) + b"after"


@pytest.mark.parametrize("pack", [lzma.compress, gzip, bz2.compress])
@pytest.mark.parametrize("sectors", [0, 2, 27])  # 0 means 4
def test_the_kernel_of_an_image_is_what_was_packed(pack: Callable[[bytes], bytes], sectors: int) -> None:
    assert unpack_image(image(pack(KERNEL), sectors)) == KERNEL


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(KERNEL, id="a-kernel-that-is-no-image"),
        pytest.param(image(lzma.compress(KERNEL), magic=b"Hdr?"), id="no-header"),
        pytest.param(image(lzma.compress(KERNEL), version=0x0207), id="a-protocol-without-payload"),
        pytest.param(image(b"\x28\xb5\x2f\xfd" + KERNEL), id="unknown-compression"),
        pytest.param(image(lzma.compress(KERNEL)[:-1000]), id="cut-short"),
        pytest.param(image(lzma.compress(KERNEL)[:-1000] + bytes(1000)), id="damaged"),
        pytest.param(image(lzma.compress(b"MZ" + KERNEL[4:])), id="something-else-inside"),
        pytest.param(image(lzma.compress(KERNEL.replace(b"Xen\0", b"Xen1"))), id="without-an-entry"),
    ],
)
def test_what_is_not_understood_boots_as_it_is(odd: bytes, tmp_path: Path) -> None:
    assert unpack_image(odd) is None
    file = tmp_path / "vmlinuz"
    file.write_bytes(odd)
    assert unpack_kernel(file, tmp_path / "cache") == file


def test_a_kernel_image_is_cached_by_its_content(tmp_path: Path) -> None:
    cache, file = tmp_path / "new" / "cache", tmp_path / "vmlinuz"
    file.write_bytes(image(lzma.compress(KERNEL)))
    cached_image = unpack_kernel(file, cache)
    assert (cached_image.parent, cached_image.read_bytes()) == (cache, KERNEL)
    modification_time = cached_image.stat().st_mtime_ns
    assert unpack_kernel(file, cache) == cached_image
    assert cached_image.stat().st_mtime_ns == modification_time
    file.write_bytes(image(gzip(KERNEL)))
    assert len({cached_image, unpack_kernel(file, cache)}) == 2
    assert {path.name[:8] for path in cache.iterdir()} == {"vmlinux-"}


def test_a_cache_that_takes_nothing_is_no_hindrance(tmp_path: Path) -> None:
    file = tmp_path / "vmlinuz"
    file.write_bytes(image(lzma.compress(KERNEL)))
    (tmp_path / "cache").write_text("no folder")
    assert unpack_kernel(file, tmp_path / "cache") == file
