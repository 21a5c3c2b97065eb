"""Values for the templates of community SONiC, and settings that it cannot configure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.errors import Problem
from wirespeed.platforms.releases import parse_release
from wirespeed.platforms.switch.indented_config import natural
from wirespeed.platforms.switch.policies import find_invalid_texts, sort_ports
from wirespeed.platforms.switch.sonic.database import build_database, sort_tables
from wirespeed.platforms.switch.sonic.table_models import find_model_problems
from wirespeed.platforms.switch.sonic.values import DEFAULT_MTU, FEC_KEYWORDS, computes_headroom
from wirespeed.platforms.switch.watchdog import COMMUNITY_SONIC_POLLS, check_milliseconds
from wirespeed.settings import Device, Port, Switch
from wirespeed.settings.qos import WatchdogAction

EXAMPLE_VERSION = "202405.10-0000000"
"""Version in simulated output if the settings contain none."""

_XOFF, _XON = 257024, 47104
"""Headroom in simulated output if the settings contain none, and the part of a profile's size before a pause."""


# In ms; sonic-utilities, pfcwd: what `pfcwd start` takes.
_DETECT = range(100, 5001)
_RESTORE = range(100, 60_001)

_STATUS_READ_SINCE = (202505,)
_WRED_REPLACED_SINCE = (202511,)
"""sonic-buildimage, src/sonic-frr-mgmt-framework: hdl_admin_status of frrcfgd.py, and bgpd.conf.db.nbr_af.j2."""


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Computed values for the templates; ``problems`` lists settings that the system cannot configure."""
    if not isinstance(device, Switch):
        raise TypeError("a switch platform renders a Switch")
    ports = sort_ports(device.ports)
    tables = build_database(name, device)
    return {
        # The settings' names are more exact than those of the tables: what they explain is not repeated.
        "problems": list(_find_problems(name, device)) or list(find_model_problems(name, tables, device.os_version)),
        "tables": tables,
        "written": _format_json(tables),
        "running": _format_json(sort_tables(_build_whole(tables, device))),
        "applied": _format_applied(device),
        "ports": ports,
        "neighbours": [(key, port) for key, port in ports if port.neighbour.device is not None],
        "breakouts": _list_breakouts(device),
        "lossless": any(port.qos.pfc for port in device.ports.values()),
        "lanes": {key: _format_lanes(key, port) for key, port in ports},
        "asic": "mellanox" if computes_headroom(device.chip) else "broadcom",
        "families": [
            (label, [(key, peer) for key, peer in sorted(device.peers.items()) if getattr(peer, family)])
            for label, family in (("ipv4Unicast", "ipv4"), ("ipv6Unicast", "ipv6"))
        ],
        "routed": "BGP_GLOBALS" in tables,
        "refused_tables": _list_refused_tables(tables, device.os_version),
        "version": device.os_version or EXAMPLE_VERSION,
        "default_mtu": DEFAULT_MTU,
    }


def _format_json(tables: Mapping[str, Any]) -> str:
    return json.dumps(tables, indent=4) + "\n"


def _build_whole(tables: Mapping[str, Any], switch: Switch) -> dict[str, Any]:
    """CONFIG_DB as the device prints it, with the platform's entries for its ports and the image."""
    ports = {
        name: {"alias": f"etp{index}", "index": str(index), "lanes": _format_lanes(name, switch.ports[name]), **fields}
        for index, (name, fields) in enumerate(tables.get("PORT", {}).items(), start=1)
    }
    local = {"hwsku": "SKU", "platform": "x86_64-platform-r0", "type": "LeafRouter"}
    if computes_headroom(switch.chip):
        local["buffer_model"] = "dynamic"
    metadata = {"localhost": {**local, **tables["DEVICE_METADATA"]["localhost"]}}
    versions = {"DATABASE": {"VERSION": "version_202405_01"}}
    return {
        **tables,
        **_build_pools(switch),
        **({} if computes_headroom(switch.chip) else _build_groups(switch)),
        **_build_breakouts(switch),
        "PORT": ports,
        "DEVICE_METADATA": metadata,
        "VERSIONS": versions,
    }


def _build_pools(switch: Switch) -> dict[str, Any]:
    if not switch.buffers.lossless:
        return {}
    headroom = switch.buffers.shared_headroom
    pool = {"mode": "dynamic", "size": "12766208", "type": "ingress"}
    return {"BUFFER_POOL": {"ingress_lossless_pool": pool | ({} if headroom is None else {"xoff": str(int(headroom))})}}


def _build_groups(switch: Switch) -> dict[str, dict[str, Any]]:
    """The lossless groups of the ports with their profiles, as the buffer manager names them.

    Ports of one speed and cable length share a profile, with the largest of their headrooms.
    """
    groups: dict[str, Any] = {}
    profiles: dict[str, Any] = {}
    for name, port in switch.ports.items():
        if not port.qos.lossless_groups:
            continue
        link_speed = port.headroom_speed or port.link.speed
        speed = 0 if link_speed is None else link_speed.whole("Mb/s")
        length = 5 if port.cable_length is None else port.cable_length.whole("m")
        profile = f"pg_lossless_{speed}_{length}m_profile"
        xoff = max(int(port.headroom or _XOFF), int(profiles.get(profile, {"xoff": 0})["xoff"]))
        fields = {"dynamic_th": "0", "pool": "ingress_lossless_pool", "size": str(xoff + _XON), "xoff": str(xoff)}
        profiles[profile] = fields
        groups |= {f"{name}|{group}": {"profile": profile} for group in sorted(map(int, port.qos.lossless_groups))}
    return {"BUFFER_PG": groups, "BUFFER_PROFILE": profiles}


def _format_applied(switch: Switch) -> str:
    """The buffer tables of APPL_DB, as sonic-db-dump prints them."""
    rows = {
        f"{table}_TABLE:{key.replace('|', ':')}": {"type": "hash", "value": row}
        for table, members in (_build_groups(switch) | _build_pools(switch)).items()
        for key, row in members.items()
    }
    return json.dumps(rows, indent=2, sort_keys=True)


def _list_breakouts(switch: Switch) -> list[tuple[str, int]]:
    """Front-panel ports, named after their first lane, and the number of ports of each."""
    return sorted(
        {(_find_panel(name, port), port.breakout) for name, port in switch.ports.items() if port.breakout},
        key=lambda entry: natural(entry[0]),
    )


def _find_panel(name: str, port: Port) -> str:
    lanes = (port.link.lanes or 1) * (port.breakout or 1)
    return f"Ethernet{int(name.removeprefix('Ethernet')) // lanes * lanes}"


def _build_breakouts(switch: Switch) -> dict[str, Any]:
    """Of as many ports as the platform's file names first: their speed is that of a part."""
    speeds = {
        _find_panel(name, port): port.link.speed.whole("Gb/s")
        for name, port in switch.ports.items()
        if port.breakout and port.link.speed
    }
    rows = {panel: {"brkout_mode": f"{count}x{speeds[panel]}G"} for panel, count in _list_breakouts(switch)}
    return {"BREAKOUT_CFG": rows} if rows else {}


def _format_lanes(name: str, port: Port) -> str:
    """As many as the port has, from the number in its name on."""
    first = int("".join(filter(str.isdigit, name)) or 0)
    return ",".join(str(first + lane) for lane in range(port.link.lanes or 1))


def _list_refused_tables(tables: Mapping[str, Any], os_version: str | None) -> list[str]:
    """Tables of the plan that ``config replace`` refuses on hardware that it does not list.

    Source: sonic-utilities 202205 to master, generic_config_updater/gcu_field_operation_validators.conf.json: PFC_WD in
    all, WRED_PROFILE up to 202505.
    """
    refused = ["PFC_WD"] if tables.get("PFC_WD") else []
    if tables.get("WRED_PROFILE"):
        if os_version is None:
            refused.append("WRED_PROFILE (before 202511)")
        elif parse_release(os_version) < _WRED_REPLACED_SINCE:
            refused.append("WRED_PROFILE")
    return refused


def _find_problems(name: str, switch: Switch) -> Iterator[Problem]:
    yield from find_invalid_texts(name, switch)
    yield from check_milliseconds(f"{name}: switch.watchdog_poll", switch.watchdog_poll, COMMUNITY_SONIC_POLLS)
    yield from _check_families(name, switch)
    for port_name, port in sort_ports(switch.ports):
        yield from _port_problems(f"{name} {port_name}", port, computes_headroom(switch.chip))


def _check_families(name: str, switch: Switch) -> Iterator[Problem]:
    """IPv6 needs ``admin_status``, which frrcfgd and its templates read as in the model since 202505 only."""
    if switch.os_version is None or parse_release(switch.os_version) >= _STATUS_READ_SINCE:
        return
    if any(peer.ipv6 for peer in switch.peers.values()):
        yield Problem(
            f"{name}: peer.ipv6",
            f"on, with Community SONiC {switch.os_version}",
            "202505 or later",
            "before, the model takes up and down, and frrcfgd activates a family for true only",
        )


def _port_problems(location: str, port: Port, maps_groups: bool) -> Iterator[Problem]:
    if port.link.pause_send or port.link.pause_receive:
        yield Problem(f"{location}: global pause", "on", "off", "PFC and global pause exclude each other")
    if port.breakout is not None and port.link.lanes is None:
        yield Problem(f"{location}: port.link.lanes", "none", "the lanes of a split port, after which it is named")
    if port.link.fec is not None and port.link.fec not in FEC_KEYWORDS:
        yield Problem(f"{location}: port.link.fec", port.link.fec, "rs, fc or none")
    if port.cable_length is not None and (port.cable_length % 1000 or not port.cable_length):
        yield Problem(f"{location}: port.cable_length", str(port.cable_length), "whole metres")
    if port.qos.trust == "dscp" and not port.qos.dscp_tc:
        yield Problem(f"{location}: port.qos.trust", "dscp without a map", "a map of DSCP to traffic classes")
    watchdog = port.qos.watchdog
    if watchdog.action is WatchdogAction.ERRDISABLE:
        yield Problem(f"{location}: port.qos.watchdog.action", "errdisable", "drop, forward or alert")
    for path, time, span in (("detect", watchdog.detect, _DETECT), ("restore", watchdog.restore, _RESTORE)):
        yield from check_milliseconds(f"{location}: port.qos.watchdog.{path}", time, span)
    for priority, group in () if maps_groups else sorted((port.qos.pfc_pg or {}).items()):
        if int(priority) != int(group):
            yield Problem(
                f"{location}: port.qos.pfc_pg",
                f"priority {priority} paused by group {group}",
                f"group {priority}",
                "on this chip a priority group pauses the priority of its number",
            )
    for number, queue in port.queues.items():
        if queue.weight is not None and queue.weight not in range(1, 101):
            yield Problem(f"{location} queue {number}: queue.weight", str(queue.weight), "1 to 100")
        if queue.shape is not None and queue.shape % 8:
            yield Problem(f"{location} queue {number}: queue.shape", str(queue.shape), "whole bytes per second")
