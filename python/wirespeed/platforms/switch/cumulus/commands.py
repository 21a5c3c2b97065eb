"""Commands that change one setting with NVUE.

Defaults and ranges: NVIDIA Cumulus Linux 5.12 documentation. The forms of the commands are in ``forms.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wirespeed.platforms.consequences import LINK_FLAP
from wirespeed.platforms.declaration import find_declared_default, find_declared_polls, list_declared_defaults
from wirespeed.platforms.model import CommandSession, SettingCommands
from wirespeed.platforms.switch.cumulus.release_keywords import ReleaseKeywords, find_keywords
from wirespeed.settings import Device, Discipline, Place, Switch

BFD_PROFILE = "ROCE"
"""Name of the BFD profile of all neighbours."""

DEFAULT_MTU: int = find_declared_default("switch/cumulus", "port.link.mtu")
DEFAULT_POLL_MS: int = find_declared_default("switch/cumulus", "switch.watchdog_poll").milliseconds
DEFAULT_ROBUSTNESS: int = find_declared_polls("switch/cumulus", "port.qos.watchdog.detect")
DEFAULT_ECN: Mapping[str, Any] = list_declared_defaults(
    "switch/cumulus", "queue.ecn.minimum", "queue.ecn.maximum", "queue.ecn.probability"
)
ROCE_PFC = (3,)
"""Switch priorities with PFC in the lossless RoCE mode."""
ROCE_MARKED = (0, 3)
"""Traffic classes that the RoCE mode marks."""
ROCE_SCHEDULING = {0: (Discipline.DWRR, 50), 3: (Discipline.DWRR, 50), 6: (Discipline.STRICT, None)}
"""Discipline and weight (percent) of the traffic classes that the RoCE mode uses."""
ROCE_QUEUES = {number: number if number in ROCE_SCHEDULING else 0 for number in range(8)}
"""Traffic class of each switch priority in the RoCE mode."""

FEC = {"rs": "rs", "baser": "fc", "off": "none"}
FEC_KEYWORDS = {setting: word for word, setting in FEC.items()}
TRUST = {"l3": "dscp", "l2": "dot1p", "both": "both"}
TRUST_KEYWORDS = {setting: word for word, setting in TRUST.items()}
ON_KEYWORDS = ("on", "enable", "enabled")
OFF_KEYWORDS = ("off", "disable", "disabled")

_BUFFERS = "switchd divides the packet buffer again; packets in it are lost"
"""NVIDIA Cumulus Linux 5.12 documentation, Quality of Service: changes to PFC modify the ASIC's buffer."""


def choose_family(address: str) -> str:
    """``ipv4`` or ``ipv6``."""
    return "ipv6" if ":" in address else "ipv4"


_SESSION = CommandSession((), ("nv config apply", "nv config save"), "lines")


def commands_for(place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
    """The commands of one change; ``device`` contains the other planned settings."""
    if not isinstance(device, Switch):
        return None
    names_by_kind, keywords = dict(place.entities), find_keywords(device)
    if "queue" in names_by_kind:
        lines = _format_queue(names_by_kind["queue"], path, value)
    elif "vlan" in names_by_kind:
        lines = _format_vlan(names_by_kind["vlan"], path, value, keywords)
    elif "port" in names_by_kind:
        lines = (
            _format_qos(path, value, device)
            if path.startswith("port.qos.") or path == "port.cable_length"
            else _format_port(names_by_kind["port"], path, value, keywords)
        )
        if path == "port.qos.watchdog.enabled":
            lines = [f"interface {names_by_kind['port']} qos pfc-watchdog state {'enable' if value else 'disable'}"]
    else:
        lines = _format_switch(path, value, keywords)
    if lines is None:
        return None
    consequence = _BUFFERS if path in _PFC else LINK_FLAP if path in _LINK else None
    return _SESSION.commands_for((f"nv set {line}" for line in lines), consequence)


_PFC = ("port.qos.pfc", "port.qos.pfc_queue", "port.cable_length")
_LINK = ("port.link.speed", "port.link.fec", "port.breakout", "port.link.enabled")


def _format_switch(path: str, value: Any, keywords: ReleaseKeywords) -> list[str] | None:
    match path:
        case "switch.watchdog_poll":
            return [f"qos pfc-watchdog polling-interval {value.milliseconds}"]
        case "switch.buffers.lossless_share":
            return [f"qos traffic-pool roce-lossless memory-percent {value}"]
        case "switch.buffers.lossy_share":
            return [f"qos traffic-pool default-lossy memory-percent {value}"]
        case "switch.bgp.asn":
            return [f"router bgp autonomous-system {value}"]
        case "switch.bgp.router_id":
            return [f"router bgp router-id {value}"]
        case "switch.bgp.maximum_paths":
            return [f"vrf default router bgp address-family ipv4-unicast multipaths ebgp {value}"]
        case "switch.bgp.multipath_relax":
            state = keywords.format_state(value)
            return [f"vrf default router bgp path-selection multipath aspath-ignore {state}"]
    return None


def _format_port(name: str, path: str, value: Any, keywords: ReleaseKeywords) -> list[str] | None:
    match path:
        case "port.link.mtu":
            return [f"interface {name} link mtu {value}"]
        case "port.link.speed":
            return [f"interface {name} link speed {value.whole('Gb/s')}G"]
        case "port.link.fec":
            return [f"interface {name} link fec {FEC_KEYWORDS[value]}"]
        case "port.link.enabled":
            return [f"interface {name} link state {'up' if value else 'down'}"]
        case "port.breakout":
            return [f"interface {name.rpartition('s')[0]} link breakout {value}x"]
        case "port.vlan":
            return [f"interface {name} bridge domain br_default access {value}"]
        case "port.addresses":
            return [f"interface {name} {keywords.family(address)} address {address}" for address in value]
    return None


def _format_vlan(number: str, path: str, value: Any, keywords: ReleaseKeywords) -> list[str] | None:
    match path:
        case "vlan.mtu":
            return [f"interface vlan{number} link mtu {value}"]
        case "vlan.addresses":
            return [f"interface vlan{number} {keywords.family(address)} address {address}" for address in value]
    return None


def _format_qos(path: str, value: Any, switch: Switch) -> list[str] | None:
    match path:
        case "port.cable_length":
            return [f"qos pfc default-global cable-length {value.whole('m')}"]
        case "port.qos.trust":
            return [f"qos mapping default-global trust {TRUST_KEYWORDS[value]}"]
        case "port.qos.dscp_tc":
            return [
                f"qos mapping default-global dscp {int(dscp)} switch-priority {int(tc)}"
                for dscp, tc in _sort_items(value)
            ]
        case "port.qos.tc_queue":
            return [
                f"qos egress-queue-mapping default-global switch-priority {int(tc)} traffic-class {int(queue)}"
                for tc, queue in _sort_items(value)
            ]
        case "port.qos.pfc_queue":  # a pause stops the traffic class of its switch priority
            pfc = _format_qos("port.qos.pfc", value.keys(), switch) or []
            return pfc + (_format_qos("port.qos.tc_queue", value, switch) or [])
        case "port.qos.pfc":
            priorities = (
                [key for key, is_enabled in value.items() if is_enabled] if isinstance(value, Mapping) else value
            )
            pfc_lines = [f"qos pfc default-global switch-priority {int(priority)}" for priority in sorted(priorities)]
            is_preset = tuple(int(priority) for priority in priorities) == ROCE_PFC
            return ["qos roce mode lossless", *([] if is_preset else pfc_lines)]
        case "port.qos.watchdog.detect" if switch.watchdog_poll:
            return [f"qos pfc-watchdog robustness {int(value) // int(switch.watchdog_poll)}"]
    return None


def _sort_items(value: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    return sorted(value.items())


def _format_queue(number: str, path: str, value: Any) -> list[str] | None:
    marking = f"qos congestion-control default-global traffic-class {number}"
    match path:
        case "queue.discipline":
            return [f"qos egress-scheduler default-global traffic-class {number} mode {value}"]
        case "queue.weight":
            return [f"qos egress-scheduler default-global traffic-class {number} bw-percent {value}"]
        case "queue.ecn.enabled":
            return [f"{marking} ecn {'enable' if value else 'disable'}"]
        case "queue.ecn.minimum":
            return [f"{marking} min-threshold {int(value)}"]
        case "queue.ecn.maximum":
            return [f"{marking} max-threshold {int(value)}"]
        case "queue.ecn.probability":
            return [f"{marking} probability {value}"]
    return None
