"""PFC headroom: bytes that still arrive after a switch port has asked its peer to stop."""

from __future__ import annotations

import math

from wirespeed.plan.model import Computed
from wirespeed.units import Bandwidth, Length, Size

# The three constants are fitted to the pg_profile_lookup.ini of SONiC for 32 x 400G Tomahawk3 switches: all 12 entries
# from 40 to 400 Gb/s and 5 to 300 m within 3.1 %.
_FIXED_BYTES = 26_500  # frames in flight in both directions
_PACKING = 2.976  # memory taken by 64-byte packets in 254-byte cells: 254 / 84, less what larger ones save
_RESPONSE_S = 3.52e-6  # time a port takes to obey, both ends' pipelines included
_DELAY_S_PER_M = 5.0e-9
_SOURCE = (
    "fit to SONiC pg_profile_lookup.ini (Tomahawk3, 254-byte cells), within 3.1 %; IEEE 802.1Q annex N for the terms"
)


def headroom(speed: Bandwidth, length: Length, delay_s_per_m: float = _DELAY_S_PER_M) -> Size:
    """Headroom of one lossless priority group, in bytes of switch memory.

    Only an estimate to compare buffers with: the headroom in effect is the platform's own and is never copied from here.
    """
    seconds = _RESPONSE_S + 2 * delay_s_per_m * length.metres
    return Size(math.ceil(_FIXED_BYTES + _PACKING * speed / 8 * seconds))


def computed(speed: Bandwidth, length: Length, delay_s_per_m: float = _DELAY_S_PER_M) -> Computed:
    """The headroom with its formula written out."""
    value = headroom(speed, length, delay_s_per_m)
    return Computed(
        name=f"headroom of a lossless priority group at {speed}, {length} of cable",
        value=f"{value} ({int(value)} B)",
        formula=(
            f"{_FIXED_BYTES} B + {_PACKING} x {speed} / 8 x "
            f"({_RESPONSE_S * 1e6:g} us + 2 x {delay_s_per_m * 1e9:g} ns/m x {length})"
        ),
        source=_SOURCE,
    )
