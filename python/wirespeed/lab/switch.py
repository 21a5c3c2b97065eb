"""A switch as a namespace: ports, a bridge for each VLAN, and the addresses that the plan gives them.

A kernel may lack VLAN devices, and a bridge that filters VLANs; nothing is tagged between a host and its leaf, so a
bridge for each VLAN does the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.lab.kernel import Setup, defaults
from wirespeed.lab.names import mac
from wirespeed.settings import Switch

_NO_ALIKE = "nodad"  # see kernel.defaults


def setup(cluster: str, name: str, switch: Switch, interfaces: Mapping[str, str]) -> Setup:
    """What the switch's namespace is told. ``interfaces`` names those of its ports that have a cable here."""
    lines = ["link set dev lo up"]
    lines += [_address(address, "lo") for address in switch.loopbacks or ()]
    used = {switch.ports[port].vlan for port in interfaces}
    vlans = {number: vlan for number, vlan in switch.vlans.items() if int(number) in used}
    for number in vlans:
        lines.append(f"link add name {bridge(number)} address {mac(cluster, name, f'vlan {number}')} type bridge")
    for port, interface in interfaces.items():
        said = switch.ports[port]
        if said.link.mtu is not None:
            lines.append(f"link set dev {interface} mtu {said.link.mtu}")
        lines += [_address(address, interface) for address in said.addresses or ()]
        if said.vlan is not None:
            lines.append(f"link set dev {interface} master {bridge(said.vlan)}")
        lines.append(f"link set dev {interface} {'down' if said.link.enabled is False else 'up'}")
    for number, vlan in vlans.items():
        lines += [_address(address, bridge(number)) for address in vlan.addresses or ()]
        lines.append(f"link set dev {bridge(number)} up")
    routes = "1" if switch.routing else "0"
    forwarding = {"net/ipv4/ip_forward": routes, "net/ipv6/conf/all/forwarding": routes}
    return Setup(defaults(interfaces.values()) | forwarding, tuple(lines))


def bridge(vlan: str | int) -> str:
    """The bridge that is a VLAN."""
    return f"vlan{vlan}"


def _address(address: str, interface: str) -> str:
    return f"address add {address} dev {interface}" + (f" {_NO_ALIKE}" if ":" in address else "")
