"""Source routing of a host: one table per NIC, so that a packet leaves by the NIC whose address it carries.

The table has the default route through the leaf; where the subnet holds other hosts, also the connected route, so that
traffic within a rail is switched and does not hairpin through the leaf's routed interface. Priorities are given,
because the kernel numbers rules without one by arrival.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirespeed.plan.addresses import NicAddress
from wirespeed.plan.affinity import HostPort
from wirespeed.settings import Route, Rule

TABLE_BASE = 100  # Broadcom 957608-AN210, section 2.4: tables 101 to 108
PRIORITY_BASE = 1000  # behind the local table at 0 and before main at 32766


def rules_of(
    host_ports: Sequence[HostPort], addresses: Sequence[NicAddress], shared: Mapping[int, Rule]
) -> dict[str, Rule]:
    """Rules by selector."""
    return {
        f"from {at.address}/{at.host_prefix}": shared[host_port.rail]
        for host_port, at in zip(host_ports, addresses, strict=True)
    }


def rule_of(rail: int) -> Rule:
    """The rule of a rail."""
    return Rule(table=TABLE_BASE + rail, priority=PRIORITY_BASE + rail)


def routes_of(host_ports: Sequence[HostPort], addresses: Sequence[NicAddress]) -> dict[str, Route]:
    """Routes by table and destination."""
    routes: dict[str, Route] = {}
    for host_port, at in zip(host_ports, addresses, strict=True):
        table = TABLE_BASE + host_port.rail
        if at.prefix < at.host_prefix - 1:
            routes[f"{table} {at.network}"] = Route(host_port.interface, "", at.address)
        everywhere = "::/0" if at.host_prefix == 128 else "default"
        routes[f"{table} {everywhere}"] = Route(host_port.interface, at.gateway, at.address)
    return routes
