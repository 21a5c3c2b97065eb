"""What a switch does across its ports: load balancing and the shared packet buffer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wirespeed.settings.model import Setting
from wirespeed.units import Duration, Size


@dataclass(frozen=True, slots=True)
class LoadBalancing:
    """How a flow chooses among equal paths."""

    mode: Annotated[str | None, Setting("static, flowlet, per-packet or assigned-flow")] = None
    flowlet_gap: Annotated[Duration | None, Setting("pause in a flow after which it may change its path", "ps")] = None
    flowlet_table: Annotated[int | None, Setting("flowlets that are tracked", "entries")] = None
    hash_fields: Annotated[
        frozenset[str] | None, Setting("header fields the hash takes, as the platform names them")
    ] = None


@dataclass(frozen=True, slots=True)
class Buffers:
    """How the packet buffer is divided. Its sizes belong to one platform and chip."""

    lossless: Annotated[bool | None, Setting("whether the platform's lossless buffer set is in use")] = None
    shared_headroom: Annotated[Size | None, Setting("headroom that lossless priority groups share", "bytes")] = None
    lossless_share: Annotated[int | None, Setting("ingress buffer for lossless traffic", "percent")] = None
    headroom_share: Annotated[int | None, Setting("ingress buffer for lossless headroom", "percent")] = None
    lossy_share: Annotated[int | None, Setting("ingress buffer for lossy traffic", "percent")] = None
    egress_lossless_share: Annotated[int | None, Setting("egress buffer for lossless traffic", "percent")] = None
    egress_lossy_share: Annotated[int | None, Setting("egress buffer for lossy traffic", "percent")] = None
    dedicated_ingress: Annotated[int | None, Setting("buffer set apart for each port on arrival", "percent")] = None
    dedicated_egress: Annotated[int | None, Setting("buffer set apart for each port on departure", "percent")] = None
    dynamic_threshold: Annotated[
        int | None, Setting("how much of the free buffer one lossless group may take, as the platform counts it")
    ] = None
