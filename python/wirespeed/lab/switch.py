"""A switch as a namespace: ports, a bridge for each VLAN, and the addresses that the plan gives them.

A kernel may lack VLAN devices, and a bridge that filters VLANs; nothing is tagged between a host and its leaf, so a
bridge for each VLAN does the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirespeed.lab.fabric import Gateway
from wirespeed.lab.kernel import Setup, defaults
from wirespeed.lab.names import mac
from wirespeed.settings import Switch

_NO_ALIKE = "nodad"  # see kernel.defaults
_BY_FLOW = {"net/ipv4/fib_multipath_hash_policy": "1", "net/ipv6/fib_multipath_hash_policy": "1"}
"""Equal-cost paths are selected by addresses and ports, not by addresses alone (ip-sysctl)."""


def setup(
    cluster: str, name: str, switch: Switch, aliases: Mapping[str, str], routes: Mapping[str, Sequence[Gateway]]
) -> Setup:
    """Setup of the namespace of a switch.

    ``aliases`` are the planned names of its ports, ``routes`` the kernel's static routes to other switches.
    """
    lines = ["link set dev lo up"]
    lines += [_format_address(address, "lo") for address in switch.loopbacks or ()]
    for number in switch.vlans:
        lines.append(f"link add name {bridge(number)} address {mac(cluster, name, f'vlan {number}')} type bridge")
    for interface, port in switch.ports.items():
        if port.link.mtu is not None:
            lines.append(f"link set dev {interface} mtu {port.link.mtu}")
        lines += [_format_address(address, interface) for address in port.addresses or ()]
        if port.vlan is not None:
            lines.append(f"link set dev {interface} master {bridge(port.vlan)}")
        lines.append(f"link set dev {interface} alias {aliases[interface]}")
        lines.append(f"link set dev {interface} {'down' if port.link.enabled is False else 'up'}")
    for number, vlan in switch.vlans.items():
        lines += [_format_address(address, bridge(number)) for address in vlan.addresses or ()]
        lines.append(f"link set dev {bridge(number)} up")
    lines += [_format_route(network, gateways) for network, gateways in routes.items()]
    forwards = "1" if switch.routing else "0"
    parameters = defaults(switch.ports) | {"net/ipv4/ip_forward": forwards, "net/ipv6/conf/all/forwarding": forwards}
    if routes:
        for interface in ("all", *switch.ports):  # no daemon uses a next hop without carrier
            parameters |= {f"net/{ip}/conf/{interface}/ignore_routes_with_linkdown": "1" for ip in ("ipv4", "ipv6")}
    if switch.bgp.asn is not None:
        parameters |= _BY_FLOW
    return Setup(parameters, tuple(lines))


def _format_route(network: str, gateways: Sequence[Gateway]) -> str:
    hops = []
    for gateway in gateways:
        family = "inet6 " if ":" in gateway.address and ":" not in network else ""  # RFC 8950
        hops.append(f"nexthop via {family}{gateway.address} dev {gateway.interface}")
    return f"route add {network} {' '.join(hops)}"


def bridge(vlan: str | int) -> str:
    """The name of the bridge of a VLAN."""
    return f"vlan{vlan}"


def _format_address(address: str, interface: str) -> str:
    return f"address add {address} dev {interface}" + (f" {_NO_ALIKE}" if ":" in address else "")
