"""Source routing of a host: one table per NIC, so that a packet leaves by the NIC whose address it carries.

The table contains the default route through the leaf. If the subnet contains other hosts, it also contains the
connected route, so that traffic within a rail is switched and does not hairpin through the leaf's routed interface.
Rules have priorities, because the kernel numbers rules without one in order of arrival.

A packet without a source address matches no rule. Where every cable is a subnet, the main table has a route to all
NICs through each rail, by metric; without one such a packet leaves by the management interface. The first rail whose
link is up takes it, and a packet for a given interface (``traceroute -i``, SO_BINDTODEVICE) has a route there. Broadcom
957608-AN210, section 2.4.2, has a rule of each rail for this destination, in the same order; with routes, the more
specific ones of management networks precede.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from ipaddress import ip_address, ip_network

from wirespeed.plan.addresses import NicAddress
from wirespeed.plan.affinity import HostPort
from wirespeed.settings import Route, Rule

TABLE_BASE = 100  # Broadcom 957608-AN210, section 2.4: tables 101 to 108
MAIN_TABLE = 254  # the kernel's RT_TABLE_MAIN
PRIORITY_BASE = 1000  # behind the local table at 0 and before main at 32766
METRIC_BASE = 2000  # behind 1024, the metric of IPv6 routes without one (Linux, IP6_RT_PRIO_USER)


def build_rules(
    host_ports: Sequence[HostPort], addresses: Sequence[NicAddress], rule_by_rail: Mapping[int, Rule]
) -> dict[str, Rule]:
    """Rules by selector."""
    return {
        f"from {address.address}/{address.host_prefix}": rule_by_rail[host_port.rail]
        for host_port, address in zip(host_ports, addresses, strict=True)
    }


def build_rule(rail: int) -> Rule:
    """The rule of a rail."""
    return Rule(table=TABLE_BASE + rail, priority=PRIORITY_BASE + rail)


def find_covering_network(addresses: Collection[NicAddress]) -> str | None:
    """The smallest network with the addresses of all NICs. None if they are in a single subnet."""
    if not addresses:
        return None
    first = next(iter(addresses))
    numbers = [int(ip_address(address.address)) for address in addresses]
    prefix = first.host_prefix - (min(numbers) ^ max(numbers)).bit_length()
    if prefix >= first.prefix:
        return None
    return str(ip_network(f"{first.address}/{prefix}", strict=False))


def build_routes(
    host_ports: Sequence[HostPort], addresses: Sequence[NicAddress], every_nic: str | None = None
) -> dict[str, Route]:
    """Routes by name; ``every_nic`` is the network of all NICs, reached by the first rail whose link is up."""
    routes: dict[str, Route] = {}
    for host_port, address in zip(host_ports, addresses, strict=True):
        table = TABLE_BASE + host_port.rail
        if address.prefix < address.host_prefix - 1:
            routes[f"{table} {address.network}"] = Route(host_port.interface, "", address.address)
        everywhere = "::/0" if address.host_prefix == 128 else "default"
        routes[f"{table} {everywhere}"] = Route(host_port.interface, address.gateway, address.address)
    if every_nic is not None:
        routes |= dict(_list_main_routes(host_ports, addresses, f"{MAIN_TABLE} {every_nic}"))
    return routes


def _list_main_routes(
    host_ports: Sequence[HostPort], addresses: Sequence[NicAddress], name: str
) -> Iterator[tuple[str, Route]]:
    for index, (host_port, address) in enumerate(zip(host_ports, addresses, strict=True)):
        metric = METRIC_BASE + host_port.rail if index else None
        route = Route(host_port.interface, address.gateway, address.address, metric)
        yield f"{name} metric {metric}" if index else name, route
