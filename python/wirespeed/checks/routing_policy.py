"""The rule of a host that selects the route of a packet, in the order in which the kernel tries rules (ip-rule(8))."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

from wirespeed.settings import Route, Rule, split_route_name

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

LOCAL = 255  # the kernel's RT_TABLE_LOCAL, which has no route to other hosts
_REFUSALS = frozenset({"blackhole", "unreachable", "prohibit", "6", "7", "8"})  # linux/fib_rules.h, FR_ACT_…
_ADDRESSES = frozenset({"from", "to"})
_OUTCOMES = frozenset({"lookup", "action", "goto", "suppress_prefixlen"})
_JUDGED = frozenset({"fwmark", "fwmask", "iif", "oif"})


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet that the host sends over an interface: it has no mark."""

    source: Address
    destination: Address
    interface: str


def find_deciding_rule(
    rules: Mapping[str, Rule], routes: Mapping[str, Route], packet: Packet, table: int
) -> tuple[str, Rule] | None:
    """The first rule that selects the packet and leads to ``table``, to a route of another table, or refuses it."""
    target = 0
    for name, rule in list_selecting_rules(rules, packet.source, packet.interface):
        options = _parse_options(name)
        if (rule.priority or 0) < target or not _selects(name, packet.source, packet.interface, packet.destination):
            continue
        if "goto" in options:
            target = int(options["goto"]) if options["goto"].isdigit() else target
        elif rule.table == table or options.get("action") in _REFUSALS or _has_route(rule, options, routes, packet):
            return name, rule
    return None


def list_selecting_rules(rules: Mapping[str, Rule], source: Address, interface: str) -> Iterator[tuple[str, Rule]]:
    """Rules but that of the local table that select packets of this source to some destination, first to last."""
    for name, rule in sorted(rules.items(), key=lambda member: member[1].priority or 0):
        if rule.table != LOCAL and _selects(name, source, interface):
            yield name, rule


def find_destination(name: str) -> Network | None:
    """The destination that a rule selects, if it selects any source."""
    options = _parse_options(name)
    is_plain = options.get("from") in ("all", "::/0") and not name.startswith("not ")
    return ip_network(options["to"]) if is_plain and "to" in options else None


def includes(network: Network, needed: Network) -> bool:
    """Whether a network but that of all addresses includes another."""
    return network.version == needed.version and 0 < network.prefixlen <= needed.prefixlen and needed[0] in network


def _selects(name: str, source: Address, interface: str, destination: Address | None = None) -> bool:
    """Whether a rule selects a packet; without a destination, to some. Selectors of other traffic never select here."""
    options = _parse_options(name)
    network = _parse_network(options["from"])
    if network.version != source.version or options.keys() - _ADDRESSES - _OUTCOMES - _JUDGED:
        return False
    is_inverted = name.startswith("not ")
    if destination is None or "to" not in options:
        reaches = not (is_inverted and "to" in options)
    else:
        reaches = destination in _parse_network(options["to"])
    return is_inverted != (reaches and source in network and _selects_all_but_addresses(options, interface))


def _selects_all_but_addresses(options: Mapping[str, str], interface: str) -> bool:
    """A packet that the host itself sends enters by the loopback interface."""
    return (
        int(options.get("fwmark", "0"), 0) == 0
        and options.get("iif", "lo") == "lo"
        and options.get("oif", interface) == interface
    )


def _has_route(rule: Rule, options: Mapping[str, str], routes: Mapping[str, Route], packet: Packet) -> bool:
    """Without a route in its table, or with a suppressed one alone, the kernel tries the next rule."""
    shortest = int(options.get("suppress_prefixlen", "-1")) + 1
    for name in routes:
        table, destination = split_route_name(name)
        if rule.table is None or table != str(rule.table):
            continue
        network = _parse_network("0.0.0.0/0" if destination == "default" else destination)
        if network.prefixlen >= shortest and packet.destination in network:
            return True
    return False


@lru_cache(maxsize=4096)
def _parse_options(name: str) -> Mapping[str, str]:
    terms = name.removeprefix("not ").split()
    return dict(zip(terms[::2], terms[1::2], strict=False))


@lru_cache(maxsize=4096)
def _parse_network(text: str) -> Network:
    return ip_network("0.0.0.0/0" if text == "all" else text)
