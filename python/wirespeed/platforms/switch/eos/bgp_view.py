"""Values for the BGP template: sessions that share a peer group, networks by family."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wirespeed.platforms.switch.eos.interfaces import format_interfaces
from wirespeed.platforms.switch.indented_config import natural
from wirespeed.settings import BgpPeer, Switch

GROUP = "FABRIC"


@dataclass(frozen=True, slots=True)
class Group:
    """Unnumbered sessions must have a peer group; those with equal settings share one."""

    name: str
    bfd: bool | None
    ipv4: bool | None
    ipv6: bool | None


@dataclass(frozen=True, slots=True)
class Ports:
    """Unnumbered sessions to one autonomous system in one group."""

    names: tuple[str, ...]
    listed: str  # as a running configuration prints them
    group: str
    asn: int | None


@dataclass(frozen=True, slots=True)
class Speaker:
    """``router bgp``."""

    families: bool  # whether every session names its address families, so that no default is relied on
    groups: tuple[Group, ...]
    numbered: tuple[tuple[str, BgpPeer], ...]
    ports: tuple[Ports, ...]
    networks4: tuple[str, ...]
    networks6: tuple[str, ...]

    def active(self, family: str) -> list[str]:
        """Neighbours and groups that exchange prefixes of a family."""
        return [name for name, is_active in self._list_families(family) if is_active]

    def inactive(self, family: str) -> list[str]:
        """Those that must not."""
        return [name for name, is_active in self._list_families(family) if is_active is False]

    def _list_families(self, family: str) -> list[tuple[str, bool | None]]:
        groups = [(group.name, group.ipv4 if family == "ipv4" else group.ipv6) for group in self.groups]
        return groups + [(name, peer.ipv4 if family == "ipv4" else peer.ipv6) for name, peer in self.numbered]

    @property
    def over_ipv6(self) -> list[str]:
        """Groups that carry IPv4 prefixes with an IPv6 next hop (RFC 8950)."""
        return [group.name for group in self.groups if group.ipv4]


def speaker(switch: Switch) -> Speaker:
    """The BGP of a switch."""
    names = group_names(switch.peers.values())
    numbered_peers = [(name, peer) for name, peer in switch.peers.items() if not peer.unnumbered]
    global_settings: dict[tuple[str, int | None], list[str]] = {}
    for name in sorted((name for name, peer in switch.peers.items() if peer.unnumbered), key=natural):
        peer = switch.peers[name]
        global_settings.setdefault((names[_group_key(peer)], peer.asn), []).append(name)
    networks = switch.bgp.networks or ()
    return Speaker(
        families=bool(switch.peers) and all(peer.ipv4 is not None for peer in switch.peers.values()),
        groups=tuple(Group(name, *group_key) for group_key, name in names.items()),
        numbered=tuple(sorted(numbered_peers, key=lambda entry: natural(entry[0]))),
        ports=tuple(
            Ports(tuple(ports), format_interfaces(ports), group, asn) for (group, asn), ports in global_settings.items()
        ),
        networks4=tuple(network for network in networks if ":" not in network),
        networks6=tuple(network for network in networks if ":" in network),
    )


def group_names(peers: Iterable[BgpPeer]) -> dict[tuple[bool | None, bool | None, bool | None], str]:
    """The peer groups of unnumbered sessions: what they share, and their names."""
    group_keys = dict.fromkeys(_group_key(peer) for peer in peers if peer.unnumbered)
    return {key: GROUP if index == 1 else f"{GROUP}-{index}" for index, key in enumerate(group_keys, start=1)}


def select_group(switch: Switch, peer: BgpPeer) -> str:
    """The peer group of an unnumbered session."""
    return group_names(switch.peers.values()).get(_group_key(peer), GROUP)


def _group_key(peer: BgpPeer) -> tuple[bool | None, bool | None, bool | None]:
    return peer.bfd, peer.ipv4, peer.ipv6
