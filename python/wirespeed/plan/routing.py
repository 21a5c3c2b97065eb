"""Source routing of a host: one table per NIC, so that a packet leaves by the NIC whose address it carries.

The table contains the default route through the leaf. If the subnet contains other hosts, it also contains the
connected route, so that traffic within a rail is switched and does not hairpin through the leaf's routed interface.
Rules have priorities, because the kernel numbers rules without one in order of arrival.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirespeed.plan.addresses import NicAddress
from wirespeed.plan.affinity import HostPort
from wirespeed.settings import Route, Rule

TABLE_BASE = 100  # Broadcom 957608-AN210, section 2.4: tables 101 to 108
PRIORITY_BASE = 1000  # behind the local table at 0 and before main at 32766


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


def build_routes(host_ports: Sequence[HostPort], addresses: Sequence[NicAddress]) -> dict[str, Route]:
    """Routes by table and destination."""
    routes: dict[str, Route] = {}
    for host_port, address in zip(host_ports, addresses, strict=True):
        table = TABLE_BASE + host_port.rail
        if address.prefix < address.host_prefix - 1:
            routes[f"{table} {address.network}"] = Route(host_port.interface, "", address.address)
        everywhere = "::/0" if address.host_prefix == 128 else "default"
        routes[f"{table} {everywhere}"] = Route(host_port.interface, address.gateway, address.address)
    return routes
