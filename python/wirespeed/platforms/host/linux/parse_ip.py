"""Addresses, routes and rules, as iproute2 prints them in JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv6Network
from typing import Any

from wirespeed.facts import COMPLETE, Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import observe, parse_json_objects, parse_network, parse_whole
from wirespeed.settings import Place
from wirespeed.units import Duration

_TABLES = {"default": 253, "main": 254, "local": 255}
"""Names of the tables every system has (linux/rtnetlink.h, enum rt_class_t)."""

_UNICAST = ("unicast", "1")

_REFUSALS = {"6": "blackhole", "7": "unreachable", "8": "prohibit", "9": "throw"}
"""Types of routes and actions of rules that do not forward a packet, by number: iproute2 -N prints the number.

Source: linux/rtnetlink.h, RTN_…; linux/fib_rules.h, FR_ACT_…, which has the same numbers.

Those of local, broadcast and multicast addresses are of the kernel's own table.
"""

_RULE_SELECTORS = (
    *("tos", "dsfield", "fwmark", "fwmask", "iif", "oif", "l3mdev", "uid_start", "uid_end", "ipproto", "tun_id"),
    *("sport", "sport_start", "sport_end", "dport", "dport_start", "dport_end", "goto"),
    *("suppress_prefixlen", "suppress_ifgroup"),
)
"""Selectors of a rule other than addresses, and its suppressors; source: iproute2, iprule.c."""


@dataclass(frozen=True, slots=True)
class _Version:
    """An IP version: length of its addresses, and the term for all of them in names of rules and routes."""

    bits: int
    all_addresses: str
    everywhere: str


_IPV4 = _Version(32, "all", "default")
_IPV6 = _Version(128, "::/0", "::/0")

_LINK_LOCAL = IPv6Network("fe80::/10")  # RFC 4291, section 2.4; each interface has a route there, in the same table


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Interfaces that can be a NIC, their addresses, and the host's routing: IPv4, and IPv6 where the kernel has it."""
    host = Place(outputs.device)
    if output := outputs.get("ip-addr"):
        yield from _read_interfaces(host, output)
    if output := outputs.get("ip-rule"):
        yield from _read_rules(host, output)
    if output := outputs.get("ip-route"):
        yield from _read_routes(host, output)
    if output := outputs.get("ip-neigh"):
        yield from _read_neighbours(host, output)
    if output := outputs.get("ip-rule-6"):
        yield from _read_rules(host, output, _IPV6)
    if output := outputs.get("ip-route-6"):
        yield from _read_routes(host, output, _IPV6)


def _read_interfaces(host: Place, output: Output) -> Iterator[Observation]:
    objects = parse_json_objects(output)
    if objects is None:
        return
    for line, link in objects:
        name = link.get("ifname")
        if isinstance(name, str) and name and _is_nic(link):
            yield from _read_nic(host.child("nic", name), link, output, line)
    yield observe(host, "host.nics", COMPLETE, output)


def _is_nic(link: dict[str, Any]) -> bool:
    """A hardware port, a bond, or in a lab a virtual pair that represents a port: it has an address or an alias.

    A link that is down may lose its address, and keeps its alias.
    """
    if link.get("link_type") != "ether":
        return False
    kind = _read_link_info(link).get("info_kind")
    stands = bool(_format_addresses(link) or link.get("ifalias"))
    return kind in (None, "bond") or (kind == "veth" and "master" not in link and stands)


def _read_link_info(link: dict[str, Any]) -> dict[str, Any]:
    info = link.get("linkinfo")
    return info if isinstance(info, dict) else {}


def _format_addresses(link: dict[str, Any]) -> tuple[str, ...]:
    entries = link.get("addr_info")
    return tuple(
        f"{entry['local']}/{entry['prefixlen']}"
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and {"local", "prefixlen"} <= entry.keys() and entry.get("scope") in ("global", "0")
    )


def _read_nic(place: Place, link: dict[str, Any], output: Output, line: int) -> Iterator[Observation]:
    flags = link.get("flags")
    if isinstance(flags, list):
        yield observe(place, "nic.link.up", {"UP", "LOWER_UP"} <= {str(flag) for flag in flags}, output, line)
    mtu = parse_whole(link.get("mtu"))
    if mtu is not None:
        yield observe(place, "nic.link.mtu", mtu, output, line)
    if isinstance(link.get("address"), str):
        yield observe(place, "nic.mac", link["address"], output, line)
    if isinstance(link.get("addr_info"), list):
        yield observe(place, "nic.addresses", _format_addresses(link), output, line)
    yield from _read_bond(place, link, output, line)


def _read_bond(place: Place, link: dict[str, Any], output: Output, line: int) -> Iterator[Observation]:
    """The bond of a port, and mode and link monitoring of a bond (iproute2, ip/iplink_bond.c)."""
    info = _read_link_info(link)
    is_port = info.get("info_slave_kind") == "bond"
    yield observe(place, "nic.controller", str(link.get("master", "")) if is_port else "", output, line)
    values = info.get("info_data")
    if info.get("info_kind") != "bond" or not isinstance(values, dict):
        return
    if isinstance(values.get("mode"), str):
        yield observe(place, "nic.bond.mode", values["mode"], output, line)
    interval_ms = parse_whole(values.get("miimon"))
    if interval_ms is not None:
        yield observe(place, "nic.bond.monitor", Duration.from_unit(interval_ms, "ms"), output, line)


def _read_rules(host: Place, output: Output, version: _Version = _IPV4) -> Iterator[Observation]:
    objects = parse_json_objects(output)
    if objects is None:
        return
    names: set[str] = set()
    for line, rule in objects:
        name = _parse_selector(rule, version)
        table, priority = _parse_table(rule.get("table")), parse_whole(rule.get("priority"))
        if name in names and table is not None:  # the kernel tries it if the first one's table has no route
            name = f"{name} lookup {table}"
        if name is None or name in names:
            continue
        names.add(name)
        place = host.child("rule", name)
        if table is not None:
            yield observe(place, "rule.table", table, output, line)
        if priority is not None:
            yield observe(place, "rule.priority", priority, output, line)
    if version is _IPV6:
        yield observe(host, "host.ipv6_rules", len(objects), output)
    else:
        yield observe(host, "host.rules", COMPLETE, output)


def _parse_selector(rule: dict[str, Any], version: _Version) -> str | None:
    """The selector of a rule, masked: ``from 10.1.0.1/32 to 10.2.0.0/16``; also its mark, interface …"""
    arguments = ["not"] if "not" in rule else []
    source = rule.get("src", "all")
    is_any = source in ("all", "0.0.0.0", "::")
    network = version.all_addresses if is_any else parse_network(source, parse_whole(rule.get("srclen", version.bits)))
    if network is None:
        return None
    arguments += ["from", network]
    if rule.get("dst", "all") != "all":
        target = parse_network(rule["dst"], parse_whole(rule.get("dstlen", version.bits)))
        if target is None:
            return None
        arguments += ["to", target]
    for key in _RULE_SELECTORS:
        if key in rule:
            arguments += [key, str(rule[key])]
    if "action" in rule or not {"table", "goto"} & rule.keys():
        action = str(rule.get("action", "other"))
        arguments += ["action", _REFUSALS.get(action, action)]
    if arguments == ["from", version.all_addresses] and rule.get("table") is not None:
        arguments += ["lookup", str(_parse_table(rule["table"]) or rule["table"])]
    return " ".join(arguments)


def _parse_table(name: object) -> int | None:
    return _TABLES.get(name) if isinstance(name, str) and name in _TABLES else parse_whole(name)


def _read_routes(host: Place, output: Output, version: _Version = _IPV4) -> Iterator[Observation]:
    objects = parse_json_objects(output)
    if objects is None:
        return
    names: set[str] = set()
    for line, route in objects:
        name, metric = _route_name(route, version), parse_whole(route.get("metric"))
        kind = str(route.get("type", "unicast"))
        refusal = _REFUSALS.get(kind, kind if kind in _REFUSALS.values() else None)
        if refusal is None and kind not in _UNICAST:
            continue
        if name is not None and refusal is not None:
            name = f"{name} {refusal}"
        if name in names:  # of two routes to one destination the kernel lists the better first
            name = None if metric is None else f"{name} metric {metric}"
        if name is None or name in names:
            continue
        names.add(name)
        place = host.child("route", name)
        if refusal is not None:
            yield observe(place, "route.type", refusal, output, line)
            if metric is not None:
                yield observe(place, "route.metric", metric, output, line)
            continue
        hops = route.get("nexthops")
        hops = [hop for hop in hops if isinstance(hop, dict)] if isinstance(hops, list) else [route]
        devices = [str(hop["dev"]) for hop in hops if "dev" in hop]
        if devices:
            yield observe(place, "route.device", ",".join(devices), output, line)
        yield observe(
            place, "route.gateway", ",".join(_format_gateway(hop) for hop in hops if _format_gateway(hop)), output, line
        )
        if isinstance(route.get("prefsrc"), str):
            yield observe(place, "route.source", route["prefsrc"], output, line)
        if metric is not None:
            yield observe(place, "route.metric", metric, output, line)
    if version is _IPV6:
        yield observe(host, "host.ipv6_routes", len(objects), output)
    else:
        yield observe(host, "host.routes", COMPLETE, output)


def _read_neighbours(host: Place, output: Output) -> Iterator[Observation]:
    """Resolved neighbour addresses; unresolved ones are left out."""
    objects = parse_json_objects(output)
    if objects is None:
        return
    for line, entry in objects:
        interface, address, mac, states = (entry.get(key) for key in ("dev", "dst", "lladdr", "state"))
        is_reachable = isinstance(states, list) and not {"INCOMPLETE", "FAILED"} & {str(state) for state in states}
        if is_reachable and all(isinstance(field, str) for field in (interface, address, mac)):
            yield observe(host.child("neighbour", f"{interface} {address}"), "neighbour.mac", mac, output, line)
    yield observe(host, "host.neighbours", COMPLETE, output)


def _format_gateway(hop: dict[str, Any]) -> str:
    via = hop.get("via")
    return str(hop.get("gateway") or (via.get("host", "") if isinstance(via, dict) else ""))


def _route_name(route: dict[str, Any], version: _Version) -> str | None:
    table = _parse_table(route.get("table", "main"))
    target = route.get("dst")
    network = version.everywhere if target == "default" else parse_network(target)
    if table is None or network is None or _link_local(network):
        return None
    return f"{table} {network}"


def _link_local(destination: str) -> bool:
    return ":" in destination and IPv6Network(destination).subnet_of(_LINK_LOCAL)
