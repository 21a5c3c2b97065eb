"""Ports of BGP peers and NICs of routing rules, which devices identify by an address only."""

from __future__ import annotations

from ipaddress import ip_address, ip_interface

from wirespeed.plan import End, Plan


def find_peer_port(plan: Plan, device: str, peer: str) -> tuple[str, End] | None:
    """The planned port to a BGP peer, and the port at its other end; None if the plan has none."""
    ports = plan.switches[device].ports if device in plan.switches else {}
    for name, port in ports.items():
        neighbour = port.neighbour
        if neighbour.device is None or neighbour.port is None:
            continue
        if peer == name or _is_in_subnet(peer, port.addresses or ()):
            return name, End(neighbour.device, neighbour.port)
    return None


def find_nic_of_rule(plan: Plan, device: str, rule: str) -> str | None:
    """The interface with the source address of a rule, ``from 10.1.0.1/32``."""
    address = rule.removeprefix("from ").partition("/")[0]
    nics = plan.hosts[device].nics if device in plan.hosts else {}
    return next(
        (
            name
            for name, nic in nics.items()
            if any(str(ip_interface(entry).ip) == address for entry in nic.addresses or ())
        ),
        None,
    )


def _is_in_subnet(peer: str, addresses: tuple[str, ...]) -> bool:
    try:
        address = ip_address(peer)
    except ValueError:
        return False
    return any(address in ip_interface(entry).network for entry in addresses)
