"""Lists of CPU cores as the kernel and launchers write them: ``0-3,8``."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.number_ranges import format_ranges
from wirespeed.platforms.output_values import parse_whole

_CORES = 1 << 16  # more than a kernel has (NR_CPUS): a list with a higher core is malformed


def format_core_list(cores: Sequence[int]) -> str:
    """``0-3,8``, ascending."""
    return ",".join(format_ranges(cores))


def parse_core_list(text: str) -> tuple[int, ...] | None:
    """The cores of ``0-3,8``, ascending, each once. None if a part is malformed or a range is reversed."""
    cores: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        start, end = parse_whole(first), parse_whole(last if dash else first)
        if start is None or end is None or not start <= end < _CORES:
            return None
        cores.update(range(start, end + 1))
    return tuple(sorted(cores))
