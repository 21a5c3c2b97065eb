"""One end of an Ethernet link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wirespeed.settings.model import Compare, Setting
from wirespeed.units import Bandwidth

FASTEST_NEGOTIATED = Bandwidth.gbps(5)
"""Speed up to which a port is taken for one of twisted pairs. They may negotiate 10 and 100 Mb/s (IEEE 802.3 clause 28)
and must negotiate from 1 Gb/s on, which selects the master clock (clauses 40.5.1, 1000BASE-T, and 126.6, 2.5GBASE-T and
5GBASE-T). Ports of 10 Gb/s are mostly of fibre or twinaxial cable, which do not negotiate."""


@dataclass(frozen=True, slots=True)
class Link:
    """Settings and state of one link end."""

    speed: Annotated[Bandwidth | None, Setting("speed of the link", "b/s")] = None
    lanes: Annotated[int | None, Setting("electrical lanes of the port", "lanes")] = None
    enabled: Annotated[bool | None, Setting("administrative state of the port")] = None
    up: Annotated[bool | None, Setting("state of the link", observed=True)] = None
    mtu: Annotated[
        int | None,
        Setting("largest IP packet, without link-layer headers", "bytes", Compare.AT_LEAST),
    ] = None
    fec: Annotated[str | None, Setting("forward error correction: rs, fc or none")] = None
    autonegotiation: Annotated[bool | None, Setting("auto-negotiation of the speed")] = None
    training: Annotated[bool | None, Setting("link training; on for copper cables")] = None
    pause_receive: Annotated[bool | None, Setting("global pause (802.3x), receive direction; off with PFC")] = None
    pause_send: Annotated[bool | None, Setting("global pause (802.3x), send direction; off with PFC")] = None
