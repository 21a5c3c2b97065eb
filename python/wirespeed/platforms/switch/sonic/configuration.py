"""CONFIG_DB: the switch, its VLANs and ports."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.facts import COMPLETE, Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.output_values import parse_whole
from wirespeed.platforms.switch.config_reader import ReadValues, observe_settings, quantity
from wirespeed.platforms.switch.sonic.buffers import configured_groups
from wirespeed.platforms.switch.sonic.qos import Qos
from wirespeed.platforms.switch.sonic.routing import bgp
from wirespeed.platforms.switch.sonic.tables import Row, Tables, parse_tables
from wirespeed.platforms.switch.sonic.values import DEFAULT_MTU, FEC_KEYWORDS, ON_OFF, PORT_NAME
from wirespeed.settings import Place
from wirespeed.units import Bandwidth, Duration, Length, Size

_METRES = quantity(Length, "m", "m")


_Addresses = dict[str, tuple[tuple[str, ...] | None, int]]


def config_db(switch: Place, output: Output) -> Iterator[Observation]:
    """All settings of a complete CONFIG_DB: it contains all ports, VLANs and sessions."""
    tables = parse_tables(output.text)
    if tables is None or "PORT" not in tables.rows:
        return
    yield from observe_settings(switch, _read_switch(tables), output)
    yield from bgp(switch, tables, output)
    qos, members = Qos(tables), _read_members(tables)
    addresses = _read_addresses(tables, "INTERFACE")
    breakouts = _read_breakouts(tables)
    lengths = [row for _, row in tables.table("CABLE_LENGTH")]
    is_member = {key[1] for key, _ in tables.table("PORTCHANNEL_MEMBER") if len(key) == 2}
    for name, row in tables.by_port("PORT"):
        if PORT_NAME.fullmatch(name) is None:
            continue
        place = switch.child("port", name)
        running_row = {**_read_port(row), **members.get(name, {})}
        if name in is_member:  # the port channel's counts
            del running_row["port.link.mtu"]
        is_routed, line = addresses.get(name, ((), 0))
        interface_row = tables.row("INTERFACE", name)
        if name not in is_member and interface_row is None and is_routed == ():
            # A switched port that is an untagged member of no VLAN drops untagged frames: SONiC removes each port from
            # the default VLAN (sonic-swss, portsorch.cpp, removeDefaultVlanMembers).
            running_row.setdefault("port.vlan", (0, running_row.get("port.tagged_vlans", (None, row.line))[1]))
        yield from observe_settings(place, running_row, output)
        yield from observe_settings(place, _read_link(row), output, State.CONFIGURED)
        link_local = interface_row is not None and interface_row.get("ipv6_use_link_local_only") == "enable"
        read_values: ReadValues = {
            "port.addresses": (is_routed, line),
            "port.unnumbered": (link_local, interface_row.line if interface_row else 0),
        }
        if (breakout := _find_breakout(breakouts, name)) is not None:
            read_values["port.breakout"] = breakout
        yield from observe_settings(place, read_values, output)
        cable: ReadValues = {"port.cable_length": _read_cable_length(lengths, name)}
        yield from observe_settings(place, cable, output, State.CONFIGURED)
        yield from qos.port(place, name, output)
    names = [name for name, _ in tables.by_port("PORT") if PORT_NAME.fullmatch(name) is not None]
    yield from configured_groups(switch, tables, names, output)
    yield Observation(switch, "switch.ports", COMPLETE, output.source)
    yield from _read_vlans(switch, tables, output)


def _read_cable_length(lengths: list[Row], name: str) -> tuple[Length | None, int]:
    """The configured cable length of a port; 0 if there is none."""
    row = next((row for row in lengths if row.get(name) is not None), None)
    return (Length(0), 0) if row is None else (_METRES(row.get(name) or ""), row.find_line(name))


def _read_breakouts(tables: Tables) -> list[tuple[int, int, int]]:
    """Number of each front-panel port, that of its ports, and the line; in descending order."""
    breakouts = []
    for name, row in tables.by_port("BREAKOUT_CFG"):
        mode = re.match(r"([0-9]+)x", row.get("brkout_mode") or "")
        if PORT_NAME.fullmatch(name) is not None and mode is not None:
            breakouts.append((_parse_index(name), int(mode[1]), row.find_line("brkout_mode")))
    return sorted(breakouts, reverse=True)


def _find_breakout(breakouts: list[tuple[int, int, int]], name: str) -> tuple[int, int] | None:
    """The breakout of the front-panel port that a port belongs to: ports are named after their first lane."""
    return next(((count, line) for index, count, line in breakouts if index <= _parse_index(name)), None)


def _parse_index(name: str) -> int:
    return int(name.removeprefix("Ethernet"))


def _read_switch(tables: Tables) -> ReadValues:
    read_values: ReadValues = {"switch.routing": (True, 0)}
    lldp = tables.row("FEATURE", "lldp")
    if lldp is not None:
        states = {"enabled": True, "always_enabled": True, "disabled": False, "always_disabled": False}
        read_values["switch.lldp"] = (states.get(lldp.get("state") or ""), lldp.find_line("state"))
    watchdog = tables.row("PFC_WD", "GLOBAL")
    if watchdog is not None and (poll := parse_whole(watchdog.get("POLL_INTERVAL"))) is not None:
        read_values["switch.watchdog_poll"] = (Duration.from_unit(poll, "ms"), watchdog.find_line("POLL_INTERVAL"))
    loopbacks = _read_addresses(tables, "LOOPBACK_INTERFACE").get("Loopback0")
    if loopbacks is not None:
        read_values["switch.loopbacks"] = loopbacks
    pool = tables.row("BUFFER_POOL", "ingress_lossless_pool")
    read_values["switch.buffers.lossless"] = (pool is not None, pool.line if pool else 0)
    if pool is not None and (headroom := parse_whole(pool.get("xoff"))) is not None:
        read_values["switch.buffers.shared_headroom"] = (Size(headroom), pool.find_line("xoff"))
    return read_values


def _read_port(row: Row) -> ReadValues:
    mtu, status = row.get("mtu"), row.get("admin_status")
    return {
        "port.description": (row.get("description"), row.find_line("description")),
        "port.alias": (row.get("alias"), row.find_line("alias")),
        "port.link.mtu": (DEFAULT_MTU if mtu is None else parse_whole(mtu), row.find_line("mtu")),
        "port.link.enabled": ({None: False, "up": True, "down": False}.get(status), row.find_line("admin_status")),
        "port.link.training": (ON_OFF.get(row.get("link_training") or "off"), row.find_line("link_training")),
        "port.link.autonegotiation": (ON_OFF.get(row.get("autoneg") or "off"), row.find_line("autoneg")),
    }


def _read_link(row: Row) -> ReadValues:
    """The configured speed and FEC of the port; ``show interfaces status`` shows the running ones."""
    speed, fec = parse_whole(row.get("speed")), row.get("fec")
    return {
        "port.link.speed": (Bandwidth.from_unit(speed, "Mb/s") if speed else None, row.find_line("speed")),
        "port.link.fec": (fec if fec in FEC_KEYWORDS else None, row.find_line("fec")),
    }


def _read_members(tables: Tables) -> Mapping[str, ReadValues]:
    """The VLANs of each switched port."""
    read_values: dict[str, ReadValues] = {}
    tagged_vlans: dict[str, list[int]] = {}
    for key, row in tables.table("VLAN_MEMBER"):
        match = re.fullmatch(r"Vlan([0-9]{1,4})", key[0])
        if len(key) != 2 or match is None:
            continue
        port = read_values.setdefault(key[1], {})
        if row.get("tagging_mode") == "untagged":
            port["port.vlan"] = (int(match[1]), row.line)
        elif row.get("tagging_mode") == "tagged":
            tagged_vlans.setdefault(key[1], []).append(int(match[1]))
            port["port.tagged_vlans"] = (tuple(sorted(tagged_vlans[key[1]])), row.line)
        else:
            port.setdefault("port.vlan", (None, row.line))
    return read_values


def _read_addresses(tables: Tables, table: str) -> _Addresses:
    """By interface, IPv4 first: the database is not ordered.

    None if one is no address, if the interface is in a VRF, or if it lacks the row without an address that activates
    its addresses.
    """
    read_values: dict[str, list[tuple[str | None, int]]] = {}
    for key, row in tables.table(table):
        members = read_values.setdefault(key[0], [])
        if len(key) == 2:
            members.append((_parse_address(key[1]), row.line))
    result: _Addresses = {}
    for name, entries in read_values.items():
        interface_row = tables.row(table, name)
        line = entries[0][1] if entries else interface_row.line if interface_row else 0
        known_values = sorted(
            (address for address, _ in entries if address is not None), key=lambda address: ":" in address
        )
        sure = interface_row is not None and not interface_row.get("vrf_name") and len(known_values) == len(entries)
        result[name] = (tuple(known_values) if sure else None, line)
    return result


def _parse_address(text: str) -> str | None:
    try:
        return str(ipaddress.ip_interface(text)) if "/" in text else None
    except ValueError:
        return None


def _read_vlans(switch: Place, tables: Tables, output: Output) -> Iterator[Observation]:
    addresses = _read_addresses(tables, "VLAN_INTERFACE")
    for key, row in tables.table("VLAN"):
        match = re.fullmatch(r"Vlan([0-9]{1,4})", key[0])
        if match is None or len(key) != 1:
            continue
        mtu: Any = row.get("mtu")
        members, line = addresses.get(key[0], ((), row.line))
        read_values: ReadValues = {
            "vlan.description": (row.get("description"), row.find_line("description")),
            "vlan.mtu": (DEFAULT_MTU if mtu is None else parse_whole(mtu), row.find_line("mtu")),
            "vlan.addresses": (members, line),
        }
        yield from observe_settings(switch.child("vlan", match[1]), read_values, output)
    yield Observation(switch, "switch.vlans", COMPLETE, output.source)
