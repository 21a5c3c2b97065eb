"""CPU cores of ranks as launchers write them: lists by rank, masks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wirespeed.platforms.core_lists import parse_core_list
from wirespeed.settings import Cores


def mapping(text: str) -> Cores | None:
    """The cores of every rank of ``0-3:4-7``. None if the list of a rank is malformed."""
    ranks = [parse_core_list(part) for part in text.split(":")]
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
