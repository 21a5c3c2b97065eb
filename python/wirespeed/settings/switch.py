"""A switch and its ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from wirespeed.settings.address import Neighbour
from wirespeed.settings.fabric import Buffers, LoadBalancing
from wirespeed.settings.link import Link
from wirespeed.settings.model import Compare, Setting
from wirespeed.settings.qos import PortQos, Priority, Queue
from wirespeed.settings.routing import Bgp, BgpPeer
from wirespeed.units import Bandwidth, Duration, Length, Size


@dataclass(frozen=True, slots=True)
class Port:
    """A switch port. Its name is the long interface name."""

    kind: ClassVar[str] = "port"

    description: Annotated[str | None, Setting("description of the device at the other end", compare=Compare.NONE)] = (
        None
    )
    alias: Annotated[str | None, Setting("name by which the port announces itself in LLDP", compare=Compare.NONE)] = (
        None
    )
    link: Link = field(default_factory=Link)
    addresses: Annotated[tuple[str, ...] | None, Setting("IP addresses with prefix length of a routed port")] = None
    vlan: Annotated[int | None, Setting("VLAN of untagged frames of a switched port; 0: they are dropped")] = None
    tagged_vlans: Annotated[tuple[int, ...] | None, Setting("tagged VLANs of a trunk port")] = None
    unnumbered: Annotated[bool | None, Setting("routing by IPv6 link-local address only (RFC 8950)")] = None
    breakout: Annotated[int | None, Setting("breakout: number of ports per front-panel port")] = None
    cable_length: Annotated[
        Length | None, Setting("cable length for the headroom of the port", "mm", Compare.AT_LEAST)
    ] = None
    headroom: Annotated[
        Size | None,
        Setting(
            "smallest headroom of the lossless priority groups of the port", "bytes", Compare.AT_LEAST, observed=True
        ),
    ] = None
    headroom_speed: Annotated[
        Bandwidth | None,
        Setting("link speed for which the headroom of the port was computed", "b/s", observed=True),
    ] = None
    signal_monitoring: Annotated[
        str | None, Setting("whether the port monitors the received signal to report its loss: auto, on or off")
    ] = None
    qos: PortQos = field(default_factory=PortQos)
    queues: Mapping[str, Queue] = field(default_factory=dict)
    neighbour: Neighbour = field(default_factory=Neighbour)


@dataclass(frozen=True, slots=True)
class Vlan:
    """A VLAN with its routed interface. Its name is the VLAN number."""

    kind: ClassVar[str] = "vlan"

    addresses: Annotated[tuple[str, ...] | None, Setting("IP addresses with prefix length of the routed interface")] = (
        None
    )
    mtu: Annotated[int | None, Setting("largest IP packet of the routed interface", "bytes", Compare.AT_LEAST)] = None
    description: Annotated[str | None, Setting("description of the VLAN", compare=Compare.NONE)] = None


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch. Its name is its host name."""

    kind: ClassVar[str] = "switch"

    model: Annotated[str | None, Setting("catalogue model", compare=Compare.NONE)] = None
    os: Annotated[str | None, Setting("operating system", compare=Compare.NONE)] = None
    os_version: Annotated[
        str | None, Setting("release of the operating system", compare=Compare.OS_RELEASE, observed=True)
    ] = None
    chip: Annotated[str | None, Setting("chip family; it selects keywords on some systems", compare=Compare.NONE)] = (
        None
    )
    routing: Annotated[bool | None, Setting("IP routing")] = None
    lldp: Annotated[bool | None, Setting("LLDP")] = None
    pfc: Annotated[bool | None, Setting("PFC of the whole switch; off disables it on every port")] = None
    pfc_priorities: Annotated[
        frozenset[Priority] | None, Setting("priorities on which the hardware supports PFC", compare=Compare.NONE)
    ] = None
    pfc_receive_priorities: Annotated[
        frozenset[Priority] | None, Setting("priorities whose received pauses are obeyed", compare=Compare.NONE)
    ] = None
    watchdog_poll: Annotated[Duration | None, Setting("polling interval of the PFC watchdog", "ps")] = None
    ecn_counters: Annotated[
        bool | None, Setting("counters of marked packets (ECN), on a switch that enables them for all queues")
    ] = None
    ecn_counters_up: Annotated[
        bool | None,
        Setting("whether the hardware counts marked packets (ECN)", compare=Compare.NONE, observed=True),
    ] = None
    class_mtu: Annotated[
        int | None,
        Setting(
            "largest packet of every traffic class, which a switch limits besides its ports", "bytes", Compare.AT_LEAST
        ),
    ] = None
    loopbacks: Annotated[tuple[str, ...] | None, Setting("addresses of the switch itself, with prefix length")] = None
    load_balancing: LoadBalancing = field(default_factory=LoadBalancing)
    buffers: Buffers = field(default_factory=Buffers)
    bgp: Bgp = field(default_factory=Bgp)
    peers: Mapping[str, BgpPeer] = field(default_factory=dict)
    vlans: Mapping[str, Vlan] = field(default_factory=dict)
    ports: Mapping[str, Port] = field(default_factory=dict)
