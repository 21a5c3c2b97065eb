"""From patterns to pairs of NICs: what each entry of a traffic file means on a plan."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirespeed.cluster.fields import Unfit
from wirespeed.cluster.ranges import expand_names
from wirespeed.errors import Problem, Refusal, did_you_mean
from wirespeed.plan import Plan
from wirespeed.settings import TrafficClass
from wirespeed.simulation.workload.file import LATEST, Entry, Pattern, Protocol, Traffic, nanoseconds

_MAX_FLOWS = 4_000_000
"""Messages of a file: about 1 GB of scenario."""
_POSTED = 1_000_000
"""Messages that the posting of one background may come to."""


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
    every_ns: int | None  # a background's: from one post to the next; None: each after the one before
    udp_source_port: int | None


def flows_of(plan: Plan, traffic: Traffic, seed: int) -> tuple[Flow, ...]:
    """Every queue pair that the traffic needs, in the order of the file.

    Raises:
        Refusal: a host, NIC, rail or class is not in the plan, or keys do not fit the pattern; each with its line.
    """
    spreading = _PatternReader(plan, traffic)
    found = [flow for index, entry in enumerate(traffic.entries) for flow in spreading.entry(index, entry, seed)]
    if spreading.problems:
        raise Refusal(spreading.problems)
    return tuple(found)


_KEYS: Mapping[Pattern, tuple[frozenset[str], frozenset[str]]] = {
    Pattern.PAIRS: (frozenset({"from", "to"}), frozenset({"messages"})),
    Pattern.PERMUTATION: (frozenset(), frozenset({"hosts", "messages"})),
    Pattern.INCAST: (frozenset({"to"}), frozenset({"from", "messages"})),
    Pattern.ALL_TO_ALL: (frozenset(), frozenset({"hosts", "messages"})),
    Pattern.BACKGROUND: (frozenset({"from", "to", "rate", "until"}), frozenset()),
}
"""Keys that a pattern needs, and those that it may have beside the ones all have."""


class _PatternReader:
    """Collects problems while patterns are spread."""

    def __init__(self, plan: Plan, traffic: Traffic) -> None:
        self._plan, self._origin = plan, traffic.origin
        self._cabled = {(end.device, end.port) for cable in plan.cables for end in (cable.a, cable.b)}
        self.problems: list[Problem] = []
        self._messages = 0

    def entry(self, index: int, entry: Entry, seed: int) -> Iterator[Flow]:
        before = len(self.problems)
        self._check_keys(index, entry)
        found = self._class(index, entry)
        if len(self.problems) > before or found is None:
            return
        for key, time in (("start", entry.start), ("until", entry.until)):
            if time is not None and time > LATEST:
                self._refuse(index, key, f"{key} {time / 10**12:,} s", f"at most {LATEST // 10**12:,} s")
                return
        pairs = self._pairs(index, entry, seed)
        start = nanoseconds(entry.start)
        every, messages = None, entry.messages
        if entry.pattern is Pattern.BACKGROUND:
            assert entry.rate is not None and entry.until is not None
            every = max(1, int(entry.size) * 8 * 10**9 // int(entry.rate))
            messages = max(0, -(-(nanoseconds(entry.until) - start) // every))
            if not messages:
                self._refuse(index, "until", f"until {entry.until}", f"a time after its start, {start} ns")
                return
            if messages > _POSTED:
                hint = "a larger size, a lower rate or an earlier end"
                self._refuse(index, "rate", f"{messages:,} messages", f"at most {_POSTED:,}", hint)
                return
        self._messages += messages * entry.queue_pairs * len(pairs)
        if self._messages > _MAX_FLOWS:
            self._refuse(index, "pattern", f"{self._messages:,} messages up to here", f"at most {_MAX_FLOWS:,}")
            return
        port = entry.udp_source_port
        for source, target in pairs:
            for _ in range(entry.queue_pairs):
                yield Flow(
                    source, target, found, entry.protocol, entry.verb, int(entry.size), messages, start, every, port
                )
                port = None if port is None else 0xC000 + (port + 1) % 0x4000 if port >= 0xFFFF else port + 1

    def _refuse(self, index: int, key: str, found: str, expected: str, hint: str | None = None) -> None:
        self.problems.append(Problem(self._origin.locate("traffic", index, key), found, expected, hint))

    def _check_keys(self, index: int, entry: Entry) -> None:
        needed, allowed = _KEYS[entry.pattern]
        pattern_keys = {"from", "to", "hosts", "rate", "until", "messages"}
        names = {"senders": "from", "receivers": "to"}
        given = {names.get(key, key) for key in entry.model_fields_set} & pattern_keys
        for key in sorted(needed - given):
            self._refuse(index, "pattern", f"{entry.pattern} without {key!r}", f"{key!r} beside it")
        for key in sorted(given - needed - allowed):
            self._refuse(index, key, f"{key!r} with {entry.pattern}", f"one of {', '.join(sorted(needed | allowed))}")
        if entry.protocol is not Protocol.RDMA and "verb" in entry.model_fields_set:
            self._refuse(index, "verb", f"'verb' with {entry.protocol}", "no verb: sockets send")

    def _class(self, index: int, entry: Entry) -> TrafficClass | None:
        classes = self._plan.classes
        if entry.traffic_class is None:
            fitting = [
                traffic_class
                for traffic_class in classes.values()
                if bool(traffic_class.lossless) == (entry.protocol is Protocol.RDMA)
            ]
            return (fitting or list(classes.values()))[0]
        found = classes.get(entry.traffic_class)
        if found is None:
            hint = did_you_mean(entry.traffic_class, list(classes))
            expected = f"one of {', '.join(classes)}"
            self._refuse(index, "class", f"the class {entry.traffic_class!r}", expected, hint)
        return found

    def _pairs(self, index: int, entry: Entry, seed: int) -> list[tuple[Endpoint, Endpoint]]:
        before = len(self.problems)
        if entry.pattern in (Pattern.PERMUTATION, Pattern.ALL_TO_ALL):
            hosts = self._ends(index, "hosts", entry.hosts)
            if len(self.problems) > before:
                return []
            if len(hosts) < 2:
                self._refuse(index, "hosts", f"{len(hosts)} host", "two or more")
                return []
            if entry.pattern is Pattern.ALL_TO_ALL:
                ends = [(host, other) for host in hosts for other in hosts if host != other]
            else:
                ends = list(zip(hosts, _elsewhere(hosts, seed, index), strict=True))
        else:
            receivers = self._ends(index, "to", entry.receivers)
            senders = self._ends(index, "from", entry.senders)
            if len(self.problems) > before:
                return []
            if entry.pattern is Pattern.INCAST:
                if len(receivers) != 1:
                    self._refuse(index, "to", f"{len(receivers)} receivers", "one")
                    return []
                if entry.senders is None:
                    senders = [sender for sender in senders if sender[0] != receivers[0][0]]
                receivers = receivers * len(senders)
            if len(senders) != len(receivers):
                self._refuse(index, "to", f"{len(receivers)} receivers of {len(senders)} senders", "as many of both")
                return []
            ends = list(zip(senders, receivers, strict=True))
        pairs = [pair for source, other in ends for pair in self._endpoints(index, entry, source, other)]
        if not pairs and not self.problems:
            self._refuse(index, "pattern", "no two NICs", "hosts with NICs of the same rail")
        return pairs

    def _ends(self, index: int, key: str, text: str | None) -> list[tuple[str, str | None]]:
        """Hosts, each with the NIC that was named, if one was."""
        if text is None:
            return [(name, None) for name in self._plan.hosts]
        host, _, interface = text.partition(":")
        try:
            names = expand_names(host)
        except Unfit as error:
            self._refuse(index, key, f"{key}: {text!r}", error.expected, error.hint)
            return []
        found: list[tuple[str, str | None]] = []
        for name in names:
            known = self._plan.hosts.get(name)
            if known is None:
                hint = did_you_mean(name, list(self._plan.hosts))
                self._refuse(index, key, f"the host {name!r}", "a host of the cluster", hint)
            elif interface in known.nics and (name, interface) not in self._cabled:
                self._refuse(index, key, f"the NIC {interface!r} of {name}", "one with a cable")
            elif interface and interface not in known.nics:
                expected = f"one of {', '.join(known.nics)}"
                self._refuse(index, key, f"the NIC {interface!r}", expected, did_you_mean(interface, list(known.nics)))
            else:
                found.append((name, interface or None))
        return found

    def _endpoints(
        self, index: int, entry: Entry, first: tuple[str, str | None], second: tuple[str, str | None]
    ) -> Iterator[tuple[Endpoint, Endpoint]]:
        """The NICs of two hosts that talk: those of the same rail, or the named ones."""
        if first[0] == second[0]:
            self._refuse(index, "pattern", f"{first[0]} to itself", "two hosts")
            return
        source_rails, target_rails = self._rails(first), self._rails(second)
        if first[1] is not None and second[1] is not None:
            yield Endpoint(first[0], first[1]), Endpoint(second[0], second[1])
            return
        rails = entry.rails or sorted(source_rails.keys() & target_rails.keys())
        for rail in rails:
            for (name, _), known in ((first, source_rails), (second, target_rails)):
                if rail not in known:
                    expected = f"one of {', '.join(map(str, sorted(known)))}"
                    self._refuse(index, "rails", f"rail {rail} of {name}", expected)
                    return
            yield Endpoint(first[0], source_rails[rail]), Endpoint(second[0], target_rails[rail])

    def _rails(self, end: tuple[str, str | None]) -> dict[int, str]:
        """NICs with a cable, by rail; those without a rail are counted."""
        nics = self._plan.hosts[end[0]].nics
        return {
            nic.rail or number: name
            for number, (name, nic) in enumerate(nics.items(), start=1)
            if end[1] in (None, name) and (end[0], name) in self._cabled
        }


def _elsewhere(hosts: Sequence[tuple[str, str | None]], seed: int, index: int) -> Sequence[tuple[str, str | None]]:
    """A permutation in one cycle, so that nobody stays (Sattolo, Information Processing Letters 22, 1986)."""
    chance = random.Random(f"{seed} {index}")
    order = list(hosts)
    for last in range(len(order) - 1, 0, -1):
        other = int(chance.random() * last)
        order[last], order[other] = order[other], order[last]
    return order
