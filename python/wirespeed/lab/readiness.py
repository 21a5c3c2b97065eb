"""Compares addresses, rules and routes of a device's kernel with the plan.

Each is one line with the same text on both sides, so that missing lines can be listed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from ipaddress import ip_interface, ip_network
from pathlib import Path
from typing import Any

from wirespeed.errors import refuse
from wirespeed.reach import Status, run
from wirespeed.settings import Host, Switch, split_route_name

_QUESTIONS = "address show\nroute show table all\nrule show\n"
_FILE = "questions"
_LIMIT_S = 60
_LOOK_S = 0.02
_TABLE_NAMES = {"254": "main"}  # as ip prints them


def list_host_lines(host: Host, interfaces: Collection[str]) -> tuple[str, ...]:
    """The planned lines of a host, for its interfaces with a cable."""
    lines: list[str] = []
    addresses: set[str] = set()
    for name in interfaces:
        for address in host.nics[name].addresses or () if name in host.nics else ():
            lines.append(_format_address(name, address))
            addresses.add(str(ip_interface(address).ip))
    for key, route in host.routes.items():
        table, destination = split_route_name(key)
        if route.device is not None and route.device in interfaces:
            lines.append(
                _format_route_line(_TABLE_NAMES.get(table, table), destination, route.gateway or None, route.device)
            )
    for key, rule in host.rules.items():
        source = ip_network(key.removeprefix("from "))
        if str(source.network_address) in addresses:
            lines.append(_format_rule_line(str(rule.priority), str(source), str(rule.table)))
    return tuple(lines)


def list_switch_lines(switch: Switch, routes: Mapping[str, Sequence[object]]) -> tuple[str, ...]:
    """Routes of a switch once BGP has converged: the subnets of hosts, with their numbers of next hops."""
    lines = [
        _format_address(interface, address)
        for interface, port in switch.ports.items()
        for address in port.addresses or ()
    ]
    return (*lines, *(_format_hop_count(network, len(hops), "main") for network, hops in routes.items()))


def list_configured_lines(namespace: str, folder: Path, families: Collection[int]) -> set[str]:
    """The lines of a namespace.

    Raises:
        Refusal: `ip` fails.
    """
    path = folder / _FILE
    path.write_text(_QUESTIONS, encoding="utf-8")
    lines: set[str] = set()
    for family in sorted(families):
        ran = run(("ip", "-n", namespace, f"-{family}", "-json", "-batch", str(path)), _LIMIT_S)
        if ran.status is not Status.OK:
            raise refuse(namespace, f"ip -batch: {ran.detail}", "addresses, routes and rules of a namespace")
        addresses, routes, rules = _split_documents(ran.stdout.decode())
        lines |= {
            _format_address(link["ifname"], f"{entry['local']}/{entry['prefixlen']}")
            for link in addresses
            for entry in link.get("addr_info", ())
        }
        for route in routes:
            lines |= set(_format_route(route, family))
        lines |= {_format_rule(rule) for rule in rules if rule.get("src", "all") != "all"}
    return lines


def list_families(expected: Collection[str]) -> set[int]:
    """The IP versions of the lines."""
    return {6 if ":" in line else 4 for line in expected}


def wait(
    devices: Mapping[str, tuple[str, Path, Collection[str]]],
    within_s: float,
    find_reason: Callable[[str], str | None] = lambda name: None,
    find_ended_daemon: Callable[[str], str | None] = lambda name: None,
) -> None:
    """Wait until devices have all planned lines; ``devices`` maps a name to namespace, folder and lines.

    Raises:
        Refusal: lines of a device are missing at the timeout, or because ``find_ended_daemon`` returns one;
        ``find_reason`` may return the reason.
    """
    deadline = time.monotonic() + within_s
    for name, (namespace, folder, expected) in devices.items():
        versions = list_families(expected)
        while missing_lines := _list_missing(expected, list_configured_lines(namespace, folder, versions)):
            daemon = find_ended_daemon(name)
            if daemon is not None:
                raise refuse(name, f"{daemon}, which has ended", "a running daemon", find_reason(name))
            if time.monotonic() > deadline:
                raise refuse(
                    name, f"{len(missing_lines)} not there after {within_s:g} s", missing_lines[0], find_reason(name)
                )
            time.sleep(_LOOK_S)


def _list_missing(expected: Collection[str], found: Collection[str]) -> list[str]:
    return [line for line in expected if line not in found]


def _format_address(interface: str, address: str) -> str:
    return f"address {address} dev {interface}"


def _format_route_line(table: str, destination: str, gateway: str | None, device: str) -> str:
    via = f"via {gateway} " if gateway else ""
    return f"route {destination} {via}dev {device} table {table}"


def _format_rule_line(priority: str, source: str, table: str) -> str:
    return f"rule from {source} lookup {table} priority {priority}"


def _format_hop_count(destination: str, hops: int, table: str) -> str:
    return f"route {destination} over {hops} table {table}"


def _format_route(route: Mapping[str, Any], family: int) -> Iterator[str]:
    """A route by its next hop; by their number too, where a gateway leads on."""
    if "dst" not in route:
        return
    destination, table = route["dst"], route.get("table", "main")
    if destination == "default" and family == 6:
        destination = "::/0"  # as the plan names it
    hops = route.get("nexthops", ())
    if not hops:
        yield _format_route_line(table, destination, route.get("gateway"), route.get("dev", "-"))
    if hops or "gateway" in route or "via" in route:
        yield _format_hop_count(destination, len(hops) or 1, table)


def _format_rule(rule: Mapping[str, Any]) -> str:
    source = ip_network(rule["src"] + (f"/{rule['srclen']}" if "srclen" in rule else ""))
    return _format_rule_line(str(rule["priority"]), str(source), rule.get("table", "-"))


def _split_documents(text: str) -> Iterator[Any]:
    """The JSON documents of a batch: one for each question, one after the other."""
    decoder = json.JSONDecoder()
    position = 0
    while position < len(text) and text[position:].strip():
        start = position + len(text[position:]) - len(text[position:].lstrip())
        document, position = decoder.raw_decode(text, start)
        yield document
