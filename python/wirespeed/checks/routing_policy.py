"""The rule and the route of a host that decide on a packet, in the order in which the kernel tries them.

Source: ip-rule(8), ip-route(8); Linux, net/core/fib_rules.c, net/ipv4/fib_trie.c and net/ipv6/ip6_fib.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

from wirespeed.settings import Route, Rule, split_route_name

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

LOCAL = 255  # the kernel's RT_TABLE_LOCAL, which has no route to other hosts
_REFUSALS = frozenset({"blackhole", "unreachable", "prohibit"})
_ADDRESSES = frozenset({"from", "to"})
_OUTCOMES = frozenset({"lookup", "action", "goto", "suppress_prefixlen"})
_JUDGED = frozenset({"fwmark", "fwmask", "iif", "oif"})


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet that the host sends over an interface: it has no mark."""

    source: Address
    destination: Address
    interface: str


@dataclass(frozen=True, slots=True)
class RouteEntry:
    """A route of a table, with its place among those of its table."""

    table: str
    network: Network
    name: str
    route: Route

    @property
    def precedence(self) -> tuple[int, int]:
        """Longest prefix first, then lowest metric."""
        return -self.network.prefixlen, self.route.metric or 0


class RoutingTables:
    """Routes of a host, by table, in the order in which they match (Linux, fib_table_lookup and fib6_table_lookup)."""

    def __init__(self, routes: Mapping[str, Route]) -> None:
        tables: dict[tuple[str, int], list[RouteEntry]] = {}
        for name, route in routes.items():
            table, destination = split_route_name(name)
            network = _parse_network("0.0.0.0/0" if destination == "default" else destination)
            tables.setdefault((table, network.version), []).append(RouteEntry(table, network, name, route))
        self._tables = {key: sorted(entries, key=lambda entry: entry.precedence) for key, entries in tables.items()}

    def list_entries(self, table: int | None, version: int) -> Sequence[RouteEntry]:
        """Routes of a table for an IP version."""
        return self._tables.get((str(table), version), ())

    def find(self, table: int | None, destination: Address) -> RouteEntry | None:
        """The route of a table for a destination."""
        entries = self.list_entries(table, destination.version)
        return next((entry for entry in entries if destination in entry.network), None)


@dataclass(frozen=True, slots=True)
class Decision:
    """What decides on a packet: the rule (None: no rule leads to a route), and its route (None: the rule refuses).

    ``throws`` are routes of type throw, after which the kernel tried the next rule.
    """

    rule: str | None
    entry: RouteEntry | None
    throws: tuple[RouteEntry, ...] = ()


def find_decision(rules: Mapping[str, Rule], tables: RoutingTables, packet: Packet) -> Decision:
    """The rule and the route that decide on a packet."""
    throws: list[RouteEntry] = []
    for name, rule in _walk(rules, packet):
        entry = _find_route(rule, _parse_options(name), tables, packet)
        if entry is None and _refuses(name):
            return Decision(name, None, tuple(throws))
        if entry is not None and entry.route.type == "throw":
            throws.append(entry)
        elif entry is not None:
            return Decision(name, entry, tuple(throws))
    return Decision(None, None, tuple(throws))


def find_deciding_rule(
    rules: Mapping[str, Rule], tables: RoutingTables, packet: Packet, table: int
) -> tuple[str, Rule] | None:
    """The first rule that selects the packet and leads to ``table``, to a route of another table, or refuses it."""
    later_rules = {name: rule for name, rule in rules.items() if rule.table != LOCAL}
    for name, rule in _walk(later_rules, packet):
        if rule.table == table or _refuses(name):
            return name, rule
        entry = _find_route(rule, _parse_options(name), tables, packet)
        if entry is not None and entry.route.type != "throw":
            return name, rule
    return None


def _walk(rules: Mapping[str, Rule], packet: Packet) -> Iterator[tuple[str, Rule]]:
    """The rules that select a packet, first to last, without those that a ``goto`` passes."""
    target = 0
    for name, rule in _sort_rules(rules):
        if (rule.priority or 0) < target or not _selects(name, packet.source, packet.interface, packet.destination):
            continue
        jump = _find_jump(name, rules)
        if jump is not None:
            target = jump
        elif "goto" not in _parse_options(name):
            yield name, rule


def _find_jump(name: str, rules: Mapping[str, Rule]) -> int | None:
    """The priority that a rule jumps to; None without ``goto``, or where no rule has it, which the kernel ignores."""
    target = _parse_options(name).get("goto", "")
    is_resolved = target.isdecimal() and any(rule.priority == int(target) for rule in rules.values())
    return int(target) if is_resolved else None


def find_jump_over(rules: Mapping[str, Rule], packet: Packet, priority: int) -> tuple[str, Rule] | None:
    """The rule that makes the kernel pass over the rules of a priority, for a packet."""
    for name, rule in _sort_rules(rules):
        if (rule.priority or 0) > priority:
            return None
        jump = _find_jump(name, rules)
        if jump is None or jump <= priority:
            continue
        if _selects(name, packet.source, packet.interface, packet.destination):
            return name, rule
    return None


def find_removed_rule(rules: Mapping[str, Rule], name: str) -> str | None:
    """The rule that ``ip rule del`` removes with the priority of a rule, and its addresses and table if it has no more.

    A deletion removes the first rule with the given attributes; ``from all`` is none of them (Linux, fib_nl_delrule and
    fib4_rule_compare). None: more than one rule has the priority, and the attributes of the rule are not only these.
    """
    same_priority = [key for key in rules if rules[key].priority == rules[name].priority]
    same_version = [key for key in same_priority if _find_source(key).version == _find_source(name).version]
    if len(same_version) == 1:
        return name
    wanted = _parse_options(name)
    if name.startswith("not ") or wanted.keys() - _ADDRESSES - {"lookup"}:
        return None
    return next(
        (
            key
            for key in same_version
            if (_find_source(name).prefixlen == 0 or _find_source(key) == _find_source(name))
            and ("to" not in wanted or _parse_options(key).get("to") == wanted["to"])
            and ("lookup" not in wanted or str(rules[key].table) == wanted["lookup"])
        ),
        None,
    )


def _find_source(name: str) -> Network:
    return _parse_network(_parse_options(name)["from"])


def _sort_rules(rules: Mapping[str, Rule]) -> list[tuple[str, Rule]]:
    return sorted(rules.items(), key=lambda member: member[1].priority or 0)


def _refuses(name: str) -> bool:
    return _parse_options(name).get("action") in _REFUSALS


def list_selecting_rules(rules: Mapping[str, Rule], source: Address, interface: str) -> Iterator[tuple[str, Rule]]:
    """Rules but that of the local table that select packets of this source to some destination, first to last."""
    for name, rule in _sort_rules(rules):
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


def _find_route(rule: Rule, options: Mapping[str, str], tables: RoutingTables, packet: Packet) -> RouteEntry | None:
    """The route of a rule's table. Without one, or with a suppressed one, the kernel tries the next rule.

    A route that refuses the packet is an error, which is not suppressed (Linux, fib_rules_lookup).
    """
    entry = tables.find(rule.table, packet.destination)
    longest_suppressed = int(options.get("suppress_prefixlen", "-1"))
    if entry is None or (entry.route.type is None and entry.network.prefixlen <= longest_suppressed):
        return None
    return entry


@lru_cache(maxsize=4096)
def _parse_options(name: str) -> Mapping[str, str]:
    terms = name.removeprefix("not ").split()
    return dict(zip(terms[::2], terms[1::2], strict=False))


@lru_cache(maxsize=4096)
def _parse_network(text: str) -> Network:
    return ip_network("0.0.0.0/0" if text == "all" else text)
