"""An Ethernet link as one end of it sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wirespeed.settings.model import Compare, Setting
from wirespeed.units import Bandwidth


@dataclass(frozen=True, slots=True)
class Link:
    """Settings and state of one link end."""

    speed: Annotated[Bandwidth | None, Setting("speed of the link", "b/s")] = None
    lanes: Annotated[int | None, Setting("electrical lanes the port is made of", "lanes")] = None
    enabled: Annotated[bool | None, Setting("whether the port is switched on by configuration")] = None
    up: Annotated[bool | None, Setting("whether the link is up", observed=True)] = None
    mtu: Annotated[
        int | None,
        Setting("largest IP packet; a platform that counts headers is normalised", "bytes", Compare.AT_LEAST),
    ] = None
    fec: Annotated[str | None, Setting("forward error correction: rs, fc or none")] = None
    autonegotiation: Annotated[bool | None, Setting("whether speed is negotiated")] = None
    training: Annotated[bool | None, Setting("whether the ends train the link; on for copper cables")] = None
    pause_receive: Annotated[bool | None, Setting("whether global pause (802.3x) is obeyed; off with PFC")] = None
    pause_send: Annotated[bool | None, Setting("whether global pause (802.3x) is sent; off with PFC")] = None
