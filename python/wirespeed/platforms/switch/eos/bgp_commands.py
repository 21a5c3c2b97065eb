"""One change of a BGP setting as EOS commands."""

from __future__ import annotations

from typing import Any

from wirespeed.platforms.switch.eos.bgp_view import select_group
from wirespeed.settings import BgpPeer, Switch

PEER_CONSEQUENCES = {
    "switch.bgp.asn": "every BGP session ends; the rest of router bgp must be configured again",
    "switch.bgp.router_id": "every BGP session is reset",
    "peer.asn": "the session is reset",
    "peer.unnumbered": "the session is reset",
    "peer.ipv4": "the session is reset",
    "peer.ipv6": "the session is reset",
}


def speaker_lines(path: str, value: Any, switch: Switch) -> list[str] | None:
    """The command of a setting of the speaker. None for other settings."""
    block = [f"router bgp {switch.bgp.asn}"]
    match path:
        case "switch.bgp.asn":
            return ["no router bgp", f"router bgp {value}"]
        case "switch.bgp.router_id":
            return [*block, f"router-id {value}"]
        case "switch.bgp.maximum_paths":
            return [*block, f"maximum-paths {value}"]
        case "switch.bgp.multipath_relax":
            return [*block, f"{'' if value else 'no '}bgp bestpath as-path multipath-relax"]
        case "switch.bgp.networks":
            families = {
                "ipv4": [network for network in value if ":" not in network],
                "ipv6": [network for network in value if ":" in network],
            }
            return [
                *block,
                *(
                    line
                    for family, networks in families.items()
                    if networks
                    for line in (f"address-family {family}", *(f"network {network}" for network in networks), "exit")
                ),
            ]
    return None


def peer_lines(name: str, path: str, value: Any, switch: Switch) -> list[str] | None:
    """A setting of a session. An unnumbered one has most of its settings in its peer group."""
    peer = switch.peers.get(name, BgpPeer())
    block = [f"router bgp {switch.bgp.asn}"]
    group = select_group(switch, peer)
    configured_name = group if peer.unnumbered else name
    prefix = "" if value else "no "
    match path:
        case "peer.asn" | "peer.unnumbered" if peer.unnumbered:
            return [
                *block,
                f"neighbor {group} peer group",
                f"neighbor interface {name} peer-group {group} remote-as {peer.asn}",
            ]
        case "peer.asn":
            return [*block, f"neighbor {name} remote-as {value}"]
        case "peer.description" if not peer.unnumbered:
            return [*block, f"neighbor {name} description {value}"]
        case "peer.bfd":
            return [*block, f"{prefix}neighbor {configured_name} bfd"]
        case "peer.ipv4" | "peer.ipv6":
            activate = [f"{prefix}neighbor {configured_name} activate"]
            if path == "peer.ipv4" and value and peer.unnumbered:
                activate.append(f"neighbor {group} next-hop address-family ipv6 originate")
            return [*block, f"address-family {path.rpartition('.')[2]}", *activate]
    return None
