"""IP addressing and routing of a host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from wirespeed.settings.model import Compare, Setting


@dataclass(frozen=True, slots=True)
class Rule:
    """A routing policy rule. Its name is its selector, ``from 10.1.0.1/32``."""

    kind: ClassVar[str] = "rule"

    table: Annotated[int | None, Setting("routing table of the rule; 254 is main")] = None
    priority: Annotated[int | None, Setting("position among rules, lowest first")] = None


@dataclass(frozen=True, slots=True)
class Route:
    """A route. Its name is table and destination, ``101 10.1.0.0/24`` (``default`` for 0.0.0.0/0).

    Of several routes to one destination, all but the one with the lowest metric also have the metric in their name:
    ``254 10.1.0.0/24 metric 2002``. A route that does not forward has its type in its name: ``101 default blackhole``.
    """

    kind: ClassVar[str] = "route"

    device: Annotated[str | None, Setting("outgoing interface of the route")] = None
    gateway: Annotated[str | None, Setting("next hop; empty if directly connected")] = None
    source: Annotated[str | None, Setting("preferred source address")] = None
    metric: Annotated[int | None, Setting("position among routes to one destination, lowest first")] = None
    type: Annotated[
        str | None,
        Setting(
            "type of a route that does not forward: blackhole, unreachable, prohibit, throw",
            compare=Compare.NONE,
            observed=True,
        ),
    ] = None


def split_route_name(name: str) -> tuple[str, str]:
    """Table and destination in the name of a route."""
    table, _, destination = name.partition(" ")
    return table, destination.partition(" ")[0]


@dataclass(frozen=True, slots=True)
class Gid:
    """One row of an RDMA device's GID table. Its name is the index."""

    kind: ClassVar[str] = "gid"

    address: Annotated[str | None, Setting("IP address of the GID", observed=True)] = None
    type: Annotated[str | None, Setting("RoCE v1 or RoCE v2", observed=True)] = None


@dataclass(frozen=True, slots=True)
class NeighbourEntry:
    """A row of the kernel's neighbour table (ARP, RFC 826; ND, RFC 4861). Its name is interface and address."""

    kind: ClassVar[str] = "neighbour"

    mac: Annotated[str | None, Setting("MAC address of the IP address", observed=True)] = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The device and port at the other end of a link, from LLDP."""

    device: Annotated[str | None, Setting("name of the device at the other end", observed=True)] = None
    port: Annotated[str | None, Setting("port at the other end", observed=True)] = None
