"""Routing between switches: the BGP speaker of a switch and its sessions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from wirespeed.settings.model import Compare, Setting


@dataclass(frozen=True, slots=True)
class Bgp:
    """The BGP speaker of a switch, one autonomous system per switch or tier (RFC 7938)."""

    asn: Annotated[int | None, Setting("autonomous system number of the switch")] = None
    router_id: Annotated[str | None, Setting("BGP identifier, the IPv4 loopback address")] = None
    maximum_paths: Annotated[
        int | None, Setting("equal paths of a route, at most (ECMP)", "paths", Compare.AT_LEAST)
    ] = None
    multipath_relax: Annotated[bool | None, Setting("equal-cost paths through different autonomous systems")] = None
    networks: Annotated[tuple[str, ...] | None, Setting("announced local prefixes", compare=Compare.CONTAINS)] = None


@dataclass(frozen=True, slots=True)
class BgpPeer:
    """A BGP session. Its name is the neighbour's address, or the port of an unnumbered session (RFC 8950, RFC 4861)."""

    kind: ClassVar[str] = "peer"

    asn: Annotated[int | None, Setting("autonomous system number of the neighbour")] = None
    description: Annotated[str | None, Setting("description of the neighbour", compare=Compare.NONE)] = None
    unnumbered: Annotated[
        bool | None, Setting("discovery of the neighbour by IPv6 router advertisements on the port")
    ] = None
    ipv4: Annotated[bool | None, Setting("exchange of IPv4 prefixes")] = None
    ipv6: Annotated[bool | None, Setting("exchange of IPv6 prefixes")] = None
    bfd: Annotated[bool | None, Setting("BFD for the session")] = None
    state: Annotated[str | None, Setting("state of the session; Established: it is up", observed=True)] = None
