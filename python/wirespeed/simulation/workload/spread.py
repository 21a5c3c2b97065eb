"""From patterns to pairs of NICs: the flows of each entry of a traffic file on a plan."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirespeed.cluster import Origin
from wirespeed.cluster.fields import Unfit
from wirespeed.cluster.ranges import expand_names, format_names
from wirespeed.errors import Problem, Refusal, did_you_mean
from wirespeed.plan import Plan
from wirespeed.settings import TrafficClass
from wirespeed.simulation.workload.file import Entry, Pattern, Protocol, Traffic, list_late_times, nanoseconds
from wirespeed.simulation.workload.traffic_names import TrafficNames

_MAX_FLOWS = 4_000_000
"""Maximum messages of a file: about 1 GB of scenario."""
_POSTED = 1_000_000
"""Maximum messages of one background pattern."""


@dataclass(frozen=True, slots=True, order=True)
class Endpoint:
    """A NIC port of a host."""

    host: str
    interface: str


@dataclass(frozen=True, slots=True)
class Flow:
    """Messages of one queue pair."""

    source: Endpoint
    target: Endpoint
    traffic_class: TrafficClass
    protocol: Protocol
    verb: str
    size: int  # bytes of a message
    messages: int
    start_ns: int
    every_ns: int | None  # interval of background messages; None: each message after the previous one
    udp_source_port: int | None


def spread_flows(plan: Plan, traffic: Traffic, seed: int) -> tuple[Flow, ...]:
    """Every queue pair that the traffic needs, in the order of the file.

    Raises:
        Refusal: a host, NIC, rail or class is not in the plan, or keys do not fit the pattern; each with its line.
    """
    spreading = _PatternReader(plan, traffic.origin)
    flows = [flow for index, entry in enumerate(traffic.entries) for flow in spreading.entry(index, entry, seed)]
    if spreading.problems:
        raise Refusal(spreading.problems)
    return tuple(flows)


def list_unknown_senders(plan: Plan, names: TrafficNames) -> list[Problem]:
    """The hosts, NICs and classes of traffic that are not in the plan, of a file with wrong values."""
    reader = _PatternReader(plan, names.origin)
    for index, entry in names.entries.items():
        reader.check_names(index, entry)
    return reader.problems


_KEYS: Mapping[Pattern, tuple[frozenset[str], frozenset[str]]] = {
    Pattern.PAIRS: (frozenset({"from", "to"}), frozenset({"messages"})),
    Pattern.PERMUTATION: (frozenset(), frozenset({"hosts", "messages"})),
    Pattern.INCAST: (frozenset({"to"}), frozenset({"from", "messages"})),
    Pattern.ALL_TO_ALL: (frozenset(), frozenset({"hosts", "messages"})),
    Pattern.BACKGROUND: (frozenset({"from", "to", "rate", "until"}), frozenset()),
}
"""Keys that a pattern requires, and those that it allows in addition to common keys."""


class _PatternReader:
    """Converts patterns to flows, and collects problems."""

    def __init__(self, plan: Plan, origin: Origin) -> None:
        self._plan, self._origin = plan, origin
        self._cabled = {(end.device, end.port) for cable in plan.cables for end in (cable.a, cable.b)}
        self.problems: list[Problem] = []
        self._messages = 0
        self._missing_rails: dict[tuple[int, tuple[int, ...]], set[str]] = {}  # hosts, by rail and their rails

    def entry(self, index: int, entry: Entry, seed: int) -> Iterator[Flow]:
        problem_count = len(self.problems)
        self._check_keys(index, entry)
        traffic_class = self._find_class(index, entry)
        if len(self.problems) > problem_count or traffic_class is None:
            return
        for key, found_time, expected_time in list_late_times(start=entry.start, until=entry.until):
            self._add_problem(index, key, found_time, expected_time)
            return
        pairs = self._list_pairs(index, entry, seed)
        start = nanoseconds(entry.start)
        every, messages = None, entry.messages
        if entry.pattern is Pattern.BACKGROUND:
            assert entry.rate is not None and entry.until is not None
            every = max(1, int(entry.size) * 8 * 10**9 // int(entry.rate))
            messages = max(0, -(-(nanoseconds(entry.until) - start) // every))
            if not messages:
                self._add_problem(index, "until", f"until {entry.until}", f"a time after its start, {start} ns")
                return
            if messages > _POSTED:
                hint = "a larger size, a lower rate or an earlier end"
                self._add_problem(index, "rate", f"{messages:,} messages", f"at most {_POSTED:,}", hint)
                return
        self._messages += messages * entry.queue_pairs * len(pairs)
        if self._messages > _MAX_FLOWS:
            self._add_problem(index, "pattern", f"{self._messages:,} messages up to here", f"at most {_MAX_FLOWS:,}")
            return
        port = entry.udp_source_port
        for source, target in pairs:
            for _ in range(entry.queue_pairs):
                yield Flow(
                    source,
                    target,
                    traffic_class,
                    entry.protocol,
                    entry.verb,
                    int(entry.size),
                    messages,
                    start,
                    every,
                    port,
                )
                port = None if port is None else 0xC000 + (port + 1) % 0x4000 if port >= 0xFFFF else port + 1

    def check_names(self, index: int, entry: Entry) -> None:
        """Check hosts, NICs and class of an entry, and nothing that depends on its other values."""
        for key, text in (("from", entry.senders), ("to", entry.receivers), ("hosts", entry.hosts)):
            if text is not None:
                self._parse_ends(index, key, text)
        if entry.traffic_class is not None:
            self._find_class(index, entry)

    def _add_problem(self, index: int, key: str, found: str, expected: str, hint: str | None = None) -> None:
        self.problems.append(Problem(self._origin.locate("traffic", index, key), found, expected, hint))

    def _check_keys(self, index: int, entry: Entry) -> None:
        needed, allowed = _KEYS[entry.pattern]
        pattern_keys = {"from", "to", "hosts", "rate", "until", "messages"}
        names = {"senders": "from", "receivers": "to"}
        stated_keys = {names.get(key, key) for key in entry.model_fields_set} & pattern_keys
        for key in sorted(needed - stated_keys):
            self._add_problem(index, "pattern", f"{entry.pattern} without {key!r}", f"{key!r} in the same entry")
        for key in sorted(stated_keys - needed - allowed):
            own_keys = ", ".join(sorted(needed | allowed))
            hint = f"{entry.pattern} uses {own_keys}, and the keys of every pattern, such as size and class"
            self._add_problem(index, key, f"{key!r} with {entry.pattern}", f"{entry.pattern} without {key!r}", hint)
        if entry.protocol is not Protocol.RDMA and "verb" in entry.model_fields_set:
            self._add_problem(index, "verb", f"'verb' with {entry.protocol}", "no verb: sockets send")

    def _find_class(self, index: int, entry: Entry) -> TrafficClass | None:
        classes = self._plan.classes
        if entry.traffic_class is None:
            fitting = [
                traffic_class
                for traffic_class in classes.values()
                if bool(traffic_class.lossless) == (entry.protocol is Protocol.RDMA)
            ]
            return (fitting or list(classes.values()))[0]
        traffic_class = classes.get(entry.traffic_class)
        if traffic_class is None:
            hint = did_you_mean(entry.traffic_class, list(classes))
            expected = f"one of {', '.join(classes)}"
            self._add_problem(index, "class", f"the class {entry.traffic_class!r}", expected, hint)
        return traffic_class

    def _list_pairs(self, index: int, entry: Entry, seed: int) -> list[tuple[Endpoint, Endpoint]]:
        problem_count = len(self.problems)
        if entry.pattern in (Pattern.PERMUTATION, Pattern.ALL_TO_ALL):
            hosts = self._parse_ends(index, "hosts", entry.hosts)
            if len(self.problems) > problem_count:
                return []
            if len(hosts) < 2:
                self._add_problem(index, "hosts", f"{len(hosts)} host", "two or more")
                return []
            if entry.pattern is Pattern.ALL_TO_ALL:
                ends = [(host, other_host) for host in hosts for other_host in hosts if host != other_host]
            else:
                ends = list(zip(hosts, _permute(hosts, seed, index), strict=True))
        else:
            receivers = self._parse_ends(index, "to", entry.receivers)
            senders = self._parse_ends(index, "from", entry.senders)
            if len(self.problems) > problem_count:
                return []
            if entry.pattern is Pattern.INCAST:
                if len(receivers) != 1:
                    self._add_problem(index, "to", f"{len(receivers)} receivers", "one")
                    return []
                if entry.senders is None:
                    senders = [sender for sender in senders if sender[0] != receivers[0][0]]
                receivers = receivers * len(senders)
            if len(senders) != len(receivers):
                self._add_problem(
                    index, "to", f"{len(receivers)} receivers of {len(senders)} senders", "as many of both"
                )
                return []
            ends = list(zip(senders, receivers, strict=True))
        self._missing_rails.clear()
        pairs = [pair for source, receiver in ends for pair in self._match_endpoints(index, entry, source, receiver)]
        for (rail, rails), names in self._missing_rails.items():
            expected = f"one of {', '.join(map(str, rails))}" if rails else "hosts with cabled NICs"
            self._add_problem(index, "rails", f"rail {rail} of {format_names(sorted(names))}", expected)
        if not pairs and not self.problems:
            self._add_problem(index, "pattern", "no two NICs", "hosts with NICs of the same rail")
        return pairs

    def _parse_ends(self, index: int, key: str, text: str | None) -> list[tuple[str, str | None]]:
        """Hosts, each with its NIC if one was given."""
        if text is None:
            return [(name, None) for name in self._plan.hosts]
        host, _, interface = text.partition(":")
        try:
            names = expand_names(host)
        except Unfit as error:
            self._add_problem(index, key, f"{key}: {text!r}", error.expected, error.hint)
            return []
        named_ends: list[tuple[str, str | None]] = []
        for name in names:
            known_host = self._plan.hosts.get(name)
            if known_host is None:
                hint = did_you_mean(name, list(self._plan.hosts))
                self._add_problem(index, key, f"the host {name!r}", "a host of the cluster", hint)
            elif interface in known_host.nics and (name, interface) not in self._cabled:
                self._add_problem(index, key, f"the NIC {interface!r} of {name}", "one with a cable")
            elif interface and interface not in known_host.nics:
                expected = f"one of {', '.join(known_host.nics)}"
                self._add_problem(
                    index, key, f"the NIC {interface!r}", expected, did_you_mean(interface, list(known_host.nics))
                )
            else:
                named_ends.append((name, interface or None))
        return named_ends

    def _match_endpoints(
        self, index: int, entry: Entry, first: tuple[str, str | None], second: tuple[str, str | None]
    ) -> Iterator[tuple[Endpoint, Endpoint]]:
        """Pairs of NICs of two hosts: those on the same rail, or the given ones."""
        if first[0] == second[0]:
            key = "from" if entry.pattern is Pattern.INCAST else "pattern"
            repetition = f"{entry.pattern} with {first[0]} as sender and receiver"
            hint = f"remove {first[0]} from `from`" if entry.pattern is Pattern.INCAST else None
            self._add_problem(index, key, repetition, "a receiver that differs from the sender", hint)
            return
        source_rails, target_rails = self._map_rails_to_nics(first), self._map_rails_to_nics(second)
        if first[1] is not None and second[1] is not None:
            yield Endpoint(first[0], first[1]), Endpoint(second[0], second[1])
            return
        rails = entry.rails or sorted(source_rails.keys() & target_rails.keys())
        for rail in rails:
            lacking = [
                (name, nics_by_rail)
                for (name, _), nics_by_rail in ((first, source_rails), (second, target_rails))
                if rail not in nics_by_rail
            ]
            for name, nics_by_rail in lacking:
                self._missing_rails.setdefault((rail, tuple(sorted(nics_by_rail))), set()).add(name)
            if lacking:
                return
            yield Endpoint(first[0], source_rails[rail]), Endpoint(second[0], target_rails[rail])

    def _map_rails_to_nics(self, end: tuple[str, str | None]) -> dict[int, str]:
        """NICs with a cable, by rail; NICs without a rail are numbered."""
        nics = self._plan.hosts[end[0]].nics
        return {
            nic.rail or number: name
            for number, (name, nic) in enumerate(nics.items(), start=1)
            if end[1] in (None, name) and (end[0], name) in self._cabled
        }


def _permute(hosts: Sequence[tuple[str, str | None]], seed: int, index: int) -> Sequence[tuple[str, str | None]]:
    """A permutation with one cycle, without fixed points (Sattolo, Information Processing Letters 22, 1986)."""
    chance = random.Random(f"{seed} {index}")
    order = list(hosts)
    for last in range(len(order) - 1, 0, -1):
        position = int(chance.random() * last)
        order[last], order[position] = order[position], order[last]
    return order
