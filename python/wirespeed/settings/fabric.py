"""Switch-wide functions: load balancing and the shared packet buffer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wirespeed.settings.model import Setting
from wirespeed.units import Duration, Size


@dataclass(frozen=True, slots=True)
class LoadBalancing:
    """Selection among equal-cost paths."""

    mode: Annotated[str | None, Setting("static, flowlet, per-packet or assigned-flow")] = None
    flowlet_gap: Annotated[Duration | None, Setting("idle time of a flow after which it may change its path", "ps")] = (
        None
    )
    flowlet_table: Annotated[int | None, Setting("number of tracked flowlets", "entries")] = None
    hash_fields: Annotated[frozenset[str] | None, Setting("header fields of the hash, as the platform names them")] = (
        None
    )


@dataclass(frozen=True, slots=True)
class Buffers:
    """Division of the packet buffer. The sizes apply to one platform and chip."""

    lossless: Annotated[bool | None, Setting("lossless buffer set of the platform")] = None
    shared_headroom: Annotated[Size | None, Setting("headroom shared by lossless priority groups", "bytes")] = None
    lossless_share: Annotated[int | None, Setting("share of the ingress buffer for lossless traffic", "percent")] = None
    headroom_share: Annotated[int | None, Setting("share of the ingress buffer for lossless headroom", "percent")] = (
        None
    )
    lossy_share: Annotated[int | None, Setting("share of the ingress buffer for lossy traffic", "percent")] = None
    egress_lossless_share: Annotated[
        int | None, Setting("share of the egress buffer for lossless traffic", "percent")
    ] = None
    egress_lossy_share: Annotated[int | None, Setting("share of the egress buffer for lossy traffic", "percent")] = None
    dedicated_ingress: Annotated[int | None, Setting("dedicated ingress buffer per port", "percent")] = None
    dedicated_egress: Annotated[int | None, Setting("dedicated egress buffer per port", "percent")] = None
    dynamic_threshold: Annotated[
        int | None, Setting("alpha of the lossless priority groups, as the platform counts it")
    ] = None
