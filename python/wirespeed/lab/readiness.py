"""Whether a device has what the plan gives it: the kernel's own addresses, rules and routes, held against the plan's.

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
from wirespeed.settings import Host, Switch

_QUESTIONS = "address show\nroute show table all\nrule show\n"
_FILE = "questions"
_LIMIT_S = 60
_LOOK_S = 0.02


def of_host(host: Host, interfaces: Collection[str]) -> tuple[str, ...]:
    """What a host has once its network is configured, on those interfaces that have a cable."""
    lines: list[str] = []
    addresses: set[str] = set()
    for name in interfaces:
        for address in host.nics[name].addresses or () if name in host.nics else ():
            lines.append(_address(name, address))
            addresses.add(str(ip_interface(address).ip))
    for key, route in host.routes.items():
        table, _, destination = key.partition(" ")
        if route.device is not None and route.device in interfaces:
            lines.append(_route(table, destination, route.gateway or None, route.device))
    for key, rule in host.rules.items():
        source = ip_network(key.removeprefix("from "))
        if str(source.network_address) in addresses:
            lines.append(_rule(str(rule.priority), str(source), str(rule.table)))
    return tuple(lines)


def of_switch(switch: Switch, routes: Mapping[str, Sequence[object]]) -> tuple[str, ...]:
    """Routes of a switch once BGP has converged: the subnets of hosts, with their numbers of next hops."""
    lines = [
        _address(interface, address) for interface, port in switch.ports.items() for address in port.addresses or ()
    ]
    return (*lines, *(_format_hop_count(network, len(hops), "main") for network, hops in routes.items()))


def has(namespace: str, folder: Path, families: Collection[int]) -> set[str]:
    """What a namespace has, as the same lines.

    Raises:
        Refusal: `ip` fails.
    """
    path = folder / _FILE
    path.write_text(_QUESTIONS, encoding="utf-8")
    found: set[str] = set()
    for family in sorted(families):
        ran = run(("ip", "-n", namespace, f"-{family}", "-json", "-batch", str(path)), _LIMIT_S)
        if ran.status is not Status.OK:
            raise refuse(namespace, f"ip -batch: {ran.detail}", "addresses, routes and rules of a namespace")
        addresses, routes, rules = _documents(ran.stdout.decode())
        found |= {
            _address(link["ifname"], f"{entry['local']}/{entry['prefixlen']}")
            for link in addresses
            for entry in link.get("addr_info", ())
        }
        for route in routes:
            found |= set(_format_route(route, family))
        found |= {_format_rule(rule) for rule in rules if rule.get("src", "all") != "all"}
    return found


def families(expected: Collection[str]) -> set[int]:
    """The IP versions of the lines."""
    return {6 if ":" in line else 4 for line in expected}


def wait(
    waiting: Mapping[str, tuple[str, Path, Collection[str]]],
    within_s: float,
    why: Callable[[str], str | None] = lambda name: None,
    ended: Callable[[str], str | None] = lambda name: None,
) -> None:
    """Wait until devices have what they should: by name, their namespace, folder and lines.

    Raises:
        Refusal: one has not, when time is up, or because a daemon of it ``ended``; ``why`` may return the reason.
    """
    deadline = time.monotonic() + within_s
    for name, (namespace, folder, expected) in waiting.items():
        versions = families(expected)
        while missing := _list_missing(expected, has(namespace, folder, versions)):
            daemon = ended(name)
            if daemon is not None:
                raise refuse(name, f"{daemon}, which has ended", "a running daemon", why(name))
            if time.monotonic() > deadline:
                raise refuse(name, f"{len(missing)} not there after {within_s:g} s", missing[0], why(name))
            time.sleep(_LOOK_S)


def _list_missing(expected: Collection[str], found: Collection[str]) -> list[str]:
    return [line for line in expected if line not in found]


def _address(interface: str, address: str) -> str:
    return f"address {address} dev {interface}"


def _route(table: str, destination: str, gateway: str | None, device: str) -> str:
    via = f"via {gateway} " if gateway else ""
    return f"route {destination} {via}dev {device} table {table}"


def _rule(priority: str, source: str, table: str) -> str:
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
        yield _route(table, destination, route.get("gateway"), route.get("dev", "-"))
    if hops or "gateway" in route or "via" in route:
        yield _format_hop_count(destination, len(hops) or 1, table)


def _format_rule(rule: Mapping[str, Any]) -> str:
    source = ip_network(rule["src"] + (f"/{rule['srclen']}" if "srclen" in rule else ""))
    return _rule(str(rule["priority"]), str(source), rule.get("table", "-"))


def _documents(text: str) -> Iterator[Any]:
    """The JSON documents of a batch: one for each question, one after the other."""
    decoder = json.JSONDecoder()
    position = 0
    while position < len(text) and text[position:].strip():
        start = position + len(text[position:]) - len(text[position:].lstrip())
        document, position = decoder.raw_decode(text, start)
        yield document
