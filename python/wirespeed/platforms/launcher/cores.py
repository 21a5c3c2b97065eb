"""CPU cores as launchers write them: ranges, lists of ranges by rank, masks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wirespeed.settings import Cores

_RANGES = re.compile(r"[0-9]{1,5}(?:-[0-9]{1,5})?(?:,[0-9]{1,5}(?:-[0-9]{1,5})?)*")


def format_ranges(cores: Sequence[int]) -> str:
    """``0-3,8`` of the cores of a rank."""
    runs: list[list[int]] = []
    for core in sorted(cores):
        if runs and core == runs[-1][-1] + 1:
            runs[-1].append(core)
        else:
            runs.append([core])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def read(text: str) -> tuple[int, ...] | None:
    """The cores of ``0-3,8``; None for other texts."""
    if _RANGES.fullmatch(text) is None:
        return None
    cores: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        cores += range(int(first), int(last or first) + 1)
    return tuple(cores) or None


def mapping(text: str) -> Cores | None:
    """The cores of every rank of ``0-3:4-7``."""
    ranks = [read(part) for part in text.split(":")]
    return tuple(rank for rank in ranks if rank) if all(ranks) else None


def mask(cores: Sequence[int]) -> str:
    """``0xf`` of the cores of a rank."""
    return hex(sum(1 << core for core in cores))


def parse_masks(text: str) -> Cores | None:
    """The cores of every rank of ``0xf,0xf0``."""
    if re.fullmatch(r"0x[0-9a-fA-F]{1,512}(?:,0x[0-9a-fA-F]{1,512})*", text) is None:
        return None
    masks = [int(part, 16) for part in text.split(",")]
    return (
        tuple(tuple(bit for bit in range(mask.bit_length()) if mask >> bit & 1) for mask in masks)
        if all(masks)
        else None
    )
