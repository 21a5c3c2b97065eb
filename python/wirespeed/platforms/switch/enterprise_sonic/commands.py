"""Commands that change one setting on Enterprise SONiC.

Keywords: dellemc.enterprise_sonic modules, Broadcom 957608-AN210 2.4 and 2.5.2, AMD's GPU cluster networking guide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from wirespeed.platforms.consequences import LINK_FLAP
from wirespeed.platforms.declaration import find_declared_default
from wirespeed.platforms.model import CommandSession, SettingCommands
from wirespeed.platforms.switch.enterprise_sonic.policies import Policies
from wirespeed.platforms.switch.indented_config import ranges
from wirespeed.platforms.switch.interface_commands import switch_command
from wirespeed.platforms.switch.policies import group_by_target
from wirespeed.settings import BgpPeer, Device, Place, Port, Queue, Switch
from wirespeed.settings.qos import Discipline, Ecn

DEFAULT_MTU: int = find_declared_default("switch/enterprise_sonic", "port.link.mtu")
"""Of a port, bytes of the IP packet: Ethernet header, VLAN tag and checksum are added to it (sonic-swss)."""

KBYTE = 1000
"""Bytes in the KBytes of ``wred-policy``: 1048 of them are the 1048576 bytes of community SONiC."""

FEC_KEYWORDS = {"rs": "RS", "fc": "FC", "none": "off"}

MAPS: Mapping[str, tuple[str, str, str]] = {
    "port.qos.dscp_tc": ("dscp-tc", "dscp", "traffic-class"),
    "port.qos.dot1p_tc": ("dot1p-tc", "dot1p", "traffic-class"),
    "port.qos.tc_queue": ("tc-queue", "traffic-class", "queue"),
    "port.qos.tc_pg": ("tc-pg", "traffic-class", "priority-group"),
    "port.qos.tc_dscp": ("tc-dscp", "traffic-class", "dscp"),
    "port.qos.pfc_queue": ("pfc-priority-queue", "pfc-priority", "queue"),
    "port.qos.pfc_pg": ("pfc-priority-pg", "pfc-priority", "pg"),
}
"""Setting path to kind of ``qos map``, and the keywords before its two numbers; in the order the device prints."""

FAMILY_KEYWORDS = (("ipv4", "ip"), ("ipv6", "ipv6"))
"""Address families, and the word before ``address`` that goes with them."""

PART_NAME = re.compile(r"Eth([0-9]+/[0-9]+)/[0-9]+")
"""A port of a split front-panel port, whose name is the group."""

_SHARED_CONSEQUENCE = "all ports with this policy change"


def map_lines(path: str, mapping: Mapping[Any, Any]) -> list[str]:
    """The lines of a ``qos map``."""
    _, key, target = MAPS[path]
    return [f"{key} {ranges(keys)} {target} {value}" for value, keys in group_by_target(mapping.items())]


def ip_word(address: str) -> str:
    """The word before ``address``: ip or ipv6."""
    return "ipv6" if ":" in address else "ip"


def wred_lines(ecn: Ecn) -> list[str]:
    """The lines of a ``qos wred-policy``."""
    low, high = round((ecn.minimum or 0) / KBYTE), round((ecn.maximum or 0) / KBYTE)
    probability = "" if ecn.probability is None else f" drop-probability {ecn.probability}"
    return [f"green minimum-threshold {low} maximum-threshold {high}{probability}", "ecn green"]


_SESSION = CommandSession(("sonic-cli", "configure terminal"), ("end", "write memory", "exit"), "blocks")


def commands_for(place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
    """The commands of one change; ``device`` contains the other planned settings."""
    if not isinstance(device, Switch):
        return None
    names_by_kind = dict(place.entities)
    lines: list[str] | None = None
    consequence = _CONSEQUENCES.get(path)
    if place.kind is None:
        lines = _switch_lines(path, value, device)
    elif "peer" in names_by_kind:
        lines = _peer_lines(names_by_kind["peer"], path, value, device)
    elif "vlan" in names_by_kind:
        line = _VLAN.get(path)
        lines = None if line is None else [f"interface Vlan{names_by_kind['vlan']}", *line(value)]
    elif "queue" in names_by_kind:
        lines = _queue_lines(names_by_kind["port"], int(names_by_kind["queue"]), path, value, device)
        consequence = _SHARED_CONSEQUENCE
    elif path in MAPS:
        name = Policies(device).map_name(path, device.ports.get(names_by_kind["port"], Port()))
        kind = MAPS[path][0]
        lines = [f"qos map {kind} {name}", *map_lines(path, value), "exit", f"interface {names_by_kind['port']}"]
        lines.append(f"qos-map {kind} {name}")
        consequence = f"{_SHARED_CONSEQUENCE}; packets in flight change their queue"
    elif path == "port.breakout":
        lines = _breakout_lines(names_by_kind["port"], value, device)
    else:
        port = device.ports.get(names_by_kind["port"], Port())
        bound_lines = _format_bound(path, value, port, Policies(device))
        lines = None if bound_lines is None else [f"interface {names_by_kind['port']}", *bound_lines]
    if not lines:
        return None
    return _SESSION.commands_for(lines, consequence)


_CONSEQUENCES = {
    "port.breakout": "the ports of the front-panel port are created again: their links go down",
    "port.link.speed": LINK_FLAP,
    "port.link.fec": LINK_FLAP,
    "port.link.training": LINK_FLAP,
    "port.link.enabled": "the link changes its state",
    "port.cable_length": "the port's headroom is computed again",
    "port.vlan": "the port leaves its VLAN; its addresses are unreachable until the host answers ARP again",
    "port.addresses": "the port's addresses are unreachable until the host answers ARP again",
    "port.qos.trust": "packets in flight change their queue",
    "port.unnumbered": "the sessions over the port restart",
    "switch.buffers.lossless": "the configuration is saved and the switch reboots",
    "switch.bgp.asn": "all BGP sessions restart",
    "switch.bgp.router_id": "all BGP sessions restart",
    "peer.asn": "the session restarts",
    "peer.ipv4": "the session restarts",
    "peer.ipv6": "the session restarts",
}


def _breakout_lines(name: str, count: int, switch: Switch) -> list[str] | None:
    """Split the front-panel port that a planned port is part of."""
    panel, port = PART_NAME.fullmatch(name), switch.ports.get(name, Port())
    if panel is None or port.link.speed is None:
        return None
    return [f"interface breakout port {panel[1]} mode {count}x{port.link.speed.whole('Gb/s')}G"]


def _switch_lines(path: str, value: Any, switch: Switch) -> list[str] | None:
    match path:
        case "switch.lldp":
            return ["lldp enable" if value else "no lldp enable"]
        case "switch.watchdog_poll":
            return [f"priority-flow-control watchdog polling-interval {value.milliseconds}"]
        case "switch.buffers.lossless":
            return ["buffer init lossless"] if value else ["no buffer init"]
        case "switch.buffers.shared_headroom":
            return [f"buffer pool ingress_lossless_pool shared-headroom-size {int(value)}"]
        case "switch.loopbacks":
            return ["interface Loopback 0", *_address_lines(value)]
        case "switch.bgp.asn":
            return [f"router bgp {value}"]
    return _speaker_lines(path, value, switch)


def _speaker_lines(path: str, value: Any, switch: Switch) -> list[str] | None:
    """Lines of ``router bgp``, which need the number of the autonomous system."""
    if switch.bgp.asn is None:
        return None
    router = f"router bgp {switch.bgp.asn}"
    match path:
        case "switch.bgp.router_id":
            return [router, f"router-id {value}"]
        case "switch.bgp.multipath_relax":
            return [router, f"{'' if value else 'no '}bestpath as-path multipath-relax"]
        case "switch.bgp.maximum_paths":
            families = [
                name for name, _ in FAMILY_KEYWORDS if any(getattr(peer, name) for peer in switch.peers.values())
            ]
            lines = [[f"address-family {name} unicast", f"maximum-paths {value}", "exit"] for name in families]
            return [router, *(line for family in lines for line in family)] if lines else None
        case "switch.bgp.networks":
            lines = []
            for name, word in FAMILY_KEYWORDS:
                network_lines = [f"network {network}" for network in value if ip_word(network) == word]
                lines += [[f"address-family {name} unicast", *network_lines, "exit"]] if network_lines else []
            return [router, *(line for family in lines for line in family)] if lines else None
    return None


def _peer_lines(name: str, path: str, value: Any, switch: Switch) -> list[str] | None:
    peer = switch.peers.get(name, BgpPeer())
    if switch.bgp.asn is None:
        return None
    interface = "interface " if peer.unnumbered else ""
    lines = [f"router bgp {switch.bgp.asn}", f"neighbor {interface}{name}"]
    match path:
        case "peer.asn":
            return [*lines, f"remote-as {value}"]
        case "peer.description":
            return [*lines, f'description "{value}"']
        case "peer.bfd":
            return [*lines, "bfd" if value else "no bfd"]
        case "peer.unnumbered":
            return [*lines, *([f"remote-as {peer.asn}"] if peer.asn else []), *_EXTENDED_NEXT_HOP] if value else None
        case "peer.ipv4" | "peer.ipv6":
            extra_lines = _EXTENDED_NEXT_HOP if peer.unnumbered and value and path == "peer.ipv4" else []
            family = f"address-family {path.removeprefix('peer.')} unicast"
            return [*lines, *extra_lines, family, "activate" if value else "no activate"]
    return None


_EXTENDED_NEXT_HOP = ["capability extended-nexthop"]
"""IPv4 prefixes over an IPv6 next hop (RFC 8950)."""


def _address_lines(addresses: Any) -> list[str]:
    return [f"{ip_word(address)} address {address}" for address in addresses]


def _format_bound(path: str, value: Any, port: Port, policies: Policies) -> list[str] | None:
    """Lines of an interface; some depend on its other planned settings."""
    watchdog = port.qos.watchdog
    if path == "port.qos.trust" and value in ("dscp", "dot1p"):  # the map that is bound decides
        unbind = ["no qos-map dscp-tc"] if value == "dot1p" else []
        return [*unbind, f"qos-map {value}-tc {policies.map_name(f'port.qos.{value}_tc', port)}"]
    if path == "port.qos.watchdog.enabled" and value:
        return None if watchdog.detect is None else _PORT["port.qos.watchdog.detect"](watchdog.detect)
    line = _PORT.get(path)
    return None if line is None else line(value)


def _pfc_lines(lossless: Any) -> list[str]:
    by_priority = lossless if isinstance(lossless, Mapping) else {number: number in lossless for number in range(8)}
    return [
        f"{'' if is_enabled else 'no '}priority-flow-control priority {int(key)}"
        for key, is_enabled in by_priority.items()
    ]


_PORT: Mapping[str, Callable[[Any], list[str]]] = {
    "port.description": lambda value: [f'description "{value}"'],
    "port.link.mtu": lambda value: [f"mtu {value}"],
    "port.link.speed": lambda value: [f"speed {value.whole('Mb/s')}"],
    "port.link.fec": lambda value: [f"fec {FEC_KEYWORDS[value]}"],
    "port.link.training": switch_command("standalone-link-training"),
    "port.link.enabled": lambda value: ["no shutdown" if value else "shutdown"],
    "port.signal_monitoring": lambda value: [f"unreliable-los {value}"],
    "port.cable_length": lambda value: [f"cable-length {value.whole('m')}m"],
    "port.vlan": lambda value: [f"switchport access Vlan {value}"],
    "port.addresses": _address_lines,
    "port.unnumbered": switch_command("ipv6 enable"),
    "port.qos.pfc": _pfc_lines,
    "port.qos.watchdog.enabled": lambda value: ["no priority-flow-control watchdog"],
    "port.qos.watchdog.action": lambda value: [f"priority-flow-control watchdog action {value.value}"],
    "port.qos.watchdog.detect": lambda value: [f"priority-flow-control watchdog on detect-time {value.milliseconds}"],
    "port.qos.watchdog.restore": lambda value: [f"priority-flow-control watchdog restore-time {value.milliseconds}"],
}
_VLAN: Mapping[str, Callable[[Any], list[str]]] = {
    "vlan.description": lambda value: [f'description "{value}"'],
    "vlan.mtu": lambda value: [f"mtu {value}"],
    "vlan.addresses": _address_lines,
}


def _queue_lines(port_name: str, number: int, path: str, value: Any, switch: Switch) -> list[str] | None:
    port = switch.ports.get(port_name, Port())
    queue = port.queues.get(str(number), Queue())
    policies = Policies(switch)
    if path in ("queue.shape", "queue.discipline", "queue.weight"):
        name = policies.scheduler_name(port)
        changed_queue = replace(queue, **{path.removeprefix("queue."): value})
        lines = [f"qos scheduler-policy {name}", *_scheduler_lines({**port.queues, str(number): changed_queue}), "exit"]
        return [*lines, f"interface {port_name}", f"scheduler-policy {name}"]
    if not path.startswith("queue.ecn."):
        return None
    if path == "queue.ecn.enabled" and not value:
        return [f"interface {port_name}", f"no queue {number} wred-policy"]
    if queue.ecn.minimum is None or queue.ecn.maximum is None:
        return None
    name = policies.wred_name(queue.ecn)
    return [
        f"qos wred-policy {name}",
        *wred_lines(queue.ecn),
        "exit",
        f"interface {port_name}",
        f"queue {number} wred-policy {name}",
    ]


def _scheduler_lines(queues: Mapping[str, Queue]) -> Iterator[str]:
    """All queues of a policy: a switch whose ports use a policy of another name gets a complete one."""
    for number, queue in sorted(queues.items(), key=lambda entry: int(entry[0])):
        if queue.discipline is None and queue.weight is None and not queue.shape:
            continue
        discipline = queue.discipline or Discipline.DWRR
        yield from (f"queue {number}", f"type {discipline.value}")
        if queue.weight is not None and discipline is Discipline.DWRR:
            yield f"weight {queue.weight}"
        if queue.shape:
            yield from ("meter-type bytes", f"pir {queue.shape.whole('kb/s')}")
        yield "exit"
