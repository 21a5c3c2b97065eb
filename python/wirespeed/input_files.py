"""Files that the user names: regular files and pipes of limited size.

A device such as /dev/zero has no end: reading it would fill the memory of the machine.
"""

from __future__ import annotations

import stat
from pathlib import Path
from typing import BinaryIO

from wirespeed.errors import refuse

LARGEST_INPUT = 2**30
"""Bytes: far above the logs and result files of a large cluster, below the memory of the hosts that read them."""

_CHUNK = 2**20


def require_file(path: Path, name: str | None = None) -> None:
    """Refuse what is neither a regular file nor a pipe. A folder is left to the reader, whose message names its kind.

    Raises:
        Refusal: the path is a device or a socket.
        OSError: it does not exist, or may not be read.
    """
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISDIR(mode)):
        kind = "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise refuse(name or str(path), kind, "a regular file or a pipe")


def read_input(path: Path, name: str | None = None, largest: int = LARGEST_INPUT) -> bytes:
    """The bytes of a file; ``name`` is that of messages.

    Raises:
        Refusal: the path is a device or a socket, or the file is larger than ``largest`` bytes.
        OSError: it does not exist, or cannot be read.
    """
    require_file(path, name)
    with path.open("rb") as file:
        return read_stream(file, name or str(path), largest)


def read_text_input(path: Path, name: str | None = None) -> str:
    """A file as text. Bytes that are no UTF-8 become replacement characters.

    Raises:
        Refusal: as `read_input`.
        OSError: it does not exist, or cannot be read.
    """
    return read_input(path, name).decode("utf-8", "replace")


def read_stream(stream: BinaryIO, name: str, largest: int = LARGEST_INPUT) -> bytes:
    """The bytes of an open file, such as standard input.

    Raises:
        Refusal: they are more than ``largest``.
    """
    content = bytearray()
    while chunk := stream.read(_CHUNK):
        content += chunk
        if len(content) > largest:
            raise refuse(name, f"more than {largest:,} bytes", f"at most {largest:,} bytes")
    return bytes(content)
