"""Template values for Junos: forwarding classes, profiles, cages, and settings that Junos cannot configure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.platforms.switch.junos.classes import ClassOfService, class_of_service, dscp_bits, priority_bits
from wirespeed.platforms.switch.junos.commands import (
    DEFAULT_PHYSICAL_MTU,
    L2_HEADER,
    PATHS,
    family,
    format_fec,
    physical_mtu,
)
from wirespeed.platforms.switch.junos.problems import problems
from wirespeed.platforms.switch.policies import sort_ports
from wirespeed.settings import BgpPeer, Device, Port, Switch
from wirespeed.settings.fabric import Buffers
from wirespeed.units import Bandwidth

EXAMPLE_VERSION = "23.4R2.13-EVO"
"""Version in simulated output by default; the QFX5240 has the PFC watchdog from 23.4R2 on (Juniper)."""


@dataclass(frozen=True, slots=True)
class Cage:
    """A port of the front panel that is split, before its sub-ports."""

    name: str
    parts: int
    speed: Bandwidth | None


@dataclass(frozen=True, slots=True)
class PortSay:
    """An interface; with its cage if it is the first part of a split port."""

    name: str
    port: Port
    cage: Cage | None


@dataclass(frozen=True, slots=True)
class Group:
    """A BGP group: the sessions with one autonomous system."""

    name: str
    asn: int | None
    numbered: tuple[tuple[str, BgpPeer], ...]
    ports: tuple[str, ...]  # of unnumbered sessions
    ipv4: bool
    ipv6: bool
    bfd: bool


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Computed values for the templates; ``problems`` lists settings that Junos cannot express."""
    if not isinstance(device, Switch):
        raise TypeError("a switch platform renders a Switch")
    cos: ClassOfService = class_of_service(device)
    ports = _build_ports(device)
    paths = device.bgp.maximum_paths
    return {
        "problems": list(problems(name, device, cos)),
        "cos": cos,
        "ports": ports,
        "vlans": sorted(device.vlans.items(), key=lambda entry: int(entry[0])),
        "irb_mtu": max((vlan.mtu for vlan in device.vlans.values() if vlan.mtu is not None), default=None),
        "groups": _list_groups(device),
        "paths": None if paths is None or paths <= PATHS[0] else next((n for n in PATHS if n >= paths), PATHS[-1]),
        "advertised": [port_view.name for port_view in ports if port_view.port.unnumbered],
        "version": device.os_version or EXAMPLE_VERSION,
        "model": (device.model or "juniper-qfx5240-64od").removeprefix("juniper-"),
        "poll": None if device.watchdog_poll is None else device.watchdog_poll.milliseconds,
        "neighbours": [port_view for port_view in ports if port_view.port.neighbour.device is not None],
        "l2_header": L2_HEADER,
        "physical_mtu": physical_mtu,
        "format_fec": format_fec,
        "default_physical_mtu": DEFAULT_PHYSICAL_MTU,
        "dscp_bits": dscp_bits,
        "priority_bits": priority_bits,
        "bits": lambda dscps: [dscp_bits(dscp) for dscp in dscps],
        "of_family": lambda addresses, name: [address for address in addresses or () if family(address) == name],
        "members": lambda port: [f"vn{number}" for number in list_vlans(port)],
        "has_cos": bool(cos.classes) or device.buffers != Buffers(),
        "quoted": quote,
        "listed": format_list,
    }


def list_vlans(port: Port) -> list[int]:
    """The VLANs a switched port carries."""
    untagged_vlans = () if port.vlan is None else (port.vlan,)
    return sorted({*(port.tagged_vlans or ()), *untagged_vlans})


def quote(text: str) -> str:
    """A string as Junos prints it: in quotes where it has blanks or marks of the language."""
    return f'"{text}"' if set(text) & set(" ;{}[]#") else text


def format_list(values: list[str]) -> str:
    """One value bare, several in brackets."""
    return values[0] if len(values) == 1 else f"[ {' '.join(values)} ]"


def _build_ports(switch: Switch) -> list[PortSay]:
    rendered_names: set[str] = set()
    ports: list[PortSay] = []
    for name, port in sort_ports(switch.ports):
        cage_name, _, part = name.partition(":")
        cage = None
        if part and cage_name not in rendered_names and port.breakout is not None:
            rendered_names.add(cage_name)
            cage = Cage(cage_name, port.breakout, port.link.speed)
        ports.append(PortSay(name, port, cage))
    return ports


def _list_groups(switch: Switch) -> list[Group]:
    by_asn: dict[int | None, dict[str, BgpPeer]] = {}
    for name, peer in switch.peers.items():
        by_asn.setdefault(peer.asn, {})[name] = peer
    groups: list[Group] = []
    for asn in sorted(by_asn, key=lambda number: number or 0):
        peers = by_asn[asn]
        numbered_peers = tuple((name, peer) for name, peer in peers.items() if not peer.unnumbered)
        groups.append(
            Group(
                name=f"underlay-{asn}",
                asn=asn,
                numbered=numbered_peers,
                ports=tuple(name for name, peer in peers.items() if peer.unnumbered),
                ipv4=any(peer.ipv4 for peer in peers.values()),
                ipv6=any(peer.ipv6 for peer in peers.values()),
                bfd=any(peer.bfd for peer in peers.values()),
            )
        )
    return groups
