"""One change of a setting as NX-OS commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wirespeed.platforms.consequences import LINK_FLAP
from wirespeed.platforms.model import CommandSession, SettingCommands
from wirespeed.platforms.switch.indented_config import ranges
from wirespeed.platforms.switch.interface_commands import address_lines
from wirespeed.platforms.switch.nxos.policies import INPUT, NETWORK, OUTPUT, build_policies, list_paused_queues
from wirespeed.platforms.switch.nxos.values import (
    FEC_KEYWORDS,
    complete,
    network_class,
    output_class,
    random_detect,
)
from wirespeed.platforms.switch.policies import group_by_target
from wirespeed.settings import BgpPeer, Device, Discipline, Place, Port, Queue, Switch, WatchdogAction

_ALL_PORTS = "queues of all ports with this policy are reconfigured; packets in flight may be lost"
_RESET = "the session is reset"
_CONSEQUENCES = {
    "port.link.speed": LINK_FLAP,
    "port.link.fec": LINK_FLAP,
    "port.link.enabled": "the link changes its state",
    "port.vlan": "the port leaves its VLAN; its addresses are unreachable until the host answers ARP again",
    "port.addresses": "the port becomes a routed port; its addresses are unreachable until the host answers ARP again",
    "port.qos.pfc": _ALL_PORTS,
    "port.qos.pfc_queue": _ALL_PORTS,
    "port.qos.dscp_tc": "packets in flight change their queue",
    "port.qos.trust": "packets in flight change their queue",
    "switch.class_mtu": _ALL_PORTS,
    "switch.bgp.asn": "every BGP session ends; the rest of router bgp must be configured again",
    "switch.bgp.router_id": "every BGP session is reset",
    "peer.asn": _RESET,
    "peer.unnumbered": _RESET,
    "peer.ipv4": _RESET,
    "peer.ipv6": _RESET,
}
_SESSION = CommandSession(("configure terminal",), ("end", "copy running-config startup-config"), "ranges-of-names")
"""Ranges of interfaces: Cisco Nexus 9000 Series NX-OS Interfaces Configuration Guide, "Basic Interface Parameters"."""


def commands_for(place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
    """The commands of one change; ``device`` contains the other planned settings."""
    if not isinstance(device, Switch):
        return None
    names_by_kind = dict(place.entities)
    consequence = _CONSEQUENCES.get(path)
    if "peer" in names_by_kind:
        lines = _format_peer(names_by_kind["peer"], path, value, device)
    elif "vlan" in names_by_kind:
        number = names_by_kind["vlan"]
        lines = _format_interface(f"Vlan{number}", path.replace("vlan.", "port."), value)
        lines = None if lines is None else ["feature interface-vlan", *_create_vlan(number), *lines]
    elif "queue" in names_by_kind:
        lines, consequence = (
            _format_queue(names_by_kind["port"], names_by_kind["queue"], path, value, device),
            _ALL_PORTS,
        )
    elif "port" in names_by_kind:
        lines = _format_port(names_by_kind["port"], path, value, device)
    else:
        lines = _format_switch(path, value, device)
    if lines is None:
        return None
    return _SESSION.commands_for(lines, consequence)


def _format_switch(path: str, value: Any, switch: Switch) -> list[str] | None:
    block = [f"router bgp {switch.bgp.asn}"]
    match path:
        case "switch.lldp":
            return [f"{'' if value else 'no '}feature lldp"]
        case "switch.watchdog_poll":
            return [f"priority-flow-control watch-dog interval {value.milliseconds}"]
        case "switch.class_mtu":
            return _format_class_mtu(value, switch)
        case "switch.loopbacks":
            return ["interface loopback0", *address_lines(value)]
        case "switch.bgp.asn":
            return ["no feature bgp", "feature bgp", f"router bgp {value}"]
        case "switch.bgp.router_id":
            return [*block, f"router-id {value}"]
        case "switch.bgp.multipath_relax":
            return [*block, f"{'' if value else 'no '}bestpath as-path multipath-relax"]
        case "switch.bgp.maximum_paths":
            return [*block, "address-family ipv4 unicast", f"maximum-paths {value}"]
        case "switch.bgp.networks":
            families = {
                "ipv4": [network for network in value if ":" not in network],
                "ipv6": [network for network in value if ":" in network],
            }
            return block + [
                line
                for family, networks in families.items()
                if networks
                for line in (
                    f"address-family {family} unicast",
                    *(f"network {network}" for network in networks),
                    "exit",
                )
            ]
    return None


def _format_class_mtu(value: int, switch: Switch) -> list[str]:
    """The MTU of the default class and of each lossless class."""
    queues = [0, *(queue for _, queue in list_paused_queues(switch))]
    classes = [(f"class type network-qos {network_class(queue)}", f"mtu {value}", "exit") for queue in queues]
    lines = [f"policy-map type network-qos {NETWORK}", *(line for block in classes for line in block), "exit"]
    return [*lines, "system qos", f"service-policy type network-qos {NETWORK}", "exit"]


def _format_peer(name: str, path: str, value: Any, switch: Switch) -> list[str] | None:
    peer = switch.peers.get(name, BgpPeer())
    block = [f"router bgp {switch.bgp.asn}", f"neighbor {name}"]
    prefix = "" if value else "no "
    match path:
        case "peer.asn":
            return [*block, f"remote-as {value}"]
        case "peer.unnumbered":
            return [*block, f"remote-as {peer.asn}"] if value else None
        case "peer.description":
            return [*block, f"description {value}"]
        case "peer.bfd":
            return [*block, f"{prefix}bfd"]
        case "peer.ipv4" | "peer.ipv6":
            return [*block, f"{prefix}address-family {path.rpartition('.')[2]} unicast"]
    return None


def _format_port(name: str, path: str, value: Any, switch: Switch) -> list[str] | None:
    policy = build_policies(switch).input_of.get(name, INPUT)
    match path:
        case "port.qos.dscp_tc":
            return [*_format_map(policy, value), f"interface {name}", f"service-policy type qos input {policy}"]
        case "port.qos.trust":
            return [f"interface {name}", f"{'no ' if value == 'none' else ''}service-policy type qos input {policy}"]
        case "port.qos.pfc":
            return _format_pfc(name, value, switch)
        case "port.qos.pfc_queue":
            lossless = switch.ports.get(name, Port()).qos.pfc or ()
            return _format_network({int(key): int(queue) for key, queue in value.items() if key in lossless})
        case "port.qos.watchdog.detect" | "port.qos.watchdog.restore":
            if not switch.watchdog_poll:
                return None
            keywords = "watch-dog shutdown-multiplier" if path.endswith("detect") else "auto-restore multiplier"
            return [f"priority-flow-control {keywords} {value // switch.watchdog_poll}"]
        case "port.qos.watchdog.enabled" | "port.qos.watchdog.action":
            watchdog = switch.ports.get(name, Port()).qos.watchdog
            watchdog = replace(watchdog, **{path.rpartition(".")[2]: value})
            if watchdog.enabled is False:
                return [f"interface {name}", "priority-flow-control watch-dog-interval off"]
            line = "priority-flow-control watch-dog-interval on"
            reports = " disable-action" if watchdog.action == WatchdogAction.ALERT else ""
            return [line, f"interface {name}", f"{line}{reports}"]
    lines = _format_interface(name, path, value)
    return [*_create_vlan(value), *lines] if path == "port.vlan" and lines else lines


def _create_vlan(number: Any) -> list[str]:
    """A VLAN that exists is not changed. The switch shuts an access port down whose VLAN does not exist.

    Source: Cisco Nexus 9000 Series NX-OS Interfaces Configuration Guide, "Configuring Layer 2 Interfaces".
    """
    return [f"vlan {number}", "exit"]


def _format_map(policy: str, dscp_tc: Mapping[Any, Any]) -> list[str]:
    lines: list[str] = []
    for group, dscps in group_by_target(dscp_tc.items()):
        if group:  # unmatched packets use group 0
            name = f"{policy}-{group}"
            lines += [f"class-map type qos match-all {name}", f"match dscp {ranges(dscps)}", "exit"]
            lines += [f"policy-map type qos {policy}", f"class {name}", f"set qos-group {group}", "exit", "exit"]
    return lines


def _format_pfc(name: str, value: Any, switch: Switch) -> list[str]:
    by_priority = {int(key): bool(value[key]) if isinstance(value, Mapping) else True for key in value}
    if not any(by_priority.values()):
        return [f"interface {name}", "priority-flow-control mode off"]
    queues = {int(key): int(queue) for key, queue in (switch.ports.get(name, Port()).qos.pfc_queue or {}).items()}
    lossless = {key: queues.get(key, key) for key, is_lossless in by_priority.items() if is_lossless}
    lossy = {key: queues.get(key, key) for key, is_lossless in by_priority.items() if not is_lossless}
    return [*_format_network(lossless, lossy), f"interface {name}", "priority-flow-control mode on"]


def _format_network(paused_queues: Mapping[int, int], drops: Mapping[int, int] | None = None) -> list[str]:
    lines = [f"policy-map type network-qos {NETWORK}"]
    for prefix, queues in (("", paused_queues), ("no ", drops or {})):
        for priority, queue in queues.items():
            lines += [f"class type network-qos {network_class(queue)}", f"{prefix}pause pfc-cos {priority}", "exit"]
    return [*lines, "exit", "system qos", f"service-policy type network-qos {NETWORK}", "exit"]


def _format_queue(port: str, number: str, path: str, value: Any, switch: Switch) -> list[str] | None:
    policy = build_policies(switch).output_of.get(port, OUTPUT)
    queue = switch.ports.get(port, Port()).queues.get(number, Queue())
    block = [f"policy-map type queuing {policy}", f"class type queuing {output_class(int(number))}"]
    match path:
        case "queue.discipline" if value == Discipline.STRICT:
            return [*block, "priority level 1"]
        case "queue.discipline" | "queue.weight":
            weight = value if path == "queue.weight" else queue.weight
            return None if weight is None else [*block, f"bandwidth remaining percent {weight}"]
        case "queue.ecn.enabled" | "queue.ecn.minimum" | "queue.ecn.maximum" | "queue.ecn.probability":
            ecn = replace(queue.ecn, **{path.rpartition(".")[2]: value})
            if ecn.enabled is False:
                return [*block, "no random-detect"]
            return None if not complete(ecn) else [*block, random_detect(ecn)]
    return None


def _format_interface(name: str, path: str, value: Any) -> list[str] | None:
    state = "on" if value else "off"
    lines: dict[str, Any] = {
        "port.description": lambda: [f"description {value}"],
        "port.mtu": lambda: [f"mtu {value}"],  # of a VLAN interface
        "port.link.mtu": lambda: [f"mtu {value}"],
        "port.link.speed": lambda: [f"speed {value.whole('Mb/s')}"],
        "port.link.fec": lambda: [FEC_KEYWORDS[value]],
        "port.link.enabled": lambda: ["no shutdown" if value else "shutdown"],
        "port.link.pause_send": lambda: [f"flowcontrol send {state}"],
        "port.link.pause_receive": lambda: [f"flowcontrol receive {state}"],
        "port.vlan": lambda: ["switchport", f"switchport access vlan {value}"],
        "port.addresses": lambda: [*([] if name.startswith("Vlan") else ["no switchport"]), *address_lines(value)],
        "port.unnumbered": lambda: ["no switchport", "ip forward", "ipv6 address use-link-local-only"],
    }
    make = lines.get(path)
    return None if make is None else [f"interface {name}", *make()]
