"""FRRouting's configuration. Source: its user guide, chapters BGP, and IPv6 support for router advertisements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_network

from wirespeed.settings import BgpPeer, Switch

_FAMILIES = {4: "ipv4", 6: "ipv6"}
_RETRY_S = 1  # all daemons of a lab start together; most first attempts fail, and the next is 10 s later
_ADVERTISE_S = 1  # as little between two router advertisements: a neighbour is found by the first that it receives


def configuration(name: str, switch: Switch) -> Mapping[str, str]:
    """The daemons that the switch needs, each with the file that it reads, in the order they start in."""
    if switch.bgp.asn is None or not switch.peers:
        return {}
    has_watchdog = {"bfdd": ""} if any(peer.bfd for peer in switch.peers.values()) else {}
    zebra = [line for key, peer in switch.peers.items() if peer.unnumbered for line in _advertisement_lines(key)]
    return {"zebra": _format_text(zebra), **has_watchdog, "bgpd": _format_text(_format_lines(name, switch))}


def _format_text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _advertisement_lines(interface: str) -> Iterator[str]:
    yield f"interface {interface}"
    yield f" ipv6 nd ra-interval {_ADVERTISE_S}"
    yield "exit"


def _format_lines(name: str, switch: Switch) -> Iterator[str]:
    bgp = switch.bgp
    yield "frr defaults datacenter"
    yield f"hostname {name}"
    yield f"router bgp {bgp.asn}"
    if bgp.router_id is not None:
        yield f" bgp router-id {bgp.router_id}"
    if bgp.multipath_relax:
        yield " bgp bestpath as-path multipath-relax"
    yield " no bgp default ipv4-unicast"
    for key, peer in switch.peers.items():
        yield from _format_peer(key, peer)
    for version, family in _FAMILIES.items():
        exchanging_keys = [key for key, peer in switch.peers.items() if (peer.ipv4 if version == 4 else peer.ipv6)]
        if exchanging_keys:
            yield " !"
            yield f" address-family {family} unicast"
            yield from (f"  network {network}" for network in _format_networks(switch.bgp.networks, version))
            yield from (f"  neighbor {key} activate" for key in exchanging_keys)
            if bgp.maximum_paths is not None:
                yield f"  maximum-paths {bgp.maximum_paths}"
            yield " exit-address-family"
    yield " !"
    yield from (f" no neighbor {key} shutdown" for key in switch.peers)


def _format_peer(key: str, peer: BgpPeer) -> Iterator[str]:
    yield f" neighbor {key} {'interface ' if peer.unnumbered else ''}remote-as {peer.asn}"
    # Until its address families are read: a session opened before would exchange IPv4 alone, and stay so.
    yield f" neighbor {key} shutdown"
    if peer.description is not None:
        yield f" neighbor {key} description {peer.description}"
    if peer.bfd:
        yield f" neighbor {key} bfd"
    yield f" neighbor {key} timers connect {_RETRY_S}"


def _format_networks(networks: tuple[str, ...] | None, version: int) -> Iterator[str]:
    yield from (network for network in networks or () if ip_network(network).version == version)
