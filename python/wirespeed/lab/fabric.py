"""Switches of a lab: their cabled ports by the names they have in the lab, and their routes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv6Address, ip_interface, ip_network

from wirespeed.plan import Plan
from wirespeed.results.lab import LabEnd, LabLink
from wirespeed.settings import Switch


@dataclass(frozen=True, slots=True)
class Hop:
    """A next hop: the neighbour's end of a cable, and our own."""

    local: LabEnd
    neighbour: LabEnd


@dataclass(frozen=True, slots=True)
class Gateway:
    """A next hop as the kernel takes it."""

    address: str
    interface: str


def switch_of(plan: Plan, name: str, links: Iterable[LabLink]) -> Switch:
    """A switch with those of its ports that have a cable here, and their neighbours.

    What it announces is what it has: subnets of hosts that are left out are not in the lab.
    """
    planned = plan.switches[name]
    ends = [(link.end(name), link.opposite_end(name)) for link in links if name in (link.a.device, link.b.device)]
    ports = {mine.interface: planned.ports[mine.port] for mine, _ in ends}
    vlans = {number: vlan for number, vlan in planned.vlans.items() if int(number) in {p.vlan for p in ports.values()}}
    peers = {}
    for mine, other in ends:
        if other.device not in plan.switches:
            continue
        if mine.port in planned.peers:
            peers[mine.interface] = planned.peers[mine.port]
        for address in plan.switches[other.device].ports[other.port].addresses or ():
            key = str(ip_interface(address).ip)
            if key in planned.peers:
                peers[key] = planned.peers[key]
    switch = replace(planned, ports=ports, vlans=vlans, peers=peers)
    local_networks = subnets(switch) | {str(ip_network(address)) for address in planned.loopbacks or ()}
    announced = tuple(network for network in planned.bgp.networks or () if network in local_networks)
    return replace(switch, bgp=replace(planned.bgp, networks=announced))


def subnets(switch: Switch) -> set[str]:
    """Subnets that the switch is the gateway of."""
    addresses = [address for port in switch.ports.values() for address in port.addresses or ()]
    addresses += [address for vlan in switch.vlans.values() for address in vlan.addresses or ()]
    return {str(ip_interface(address).network) for address in addresses}


def host_subnets(switch: Switch, links: Sequence[LabLink], name: str, switches: Iterable[str]) -> set[str]:
    """Those of its subnets that hosts are in."""
    others = set(switches)
    uplinks = {
        link.end(name).interface
        for link in links
        if name in (link.a.device, link.b.device) and link.opposite_end(name).device in others
    }
    hosts = {interface: port for interface, port in switch.ports.items() if interface not in uplinks}
    return subnets(replace(switch, ports=hosts))


def next_hops(switches: Mapping[str, Switch], links: Sequence[LabLink], target: str) -> dict[str, tuple[Hop, ...]]:
    """The next hops of every other switch on the shortest paths to one switch."""
    between = [link for link in links if link.a.device in switches and link.b.device in switches]
    steps = {target: 0}
    waiting = deque([target])
    while waiting:
        device = waiting.popleft()
        for link in between:
            if (
                device in (link.a.device, link.b.device)
                and (neighbour := link.opposite_end(device).device) not in steps
            ):
                steps[neighbour] = steps[device] + 1
                waiting.append(neighbour)
    found: dict[str, list[Hop]] = {name: [] for name in steps if name != target}
    for link in between:
        for local, other in ((link.a, link.b), (link.b, link.a)):
            if local.device in found and steps[other.device] == steps[local.device] - 1:
                found[local.device].append(Hop(local, other))
    return {name: tuple(hops) for name, hops in found.items()}


def expected_routes(switches: Mapping[str, Switch], links: Sequence[LabLink]) -> dict[str, dict[str, tuple[Hop, ...]]]:
    """Per switch that speaks BGP: the next hops of each subnet of other switches' hosts."""
    speaking = {name: switch for name, switch in switches.items() if switch.bgp.asn is not None}
    found: dict[str, dict[str, tuple[Hop, ...]]] = {name: {} for name in speaking}
    for target, switch in speaking.items():
        networks = host_subnets(switch, links, target, switches)
        if not networks:
            continue
        for name, hops in next_hops(speaking, links, target).items():
            maximum = speaking[name].bgp.maximum_paths
            found[name] |= dict.fromkeys(sorted(networks), hops[:maximum])
    return found


def gateways(switches: Mapping[str, Switch], routes: Mapping[str, Sequence[Hop]]) -> dict[str, tuple[Gateway, ...]]:
    """Next hops by network: the neighbour's address on the cable, or its link-local one where it has no other."""
    return {
        network: tuple(Gateway(_address(switches, hop.neighbour, network), hop.local.interface) for hop in hops)
        for network, hops in routes.items()
    }


def _address(switches: Mapping[str, Switch], end: LabEnd, network: str) -> str:
    version = ip_network(network).version
    for address in switches[end.device].ports[end.interface].addresses or ():
        if ip_interface(address).version == version:
            return str(ip_interface(address).ip)
    return link_local(end.mac)


def link_local(mac: str) -> str:
    """The address that a kernel makes of a MAC address (RFC 4291, appendix A)."""
    parts = bytes.fromhex(mac.replace(":", ""))
    identifier = bytes((parts[0] ^ 2, *parts[1:3], 0xFF, 0xFE, *parts[3:]))
    return str(IPv6Address(b"\xfe\x80" + bytes(6) + identifier))
