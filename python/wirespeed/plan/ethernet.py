"""Ethernet interfaces of a host beside the fabric: single ones, and bonds with their ports."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from wirespeed.cluster import Cluster, HostSpec
from wirespeed.cluster.host import EthernetPart
from wirespeed.plan.problems import Problems
from wirespeed.plan.routing import MAIN_TABLE
from wirespeed.settings import Bond, Link, Nic, Resolver, Route

LARGEST_PACKET = 65535
"""Bytes: the total length of an IPv4 packet has 16 bits (RFC 791, 3.1)."""
_SMALLEST_MTU = 68  # bytes; every host forwards such packets whole (RFC 791, 3.2)


@dataclass(frozen=True, slots=True)
class Ethernet:
    """Interfaces, the default route and the name servers of the host."""

    nics: dict[str, Nic]
    routes: dict[str, Route]
    resolver: Resolver


def plan_ethernet(spec: HostSpec, fabric: Collection[str], problems: Problems) -> Ethernet:
    """The interfaces that the cluster file lists; ``fabric`` are those of the NICs."""
    nics: dict[str, Nic] = {}
    routes: dict[str, Route] = {}
    resolver = Resolver()
    for interface, part in spec.part.ethernet.items():
        path = (*spec.path, "ethernet", interface)
        nic = Nic(addresses=(str(part.address),), link=Link(speed=part.speed, up=True, mtu=part.mtu))
        if part.mtu is not None and not _SMALLEST_MTU <= part.mtu <= LARGEST_PACKET:
            expected = f"{_SMALLEST_MTU} to {LARGEST_PACKET}"
            problems.refuse((*path, "mtu"), f"an MTU of {part.mtu} bytes", expected)
        if part.bond is not None:
            nic = replace(nic, bond=Bond(part.bond.mode.value, part.bond.monitor))
            if not part.bond.interfaces:
                problems.refuse((*path, "bond", "interfaces"), "a bond without interfaces", "the ports of the bond")
        _add_nic(nics, interface, nic, fabric, path, problems)
        for port in part.bond.interfaces if part.bond else ():
            port_nic = Nic(controller=interface, link=Link(up=True))
            _add_nic(nics, port, port_nic, fabric, (*path, "bond", "interfaces"), problems)
            if port == spec.part.control_interface:
                expected = f"an interface with an address, such as {interface}"
                problems.refuse((*spec.path, "control_interface"), f"{port}, a port of {interface}", expected)
        if part.gateway is not None:
            _add_route(routes, interface, part, path, problems)
        if part.name_servers or part.search_domains:
            resolver = _plan_resolver(resolver, interface, part, path, problems)
    return Ethernet(nics, routes, resolver)


def check_addresses(cluster: Cluster, problems: Problems) -> None:
    """Refuse an address that two interfaces of ``ethernet`` have."""
    owners: dict[str, str] = {}
    for host, spec in cluster.hosts.items():
        for interface, part in spec.part.ethernet.items():
            address = str(part.address.ip)
            first = owners.setdefault(address, f"{host}:{interface}")
            if first != f"{host}:{interface}":
                path = (*spec.path, "ethernet", interface, "address")
                problems.refuse(path, f"{address} on {first} and {host}:{interface}", "each address once")


def _add_nic(
    nics: dict[str, Nic],
    interface: str,
    nic: Nic,
    fabric: Collection[str],
    path: tuple[str | int, ...],
    problems: Problems,
) -> None:
    if interface in fabric:
        problems.refuse(path, f"{interface}, a NIC of the fabric", "Ethernet ports outside the fabric")
    elif interface in nics:
        problems.refuse(path, f"the interface {interface} twice", "each interface once, alone or in one bond")
    nics[interface] = nic


def _add_route(
    routes: dict[str, Route], interface: str, part: EthernetPart, path: tuple[str | int, ...], problems: Problems
) -> None:
    gateway = part.gateway
    if gateway not in part.address.network:
        problems.refuse(
            (*path, "gateway"), f"the gateway {gateway} outside {part.address.network}", "a gateway in its subnet"
        )
    key = f"{MAIN_TABLE} {'default' if part.address.version == 4 else '::/0'}"
    if key in routes:
        problems.refuse((*path, "gateway"), f"a second default route, over {interface}", "one gateway for each host")
    routes[key] = Route(interface, str(gateway))


def _plan_resolver(
    earlier: Resolver, interface: str, part: EthernetPart, path: tuple[str | int, ...], problems: Problems
) -> Resolver:
    """The name servers of the host: programs do not see by which interface they were configured."""
    key = (*path, "name_servers" if part.name_servers else "search_domains")
    if earlier.interface is not None:
        problems.refuse(key, f"name servers of {earlier.interface} and {interface}", "one list for each host")
    for name, kind, values in (
        ("name_servers", "name server", part.name_servers),
        ("search_domains", "domain", [domain.lower() for domain in part.search_domains]),
    ):
        for index, value in enumerate(values):
            if value in values[:index]:
                problems.refuse((*path, name, index), f"the {kind} {value} twice", f"each {kind} once")
    if not part.name_servers:
        problems.refuse(key, f"search domains of {interface} without a name server", "name_servers beside them")
    return Resolver(
        interface, tuple(map(str, part.name_servers)) or None, tuple(map(str.lower, part.search_domains)) or None
    )
