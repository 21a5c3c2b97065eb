"""Commands that change one setting: those of sonic-utilities, else the CONFIG_DB row."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from wirespeed.platforms.consequences import LINK_FLAP
from wirespeed.platforms.model import CommandSession, SettingCommands
from wirespeed.platforms.switch.policies import has_thresholds
from wirespeed.platforms.switch.sonic.database import build_database, build_family, scheduler_name
from wirespeed.platforms.switch.sonic.values import CABLES, FAMILIES, MAPS, VRF, computes_headroom
from wirespeed.settings import Device, Place, Port, Queue, Switch
from wirespeed.settings.qos import Watchdog

RESTART_BGP = "sudo systemctl restart bgp"
"""FRR sets a session's families when it is created: the container reads the tables anew."""

_RESTARTS = "the bgp container restarts: no routes until its sessions are established again"
_SHARED_CONSEQUENCE = "all queues with this profile change"
_CONSEQUENCES = {
    "port.link.speed": LINK_FLAP,
    "port.link.fec": LINK_FLAP,
    "port.link.training": LINK_FLAP,
    "port.link.enabled": "the link changes its state",
    "port.cable_length": "the port's headroom is computed again",
    "port.vlan": "the port leaves its VLAN; its addresses are unreachable until the host answers ARP again",
    "port.addresses": "the port's addresses are unreachable until the host answers ARP again",
    "port.unnumbered": "the sessions over the port restart",
    "port.qos.pfc": "the port's headroom is recreated",
    "port.qos.trust": "packets in flight change their queue",
    "switch.buffers.lossless": "the image's QoS maps replace the planned ones: apply the rendered configuration again",
    "switch.bgp.asn": "all BGP sessions restart",
    "switch.bgp.router_id": "all BGP sessions restart",
    "peer.asn": "the session restarts",
    "peer.unnumbered": "the session restarts",
    "peer.ipv4": _RESTARTS,
    "peer.ipv6": _RESTARTS,
}
_SESSION = CommandSession((), ("sudo config save -y",), "lines")


def commands_for(place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
    """The commands of one change; ``device`` contains the other planned settings."""
    if not isinstance(device, Switch):
        return None
    names_by_kind = dict(place.entities)
    consequence = _CONSEQUENCES.get(path)
    lines: list[str] | None
    if place.kind is None:
        lines = _switch_lines(place.device, path, value, device)
    elif "peer" in names_by_kind:
        lines = _peer_lines(place.device, names_by_kind["peer"], path, value, device)
    elif "vlan" in names_by_kind:
        lines = _vlan_lines(names_by_kind["vlan"], path, value)
    elif "queue" in names_by_kind:
        lines = _queue_lines(place.device, names_by_kind["port"], names_by_kind["queue"], path, value, device)
        consequence = _SHARED_CONSEQUENCE
    elif path in MAPS:
        lines = _map_lines(place.device, names_by_kind["port"], path, value, device)
        consequence = "all ports with this map change; packets in flight change their queue"
    else:
        lines = _port_lines(place.device, names_by_kind["port"], path, value, device)
    return _SESSION.commands_for(lines, consequence) if lines else None


def _set(table: str, key: str, fields: Mapping[str, Any]) -> str:
    """The row as stored: a list is one text under its name with @ (sonic-py-swsssdk, ConfigDBConnector)."""
    arguments = [word for name, value in (fields or {"NULL": "NULL"}).items() for word in _field_arguments(name, value)]
    return shlex.join(["sonic-db-cli", "CONFIG_DB", "HSET", f"{table}|{key}", *arguments])


def _field_arguments(name: str, value: Any) -> tuple[str, str]:
    return (name, value) if isinstance(value, str) else (f"{name}@", ",".join(value))


def _unset(table: str, key: str, field: str) -> str:
    return f"sonic-db-cli CONFIG_DB HDEL '{table}|{key}' {field}"


def _switch_lines(name: str, path: str, value: Any, switch: Switch) -> list[str] | None:
    match path:
        case "switch.buffers.lossless" if value:
            return ["sudo config qos reload"]
        case "switch.lldp":
            return [f"sudo config feature state lldp {'enabled' if value else 'disabled'}"]
        case "switch.watchdog_poll":
            return [f"sudo config pfcwd interval {value.milliseconds}"]
        case "switch.loopbacks":
            return ["sudo config loopback add Loopback0", *_format_addresses("Loopback0", value)]
    if not path.startswith("switch.bgp."):
        return None
    field = path.rpartition(".")[2]
    tables = build_database(name, replace(switch, bgp=replace(switch.bgp, **{field: value})))
    changed_tables = {"maximum_paths": ["BGP_GLOBALS_AF"], "networks": ["BGP_GLOBALS_AF_NETWORK"]}.get(
        field, ["BGP_GLOBALS"]
    )
    return [_set(table, key, row) for table in changed_tables for key, row in tables.get(table, {}).items()]


def _peer_lines(name: str, key: str, path: str, value: Any, switch: Switch) -> list[str] | None:
    if switch.bgp.asn is None or key not in switch.peers:
        return None
    peer = replace(switch.peers[key], **{path.partition(".")[2]: value})
    tables = build_database(name, replace(switch, peers={key: peer}))
    family = next((family_name for family_name, setting_path in FAMILIES.items() if setting_path == path), None)
    if family is not None:
        return _family_lines(name, key, family, bool(value), switch)
    if path == "peer.state":
        return None
    return [_set("BGP_NEIGHBOR", row_key, row) for row_key, row in tables["BGP_NEIGHBOR"].items()]


def _family_lines(name: str, key: str, family: str, is_active: bool, switch: Switch) -> list[str]:
    """The row of the family, and, for an active one, what it needs of the speaker."""
    row_key, row = f"{VRF}|{key}|{family}", build_family(family, is_active)
    if not is_active:
        return [_set("BGP_NEIGHBOR_AF", row_key, {"admin_status": "down"}), RESTART_BGP]
    tables = build_database(name, switch)
    shared = [
        _set(table, shared_key, fields)
        for table in ("AS_PATH_SET", "BGP_GLOBALS")
        for shared_key, fields in tables[table].items()
    ]
    activate = [] if "admin_status" in row else [_unset("BGP_NEIGHBOR_AF", row_key, "admin_status")]
    return [*shared, *activate, _set("BGP_NEIGHBOR_AF", row_key, row), RESTART_BGP]


def _vlan_lines(number: str, path: str, value: Any) -> list[str] | None:
    match path:
        case "vlan.addresses":
            return _format_addresses(f"Vlan{number}", value)
        case "vlan.mtu":
            return [_set("VLAN", f"Vlan{number}", {"mtu": str(value)})]
        case "vlan.description":
            return [_set("VLAN", f"Vlan{number}", {"description": value})]
    return None


def _format_addresses(interface: str, addresses: Any) -> list[str]:
    return [f"sudo config interface ip add {interface} {address}" for address in addresses]


def _queue_lines(name: str, port_name: str, number: str, path: str, value: Any, switch: Switch) -> list[str] | None:
    port = switch.ports.get(port_name, Port())
    queue = port.queues.get(number, Queue())
    field = path.rpartition(".")[2]
    if path.startswith("queue.ecn."):
        if path == "queue.ecn.enabled" and not value:
            return [_unset("QUEUE", f"{port_name}|{number}", "wred_profile")]
        queue = replace(queue, ecn=replace(queue.ecn, **{field: value}))
        if not has_thresholds(queue.ecn):
            return None
    else:
        queue = replace(queue, **{field: value})
    tables = build_database(
        name, _replace_port(switch, port_name, replace(port, queues={**port.queues, number: queue}))
    )
    row = tables["QUEUE"][f"{port_name}|{number}"]
    if path.startswith("queue.ecn."):
        profile = row["wred_profile"]
        global_settings, bound = (
            _set("WRED_PROFILE", profile, tables["WRED_PROFILE"][profile]),
            {"wred_profile": profile},
        )
    else:
        policy = scheduler_name(queue)
        global_settings, bound = _set("SCHEDULER", policy, tables["SCHEDULER"][policy]), {"scheduler": policy}
    return [global_settings, _set("QUEUE", f"{port_name}|{number}", bound)]


def _map_lines(name: str, port_name: str, path: str, value: Any, switch: Switch) -> list[str] | None:
    port = switch.ports.get(port_name, Port())
    qos = replace(port.qos, **{path.rpartition(".")[2]: value})
    tables = build_database(name, _replace_port(switch, port_name, replace(port, qos=qos)))
    qos_map = MAPS[path]
    bound = tables.get("PORT_QOS_MAP", {}).get(port_name, {}).get(qos_map.field)
    if bound is None:
        return None
    fields = {str(key): str(target) for key, target in sorted(value.items())}
    return [_set(qos_map.table, bound, fields), _set("PORT_QOS_MAP", port_name, {qos_map.field: bound})]


def _replace_port(switch: Switch, name: str, port: Port) -> Switch:
    return replace(switch, ports={**switch.ports, name: port})


def _port_lines(name: str, port_name: str, path: str, value: Any, switch: Switch) -> list[str] | None:
    port = switch.ports.get(port_name, Port())
    if path.startswith("port.qos.watchdog."):
        lines = _watchdog_lines(port_name, replace(port.qos.watchdog, **{path.rpartition(".")[2]: value}))
        lossless = ",".join(map(str, sorted(port.qos.pfc or ())))
        if path == "port.qos.watchdog.enabled" and value and lossless and lines:
            # `pfcwd start` (sonic-utilities) writes PFC_WD alone; orchagent reads the priorities when a watchdog starts
            return [_set("PORT_QOS_MAP", port_name, {"pfcwd_sw_enable": lossless}), *lines]
        return lines
    if path == "port.qos.trust":
        if value not in ("dscp", "dot1p") or not (mapping := getattr(port.qos, f"{value}_tc")):
            return None
        unbind = [_unset("PORT_QOS_MAP", port_name, "dscp_to_tc_map")] if value == "dot1p" else []
        read_values = _map_lines(name, port_name, f"port.qos.{value}_tc", mapping, switch)
        return None if read_values is None else [*unbind, *read_values]
    if path == "port.cable_length" and not computes_headroom(switch.chip):
        # `config interface cable-length` requires the dynamic buffer model (sonic-utilities, config/main.py)
        return [_set("CABLE_LENGTH", CABLES, {port_name: f"{value.whole('m')}m"})]
    line = _PORT.get(path)
    return None if line is None else line(port_name, value)


def _watchdog_lines(port: str, watchdog: Watchdog) -> list[str] | None:
    if watchdog.enabled is False:
        return [f"sudo config pfcwd stop {port}"]
    if watchdog.detect is None:
        return None
    action = f"--action {watchdog.action.value} " if watchdog.action else ""
    restore = "" if watchdog.restore is None else f" --restoration-time {watchdog.restore.milliseconds}"
    return [f"sudo config pfcwd start {action}{port} {watchdog.detect.milliseconds}{restore}"]


def _format_pfc(port: str, lossless: Any) -> list[str]:
    by_priority = lossless if isinstance(lossless, Mapping) else {number: number in lossless for number in range(8)}
    return [
        f"sudo config interface pfc priority {port} {int(key)} {'on' if is_enabled else 'off'}"
        for key, is_enabled in by_priority.items()
    ]


_PORT: Mapping[str, Callable[[str, Any], list[str]]] = {
    "port.description": lambda port, value: [_set("PORT", port, {"description": value})],
    "port.link.mtu": lambda port, value: [f"sudo config interface mtu {port} {value}"],
    "port.link.speed": lambda port, value: [f"sudo config interface speed {port} {value.whole('Mb/s')}"],
    "port.link.fec": lambda port, value: [f"sudo config interface fec {port} {value}"],
    "port.link.training": lambda port, value: [
        f"sudo config interface link-training {port} {'on' if value else 'off'}"
    ],
    "port.link.enabled": lambda port, value: [f"sudo config interface {'startup' if value else 'shutdown'} {port}"],
    "port.cable_length": lambda port, value: [f"sudo config interface cable-length {port} {value.whole('m')}m"],
    "port.vlan": lambda port, value: [f"sudo config vlan member add --untagged {value} {port}"],
    "port.tagged_vlans": lambda port, value: [f"sudo config vlan member add {number} {port}" for number in value],
    "port.addresses": _format_addresses,
    "port.unnumbered": lambda port, value: [
        f"sudo config interface ipv6 {'enable' if value else 'disable'} use-link-local-only {port}"
    ],
    "port.qos.pfc": _format_pfc,
}
