"""CONFIG_DB: the switch, its VLANs and ports."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.facts import COMPLETE, Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.output_values import parse_whole
from wirespeed.platforms.switch.config_reader import Found, observe_settings, quantity
from wirespeed.platforms.switch.sonic.qos import Qos
from wirespeed.platforms.switch.sonic.routing import bgp
from wirespeed.platforms.switch.sonic.tables import Row, Tables, tables_of
from wirespeed.platforms.switch.sonic.values import DEFAULT_MTU, FEC_WORDS, ON_OFF
from wirespeed.settings import Place
from wirespeed.units import Bandwidth, Duration, Length, Size

PORT_NAME = re.compile(r"Ethernet[0-9]+")

_METRES = quantity(Length, "m", "m")


_Addresses = dict[str, tuple[tuple[str, ...] | None, int]]


def config_db(switch: Place, output: Output) -> Iterator[Observation]:
    """All settings of a whole CONFIG_DB: its ports, VLANs and sessions are all there are."""
    tables = tables_of(output.text)
    if tables is None or "PORT" not in tables.rows:
        return
    yield from observe_settings(switch, _switch(tables), output)
    yield from bgp(switch, tables, output)
    qos, members = Qos(tables), _members(tables)
    addresses = _addresses(tables, "INTERFACE")
    lengths = [row for _, row in tables.table("CABLE_LENGTH")]
    bundled = {key[1] for key, _ in tables.table("PORTCHANNEL_MEMBER") if len(key) == 2}
    for name, row in tables.by_port("PORT"):
        if PORT_NAME.fullmatch(name) is None:
            continue
        place = switch.child("port", name)
        running = {**_port(row), **members.get(name, {})}
        if name in bundled:  # the port channel's counts
            del running["port.link.mtu"]
        yield from observe_settings(place, running, output)
        yield from observe_settings(place, _link(row), output, State.CONFIGURED)
        routed, line = addresses.get(name, ((), 0))
        interface_row = tables.row("INTERFACE", name)
        link_local = interface_row is not None and interface_row.get("ipv6_use_link_local_only") == "enable"
        found: Found = {
            "port.addresses": (routed, line),
            "port.unnumbered": (link_local, interface_row.line if interface_row else 0),
        }
        for length in lengths:
            if (text := length.get(name)) is not None:
                found["port.cable_length"] = (_METRES(text), length.line_of(name))
        yield from observe_settings(place, found, output)
        yield from qos.port(place, name, output)
    yield Observation(switch, "switch.ports", COMPLETE, output.source)
    yield from _vlans(switch, tables, output)


def _switch(tables: Tables) -> Found:
    found: Found = {"switch.routing": (True, 0)}
    lldp = tables.row("FEATURE", "lldp")
    if lldp is not None:
        words = {"enabled": True, "always_enabled": True, "disabled": False, "always_disabled": False}
        found["switch.lldp"] = (words.get(lldp.get("state") or ""), lldp.line_of("state"))
    watchdog = tables.row("PFC_WD", "GLOBAL")
    if watchdog is not None and (poll := parse_whole(watchdog.get("POLL_INTERVAL"))) is not None:
        found["switch.watchdog_poll"] = (Duration.from_unit(poll, "ms"), watchdog.line_of("POLL_INTERVAL"))
    loopbacks = _addresses(tables, "LOOPBACK_INTERFACE").get("Loopback0")
    if loopbacks is not None:
        found["switch.loopbacks"] = loopbacks
    pool = tables.row("BUFFER_POOL", "ingress_lossless_pool")
    found["switch.buffers.lossless"] = (pool is not None, pool.line if pool else 0)
    if pool is not None and (headroom := parse_whole(pool.get("xoff"))) is not None:
        found["switch.buffers.shared_headroom"] = (Size(headroom), pool.line_of("xoff"))
    return found


def _port(row: Row) -> Found:
    mtu, status = row.get("mtu"), row.get("admin_status")
    return {
        "port.description": (row.get("description"), row.line_of("description")),
        "port.link.mtu": (DEFAULT_MTU if mtu is None else parse_whole(mtu), row.line_of("mtu")),
        "port.link.enabled": ({None: False, "up": True, "down": False}.get(status), row.line_of("admin_status")),
        "port.link.training": (ON_OFF.get(row.get("link_training") or "off"), row.line_of("link_training")),
        "port.link.autonegotiation": (ON_OFF.get(row.get("autoneg") or "off"), row.line_of("autoneg")),
    }


def _link(row: Row) -> Found:
    """What the port is set to; what it runs at is in ``show interfaces status``."""
    speed, fec = parse_whole(row.get("speed")), row.get("fec")
    return {
        "port.link.speed": (Bandwidth.from_unit(speed, "Mb/s") if speed else None, row.line_of("speed")),
        "port.link.fec": (fec if fec in FEC_WORDS else None, row.line_of("fec")),
    }


def _members(tables: Tables) -> Mapping[str, Found]:
    """The VLANs of each switched port."""
    found: dict[str, Found] = {}
    tagged: dict[str, list[int]] = {}
    for key, row in tables.table("VLAN_MEMBER"):
        match = re.fullmatch(r"Vlan([0-9]{1,4})", key[0])
        if len(key) != 2 or match is None:
            continue
        port = found.setdefault(key[1], {})
        if row.get("tagging_mode") == "untagged":
            port["port.vlan"] = (int(match[1]), row.line)
        elif row.get("tagging_mode") == "tagged":
            tagged.setdefault(key[1], []).append(int(match[1]))
            port["port.tagged_vlans"] = (tuple(sorted(tagged[key[1]])), row.line)
    return found


def _addresses(tables: Tables, table: str) -> _Addresses:
    """By interface, IPv4 first: the database is not ordered.

    None if one is no address, if the interface is in a VRF, or if it lacks the row without an address that activates
    its addresses.
    """
    found: dict[str, list[tuple[str | None, int]]] = {}
    for key, row in tables.table(table):
        listed = found.setdefault(key[0], [])
        if len(key) == 2:
            listed.append((_address(key[1]), row.line))
    result: _Addresses = {}
    for name, entries in found.items():
        interface_row = tables.row(table, name)
        line = entries[0][1] if entries else interface_row.line if interface_row else 0
        known = sorted((address for address, _ in entries if address is not None), key=lambda address: ":" in address)
        sure = interface_row is not None and not interface_row.get("vrf_name") and len(known) == len(entries)
        result[name] = (tuple(known) if sure else None, line)
    return result


def _address(text: str) -> str | None:
    try:
        return str(ipaddress.ip_interface(text)) if "/" in text else None
    except ValueError:
        return None


def _vlans(switch: Place, tables: Tables, output: Output) -> Iterator[Observation]:
    addresses = _addresses(tables, "VLAN_INTERFACE")
    for key, row in tables.table("VLAN"):
        match = re.fullmatch(r"Vlan([0-9]{1,4})", key[0])
        if match is None or len(key) != 1:
            continue
        mtu: Any = row.get("mtu")
        listed, line = addresses.get(key[0], ((), row.line))
        found: Found = {
            "vlan.description": (row.get("description"), row.line_of("description")),
            "vlan.mtu": (DEFAULT_MTU if mtu is None else parse_whole(mtu), row.line_of("mtu")),
            "vlan.addresses": (listed, line),
        }
        yield from observe_settings(switch.child("vlan", match[1]), found, output)
    yield Observation(switch, "switch.vlans", COMPLETE, output.source)
