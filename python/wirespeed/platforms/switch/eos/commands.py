"""One change of a setting as EOS commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from wirespeed.platforms.consequences import LINK_FLAP
from wirespeed.platforms.model import CommandSession, SettingCommands
from wirespeed.platforms.switch.eos.bgp_commands import PEER_CONSEQUENCES, peer_lines, speaker_lines
from wirespeed.platforms.switch.eos.values import (
    FEC_KEYWORDS,
    TRUST_KEYWORDS,
    format_pfc,
    format_shape,
    format_speed,
    format_thresholds,
    queue_keyword,
)
from wirespeed.platforms.switch.eos.watchdog_commands import SHARED_CONSEQUENCE, WATCHDOG_PATHS, watchdog_lines
from wirespeed.platforms.switch.interface_commands import address_lines, switch_command
from wirespeed.platforms.switch.policies import group_by_target
from wirespeed.settings import Device, Place, Port, Queue, Switch
from wirespeed.settings.qos import Discipline

_PROFILE_STAYS = "the commands change the port alone: correct its qos profile too, if it has one"
_SESSION = CommandSession(("configure",), ("end", "write memory"), "ranges-of-numbers")
"""Ranges of interfaces: Arista EOS User Manual, "Command-Line Interface"."""


def commands_for(place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
    """The commands of one change; ``device`` contains the other planned settings."""
    if not isinstance(device, Switch):
        return None
    names_by_kind = dict(place.entities)
    lines: list[str] | None = None
    consequence: str | None = None
    if place.kind is None:
        lines = speaker_lines(path, value, device) or _switch_lines(path, value)
        consequence = PEER_CONSEQUENCES.get(path)
    elif "peer" in names_by_kind:
        lines, consequence = peer_lines(names_by_kind["peer"], path, value, device), PEER_CONSEQUENCES.get(path)
    elif "vlan" in names_by_kind:
        number, setting = names_by_kind["vlan"], path.replace("vlan.", "port.")
        lines = _nest(f"vlan {number}", _nest(f"interface Vlan{number}", _interface_line(setting, value)))
    elif "queue" in names_by_kind:
        port = device.ports.get(names_by_kind["port"], Port())
        queue = port.queues.get(names_by_kind["queue"], Queue())
        lines = _queue_lines(names_by_kind["port"], names_by_kind["queue"], path, value, queue, device.chip)
        consequence = _PROFILE_STAYS if lines else None
    elif path in WATCHDOG_PATHS:
        port = device.ports.get(names_by_kind["port"], Port())
        lines = watchdog_lines(names_by_kind["port"], path, value, port, device)
        consequence = SHARED_CONSEQUENCE if lines and not lines[0].startswith("interface") else None
    elif path in ("port.qos.dscp_tc", "port.qos.tc_queue"):
        lines = _map_lines(path, value)
        consequence = "the map of the whole switch changes; packets in flight change their queue"
    elif path == "port.link.speed" or path == "port.link.lanes":
        port = device.ports.get(names_by_kind["port"], Port())
        link = replace(port.link, **{path.rpartition(".")[2]: value})
        lines, consequence = _nest(f"interface {names_by_kind['port']}", [f"speed {format_speed(link)}"]), LINK_FLAP
    else:
        port = device.ports.get(names_by_kind["port"], Port())
        inner = _pfc_lines(value, device) if path == "port.qos.pfc" else _interface_line(path, value, port)
        lines = _nest(f"interface {names_by_kind['port']}", inner)
        if path == "port.vlan":  # VLANs only exist after they are configured: Arista EOS User Manual, "Virtual LANs"
            lines = _nest(f"vlan {value}", lines)
        consequence = _CONSEQUENCES.get(path)
    if lines is None:
        return None
    return _SESSION.commands_for(lines, consequence)


_CONSEQUENCES = {
    "port.qos.pfc": _PROFILE_STAYS,
    "port.link.fec": LINK_FLAP,
    "port.link.training": LINK_FLAP,
    "port.link.enabled": "the link changes its state",
    "port.vlan": "the port leaves its VLAN; its addresses are unreachable until the host answers ARP again",
    "port.addresses": "the port becomes a routed port; its addresses are unreachable until the host answers ARP again",
}


def _nest(outer: str, lines: list[str] | None) -> list[str] | None:
    return None if lines is None else [outer, *lines]


def _switch_lines(path: str, value: Any) -> list[str] | None:
    match path:
        case "switch.loopbacks":
            return ["interface Loopback0", *address_lines(value)]
        case "switch.routing":
            return ["ip routing" if value else "no ip routing"]
        case "switch.lldp":
            return ["lldp run" if value else "no lldp run"]
        case "switch.pfc":
            return ["no priority-flow-control all off" if value else "priority-flow-control all off"]
        case "switch.ecn_counters":
            return ["hardware counter feature ecn out" if value else "no hardware counter feature ecn out"]
        case "switch.watchdog_poll":
            return [f"priority-flow-control pause watchdog default polling-interval {value.seconds:.3f}"]
    return None


def _map_lines(path: str, value: Any) -> list[str]:
    if path == "port.qos.tc_queue":
        return [f"qos map traffic-class {int(tc)} to tx-queue {int(queue)}" for tc, queue in sorted(value.items())]
    return [
        f"qos map dscp {' '.join(map(str, dscps))} to traffic-class {tc}"
        for tc, dscps in group_by_target(value.items())
    ]


def _pfc_lines(lossless: Any, switch: Switch) -> list[str]:
    if not lossless:
        return ["no priority-flow-control"]
    by_priority = lossless if isinstance(lossless, Mapping) else {number: number in lossless for number in range(8)}
    lines = [
        f"priority-flow-control priority {int(key)} {'no-drop' if is_enabled else 'drop'}"
        for key, is_enabled in by_priority.items()
    ]
    return [format_pfc(switch.os_version), *lines]


_INTERFACE: dict[str, Callable[[Any], list[str] | None]] = {
    "port.description": lambda value: [f"description {value}"],
    "port.mtu": lambda value: [f"mtu {value}"],  # of a VLAN interface
    "port.link.mtu": lambda value: [f"mtu {value}"],
    "port.link.fec": lambda value: [FEC_KEYWORDS[value]],
    "port.link.training": switch_command("phy link training"),
    "port.unnumbered": lambda value: ["no switchport", "ipv6 enable"] if value else ["no ipv6 enable"],
    "port.link.enabled": lambda value: ["no shutdown" if value else "shutdown"],
    "port.link.pause_send": lambda value: [f"flowcontrol send {'on' if value else 'off'}"],
    "port.link.pause_receive": lambda value: [f"flowcontrol receive {'on' if value else 'off'}"],
    "port.vlan": lambda value: ["switchport", "switchport mode access", f"switchport access vlan {value}"],
    "port.qos.trust": lambda value: [TRUST_KEYWORDS[value]],
}


def _interface_line(path: str, value: Any, port: Port | None = None) -> list[str] | None:
    if path == "port.addresses":
        is_routed = ["no switchport"] if port is not None else []
        return [*is_routed, *address_lines(value)]
    line = _INTERFACE.get(path)
    return None if line is None else line(value)


def _queue_lines(port: str, number: str, path: str, value: Any, queue: Queue, chip: str | None) -> list[str] | None:
    word = queue_keyword(chip)
    if word is None:
        return None
    block = [f"interface {port}", f"{word} {number}"]
    match path:
        case "queue.discipline":
            share = [] if queue.weight is None else [f"bandwidth percent {queue.weight}"]
            return [*block, "priority strict"] if value == Discipline.STRICT else [*block, "no priority", *share]
        case "queue.weight":
            return [*block, "no priority", f"bandwidth percent {value}"]
        case "queue.guaranteed":
            return [*block, f"bandwidth guaranteed percent {value}"]
        case "queue.shape":
            return [*block, format_shape(value)]
        case "queue.ecn.enabled" | "queue.ecn.minimum" | "queue.ecn.maximum" | "queue.ecn.probability":
            ecn = replace(queue.ecn, **{path.rpartition(".")[2]: value})
            if ecn.enabled is False:
                return [*block, "no random-detect ecn"]
            if ecn.minimum is None or ecn.maximum is None:
                return None
            return [*block, f"random-detect ecn {format_thresholds(ecn)}"]
        case "queue.ecn_counter":
            return [*block, "random-detect ecn count" if value else "no random-detect ecn count"]
    return None
