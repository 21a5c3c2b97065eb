"""Commands that change one setting on Junos.

Statements, ranges and defaults: the YANG model of Junos 23.4R1.10-EVO (Juniper/yang), Broadcom 957608-AN210 section
2.5.3, and the configurations of Juniper's validated designs (Juniper/jvd).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from wirespeed.platforms.consequences import LINK_FLAP
from wirespeed.platforms.declaration import find_declared_default, find_declared_polls
from wirespeed.platforms.model import CommandSession, SettingCommands
from wirespeed.platforms.switch.junos.cos_commands import cos_lines
from wirespeed.settings import Device, Link, Place, Port, Switch
from wirespeed.units import Bandwidth, Duration

L2_HEADER = 14
"""Bytes of a physical MTU beyond the IP packet: ``show interfaces`` shows MTU 1514 over inet MTU 1500."""
DEFAULT_PHYSICAL_MTU: int = find_declared_default("switch/junos", "port.link.mtu") + L2_HEADER
LARGEST_PHYSICAL_MTU = 9216
"""Of both vendor samples, over an inet MTU of 9170: 46 bytes are left for the header, tags and encapsulation."""
MTU_MARGIN = 46

DEFAULT_POLL_MS: int = find_declared_default("switch/junos", "switch.watchdog_poll").milliseconds
DEFAULT_DETECTION: int = find_declared_polls("switch/junos", "port.qos.watchdog.detect")
DEFAULT_RECOVERY_MS: int = find_declared_default("switch/junos", "port.qos.watchdog.restore").milliseconds
DEFAULT_FLOWLET_GAP: Duration = find_declared_default("switch/junos", "switch.load_balancing.flowlet_gap")
DEFAULT_PATHS: int = find_declared_default("switch/junos", "switch.bgp.maximum_paths")
"""Equal paths without ``maximum-ecmp``, from memory."""
PATHS = (16, 32, 64, 128)

FEC_MODES = {"FEC91": "rs", "FEC119": "rs", "FEC74": "fc", "NONE": "none"}
"""IEEE 802.3 clauses 91 and 119 are Reed-Solomon codes, clause 74 a fire code."""

ALWAYS_RS = Bandwidth.gbps(200)
"""From this speed on Ethernet has no other error correction than RS (IEEE 802.3 clause 119); no statement sets it."""
FEC_KEYWORDS = {"fec91": "rs", "fec108": "rs", "fec161": "rs", "fec74": "fc", "none": "none"}
"""Values of ``gigether-options fec``: Juniper/yang, 23.4R2-EVO and 24.4R1-EVO, junos-conf-interfaces."""
_25G_RS = "fec108"

MODES = {"flowlet": "flowlet", "per-packet": "per-packet", "assigned-flow": "assigned-flow"}


def format_fec(link: Link) -> str | None:
    """The value of ``gigether-options fec``. None: without intent, and for a speed that always runs RS."""
    if link.fec is None or (link.speed is not None and link.speed >= ALWAYS_RS):
        return None
    if link.fec == "rs" and link.speed is not None and link.speed <= Bandwidth.gbps(25):
        return _25G_RS
    return next(word for word, fec in FEC_KEYWORDS.items() if fec == link.fec)


def physical_mtu(mtu: int) -> int:
    """The MTU of a port that is to forward IP packets of this size."""
    return min(mtu + MTU_MARGIN, LARGEST_PHYSICAL_MTU)


_BLOCKS = "the port is blocked while PFC changes; packets in all its queues are lost"
"""Juniper documentation, congestion-notification-profile."""

_LOAD = "forwarding-options enhanced-hash-key ecmp-dlb"
_SHARED_BUFFER = "class-of-service shared-buffer"
_SWITCH: dict[str, Callable[[Any], list[str]]] = {
    "switch.lldp": lambda value: ["set protocols lldp interface all" if value else "delete protocols lldp"],
    "switch.load_balancing.mode": lambda value: [
        f"delete {_LOAD}" if value == "static" else f"set {_LOAD} {MODES[value]}"
    ],
    "switch.load_balancing.flowlet_gap": lambda value: [
        f"set {_LOAD} flowlet inactivity-interval {value.microseconds}"
    ],
    "switch.load_balancing.flowlet_table": lambda value: [f"set {_LOAD} flowlet flowset-table-size {value}"],
    "switch.load_balancing.hash_fields": lambda value: [
        f"set forwarding-options hash-key family inet {field}" for field in sorted(value)
    ],
    "switch.buffers.lossless_share": lambda value: [
        f"set {_SHARED_BUFFER} ingress buffer-partition lossless percent {value}"
    ],
    "switch.buffers.headroom_share": lambda value: [
        f"set {_SHARED_BUFFER} ingress buffer-partition lossless-headroom percent {value}"
    ],
    "switch.buffers.lossy_share": lambda value: [
        f"set {_SHARED_BUFFER} ingress buffer-partition lossy percent {value}"
    ],
    "switch.buffers.dynamic_threshold": lambda value: [
        f"set {_SHARED_BUFFER} ingress buffer-partition lossless dynamic-threshold {value}"
    ],
    "switch.buffers.egress_lossless_share": lambda value: [
        f"set {_SHARED_BUFFER} egress buffer-partition lossless percent {value}"
    ],
    "switch.buffers.egress_lossy_share": lambda value: [
        f"set {_SHARED_BUFFER} egress buffer-partition lossy percent {value}"
    ],
    "switch.buffers.dedicated_ingress": lambda value: [
        f"set class-of-service dedicated-buffer ingress percent {value}"
    ],
    "switch.buffers.dedicated_egress": lambda value: [f"set class-of-service dedicated-buffer egress percent {value}"],
    "switch.bgp.asn": lambda value: [f"set routing-options autonomous-system {value}"],
    "switch.bgp.router_id": lambda value: [f"set routing-options router-id {value}"],
}
_SESSION = CommandSession(("configure exclusive",), ("commit and-quit",), "lines")


def commands_for(place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
    """The commands of one change; ``device`` contains the other planned settings."""
    if not isinstance(device, Switch):
        return None
    names_by_kind = dict(place.entities)
    consequence: str | None = None
    lines: list[str] | None
    if place.kind is None:
        lines = _SWITCH[path](value) if path in _SWITCH else None
    elif "queue" in names_by_kind or path.startswith("port.qos"):
        lines = cos_lines(names_by_kind["port"], names_by_kind.get("queue"), path, value, device)
        consequence = _BLOCKS if path.startswith(("port.qos.pfc", "port.qos.watchdog")) else None
    elif "vlan" in names_by_kind:
        lines = _vlan_lines(names_by_kind["vlan"], path, value)
    else:
        lines = _port_lines(names_by_kind["port"], path, value, device)
        consequence = LINK_FLAP if path in _LINK_PATHS else None
    return None if lines is None else _SESSION.commands_for(lines, consequence)


_LINK_PATHS = ("port.link.speed", "port.link.fec", "port.breakout", "port.link.enabled")


def _vlan_lines(number: str, path: str, value: Any) -> list[str] | None:
    match path:
        case "vlan.mtu":
            return [
                f"set interfaces irb mtu {physical_mtu(value)}",
                f"set interfaces irb unit {number} family inet mtu {value}",
            ]
        case "vlan.addresses":
            return [f"set interfaces irb unit {number} family {family(address)} address {address}" for address in value]
    return None


def _port_lines(name: str, path: str, value: Any, switch: Switch) -> list[str] | None:
    cage, port = name.partition(":")[0], f"set interfaces {name}"
    match path:
        case "port.link.fec":
            word = format_fec(replace(switch.ports.get(name, Port()).link, fec=value))
            return None if word is None else [f"{port} gigether-options fec {word}"]
        case "port.link.mtu":
            return [f"{port} mtu {physical_mtu(value)}", f"{port} unit 0 family inet mtu {value}"]
        case "port.link.speed":
            return [f"set interfaces {cage} speed {value.whole('Gb/s')}g"]
        case "port.breakout":
            return [f"set interfaces {cage} number-of-sub-ports {value}"]
        case "port.link.enabled":
            return [f"delete interfaces {name} disable" if value else f"{port} disable"]
        case "port.addresses":
            return [f"{port} unit 0 family {family(address)} address {address}" for address in value]
        case "port.vlan":
            switching_line = f"interfaces {name} unit 0 family ethernet-switching"
            return [
                f"set {switching_line} interface-mode access",
                f"delete {switching_line} vlan members",
                f"set {switching_line} vlan members vn{value}",
            ]
        case "port.unnumbered":
            return [f"{port} unit 0 family inet6", f"set protocols router-advertisement interface {name}.0"]
    return None


def family(address: str) -> str:
    """``inet`` or ``inet6``."""
    return "inet6" if ":" in address else "inet"
