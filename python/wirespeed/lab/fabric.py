"""Switches of a lab: their cabled ports, by their names in the lab, and their routes."""

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
    """A next hop: the neighbour's end of a cable, and the local end."""

    local: LabEnd
    neighbour: LabEnd


@dataclass(frozen=True, slots=True)
class Gateway:
    """A next hop for the kernel."""

    address: str
    interface: str


def build_switch(plan: Plan, name: str, links: Iterable[LabLink]) -> Switch:
    """A switch with the ports that have a cable in the lab, and their neighbours.

    It announces its own subnets in the lab only, not those of omitted hosts.
    """
    planned_switch = plan.switches[name]
    ends = [(link.end(name), link.opposite_end(name)) for link in links if name in (link.a.device, link.b.device)]
    ports = {mine.interface: planned_switch.ports[mine.port] for mine, _ in ends}
    vlans = {
        number: vlan for number, vlan in planned_switch.vlans.items() if int(number) in {p.vlan for p in ports.values()}
    }
    peers = {}
    for mine, other_end in ends:
        if other_end.device not in plan.switches:
            continue
        if mine.port in planned_switch.peers:
            peers[mine.interface] = planned_switch.peers[mine.port]
        for address in plan.switches[other_end.device].ports[other_end.port].addresses or ():
            key = str(ip_interface(address).ip)
            if key in planned_switch.peers:
                peers[key] = planned_switch.peers[key]
    switch = replace(planned_switch, ports=ports, vlans=vlans, peers=peers)
    local_networks = subnets(switch) | {str(ip_network(address)) for address in planned_switch.loopbacks or ()}
    announced_networks = tuple(network for network in planned_switch.bgp.networks or () if network in local_networks)
    return replace(switch, bgp=replace(planned_switch.bgp, networks=announced_networks))


def subnets(switch: Switch) -> set[str]:
    """Subnets whose gateway is the switch."""
    addresses = [address for port in switch.ports.values() for address in port.addresses or ()]
    addresses += [address for vlan in switch.vlans.values() for address in vlan.addresses or ()]
    return {str(ip_interface(address).network) for address in addresses}


def host_subnets(switch: Switch, links: Sequence[LabLink], name: str, switches: Iterable[str]) -> set[str]:
    """Subnets of a switch with hosts."""
    switch_names = set(switches)
    uplinks = {
        link.end(name).interface
        for link in links
        if name in (link.a.device, link.b.device) and link.opposite_end(name).device in switch_names
    }
    hosts = {interface: port for interface, port in switch.ports.items() if interface not in uplinks}
    return subnets(replace(switch, ports=hosts))


def next_hops(switches: Mapping[str, Switch], links: Sequence[LabLink], target: str) -> dict[str, tuple[Hop, ...]]:
    """The next hops of every other switch on the shortest paths to one switch."""
    switch_links = [link for link in links if link.a.device in switches and link.b.device in switches]
    steps = {target: 0}
    queue = deque([target])
    while queue:
        device = queue.popleft()
        for link in switch_links:
            if (
                device in (link.a.device, link.b.device)
                and (neighbour := link.opposite_end(device).device) not in steps
            ):
                steps[neighbour] = steps[device] + 1
                queue.append(neighbour)
    hops_by_switch: dict[str, list[Hop]] = {name: [] for name in steps if name != target}
    for link in switch_links:
        for local, neighbour_end in ((link.a, link.b), (link.b, link.a)):
            if local.device in hops_by_switch and steps[neighbour_end.device] == steps[local.device] - 1:
                hops_by_switch[local.device].append(Hop(local, neighbour_end))
    return {name: tuple(hops) for name, hops in hops_by_switch.items()}


def list_expected_routes(
    switches: Mapping[str, Switch], links: Sequence[LabLink]
) -> dict[str, dict[str, tuple[Hop, ...]]]:
    """Per switch with BGP: the next hops of each subnet of other switches' hosts."""
    bgp_switches = {name: switch for name, switch in switches.items() if switch.bgp.asn is not None}
    routes: dict[str, dict[str, tuple[Hop, ...]]] = {name: {} for name in bgp_switches}
    for target, switch in bgp_switches.items():
        networks = host_subnets(switch, links, target, switches)
        if not networks:
            continue
        for name, hops in next_hops(bgp_switches, links, target).items():
            maximum = bgp_switches[name].bgp.maximum_paths
            routes[name] |= dict.fromkeys(sorted(networks), hops[:maximum])
    return routes


def gateways(switches: Mapping[str, Switch], routes: Mapping[str, Sequence[Hop]]) -> dict[str, tuple[Gateway, ...]]:
    """Next hops by network: the neighbour's address on the cable, else its link-local address."""
    return {
        network: tuple(Gateway(_find_address(switches, hop.neighbour, network), hop.local.interface) for hop in hops)
        for network, hops in routes.items()
    }


def _find_address(switches: Mapping[str, Switch], end: LabEnd, network: str) -> str:
    version = ip_network(network).version
    for address in switches[end.device].ports[end.interface].addresses or ():
        if ip_interface(address).version == version:
            return str(ip_interface(address).ip)
    return link_local(end.mac)


def link_local(mac: str) -> str:
    """The link-local address of a MAC address (RFC 4291, appendix A)."""
    parts = bytes.fromhex(mac.replace(":", ""))
    identifier = bytes((parts[0] ^ 2, *parts[1:3], 0xFF, 0xFE, *parts[3:]))
    return str(IPv6Address(b"\xfe\x80" + bytes(6) + identifier))
