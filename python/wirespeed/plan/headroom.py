"""PFC headroom: bytes that still arrive after a switch port has asked its peer to stop."""

from __future__ import annotations

import math

from wirespeed.catalogue.model import CableModel
from wirespeed.plan.model import Computed
from wirespeed.units import Bandwidth, Length, Size

# The three constants are fitted to the pg_profile_lookup.ini of SONiC for 32 x 400G Tomahawk3 switches: all 12 entries
# from 40 to 400 Gb/s and 5 to 300 m within 3.1 %.
_FIXED_BYTES = 26_500  # frames in flight in both directions
_PACKING = 2.976  # memory taken by 64-byte packets in 254-byte cells: 254 / 84, less what larger ones save
_RESPONSE_S = 3.52e-6  # time a port takes to obey, both ends' pipelines included
NS_PER_M = 5.0
"""Signal delay in nanoseconds per metre of a cable of no known model: fibre, group index 1.468 (ITU-T G.652)."""
_SOURCE = (
    "fit to SONiC pg_profile_lookup.ini (Tomahawk3, 254-byte cells), within 3.1 %; IEEE 802.1Q annex N for the terms"
)


def headroom(speed: Bandwidth, length: Length, ns_per_m: float = NS_PER_M) -> Size:
    """Headroom of one lossless priority group, in bytes of switch memory.

    An estimate to compare buffers with: the headroom in effect is the platform's own, never copied from here.
    """
    seconds = _RESPONSE_S + 2 * ns_per_m * 1e-9 * length.metres
    return Size(math.ceil(_FIXED_BYTES + _PACKING * speed / 8 * seconds))


def computed(speed: Bandwidth, length: Length, cable: CableModel | None = None) -> Computed:
    """The headroom with its formula written out."""
    ns_per_m = cable.delay_ns_per_m.value if cable else NS_PER_M
    value = headroom(speed, length, ns_per_m)
    return Computed(
        name=f"headroom of a lossless priority group at {speed}, {length} of cable",
        value=f"{value} ({int(value)} B)",
        formula=(
            f"{_FIXED_BYTES} B + {_PACKING} x {speed} / 8 x "
            f"({_RESPONSE_S * 1e6:g} us + 2 x {ns_per_m:g} ns/m x {length})"
        ),
        source=_SOURCE,
    )
