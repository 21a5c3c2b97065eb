"""Who measures with whom: rounds of pairs in which nobody is twice, so that all pairs of a round run at a time.

Fewest runs: a pair exercises two NICs, so n NICs take at least n / 2 runs, rounded up; `matching` makes no more, but
for leaves above which no pair of a rail goes. A cable above a leaf is not chosen: the switch hashes each queue pair
on to one. `queue_pairs` says how many it takes until every one is likely to carry some.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.benchmarks.endpoints.fabric import Fabric, Seat, by_fabric

LIKELY = 0.99
"""How likely every cable above a leaf carries a queue pair, at least. Our own choice."""

MOST_QUEUE_PAIRS = 32
"""Of one pair. Beyond some tens a NIC's own caches become the limit; our own choice."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two NICs that measure with each other."""

    a: Seat
    b: Seat

    @property
    def crosses(self) -> bool:
        """Whether it goes over more than one leaf."""
        return self.a.leaf != self.b.leaf

    @property
    def name(self) -> str:
        """``node1/bnxt_re0 -> node2/bnxt_re0``."""
        return f"{self.a.name} -> {self.b.name}"


def matching(fabric: Fabric) -> tuple[list[list[Pair]], list[str]]:
    """Rounds in which every NIC, every rail and every leaf is exercised, and what cannot be, and why.

    NICs of one rail are paired, over leaves where there are several. A NIC left over by an odd number has its turn in
    the next round. Where no pair of a rail crosses a leaf, one more round crosses it between rails.
    """
    first: list[Pair] = []
    left: list[Seat] = []
    for group in by_fabric(fabric.seats):
        for rail in _rails(group):
            pairs, over = _halves(rail)
            first += pairs
            left += over
    second, alone = _leftovers(left, fabric.seats)
    rounds = [first, *second]
    rounds.append(_crossing(fabric, [pair for one in rounds for pair in one]))
    return [one for one in rounds if one], [f"{seat.name} reaches no NIC of another host" for seat in alone]


def tournament(hosts: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """Every host with every other, in the fewest rounds: the circle method. Of an odd number one rests in turn."""
    ring: list[str | None] = list(hosts)
    if len(ring) % 2:
        ring.append(None)
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        met = zip(ring[:half], reversed(ring[half:]), strict=True)
        yield [(a, b) for a, b in met if a is not None and b is not None]
        ring = [ring[0], ring[-1], *ring[1:-1]]


def all_pairs(fabric: Fabric) -> Iterator[list[Pair]]:
    """Every host with every other, rail by rail: rounds in which all rails of a pair of hosts run."""
    hosts = fabric.hosts
    for met in tournament(list(hosts)):
        pairs = [pair for a, b in met for pair in rails_between(hosts[a], hosts[b])]
        if pairs:
            yield pairs


def rails_between(one: Sequence[Seat], other: Sequence[Seat]) -> list[Pair]:
    """The NICs of two hosts that are of one rail and reach each other."""
    of = {(seat.rail, seat.fabric): seat for seat in other}
    return [Pair(seat, of[seat.rail, seat.fabric]) for seat in one if (seat.rail, seat.fabric) in of]


def queue_pairs(uplinks: int, crossing: int) -> int:
    """Queue pairs of each of so many crossing pairs, until all cables above their leaf are likely to carry one.

    Each queue pair takes a cable at random: of n cables one stays empty with at most n (1 - 1/n)^k after k queue
    pairs (union bound), and k is the least with which that is below 1 - `LIKELY`.
    """
    if uplinks <= 1 or crossing <= 0:
        return 1
    needed = math.ceil(math.log((1 - LIKELY) / uplinks) / math.log(1 - 1 / uplinks))
    return min(max(1, math.ceil(needed / crossing)), MOST_QUEUE_PAIRS)


def empty_uplink(uplinks: int, flows: int) -> float:
    """How likely some cable above a leaf carries none of so many queue pairs, at most."""
    if uplinks <= 1:
        return 0.0 if flows or not uplinks else 1.0
    return min(1.0, uplinks * (1 - 1 / uplinks) ** flows)


def _rails(seats: Sequence[Seat]) -> list[list[Seat]]:
    rails: dict[int, list[Seat]] = {}
    for seat in seats:
        rails.setdefault(seat.rail, []).append(seat)
    return [rails[rail] for rail in sorted(rails)]


def _halves(seats: Sequence[Seat]) -> tuple[list[Pair], list[Seat]]:
    """Each of the first half with the one as far down the second: sorted by leaf, as many as can cross leaves."""
    leaves = {leaf: place for place, leaf in enumerate(dict.fromkeys(seat.leaf for seat in seats))}
    ordered = sorted(seats, key=lambda seat: leaves[seat.leaf])
    half = len(ordered) // 2
    odd = ordered[2 * half :]
    return [Pair(a, b) for a, b in zip(ordered[:half], ordered[half : 2 * half], strict=True)], odd


def _leftovers(left: Sequence[Seat], seats: Sequence[Seat]) -> tuple[list[list[Pair]], list[Seat]]:
    """NICs left over among themselves, else with one that was paired before: another host's, of their rail first."""
    rounds: list[list[Pair]] = []
    alone: list[Seat] = []
    waiting = list(left)
    of_fabric = {seat: group for group in by_fabric(seats) for seat in group}
    while waiting:
        seat = waiting.pop(0)
        partner = next((other for other in waiting if other.fabric == seat.fabric and other.host != seat.host), None)
        if partner is not None:
            waiting.remove(partner)
        else:
            partner = _partner(seat, of_fabric[seat], rounds)
        if partner is None:
            alone.append(seat)
        else:
            _place(Pair(seat, partner), rounds)
    return rounds, alone


def _partner(seat: Seat, among: Sequence[Seat], rounds: list[list[Pair]]) -> Seat | None:
    """One that waits least: of another host and, if that can be, of the same rail and another leaf."""
    busy = {one for pairs in rounds for pair in pairs for one in (pair.a, pair.b)}
    others = [other for other in among if other.host != seat.host]
    return min(
        others, key=lambda other: (other.rail != seat.rail, other in busy, other.leaf == seat.leaf), default=None
    )


def _place(pair: Pair, rounds: list[list[Pair]]) -> None:
    """Into the first round that neither of them is in."""
    for one in rounds:
        if not any(seat in (pair.a, pair.b) for other in one for seat in (other.a, other.b)):
            one.append(pair)
            return
    rounds.append([pair])


def _crossing(fabric: Fabric, pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs between rails for leaves with cables above them that no pair crosses."""
    crossed = {leaf for pair in pairs if pair.crosses for leaf in (pair.a.leaf, pair.b.leaf)}
    found: list[Pair] = []
    for group in by_fabric(fabric.seats):
        of: dict[str, list[Seat]] = {}
        for seat in group:
            if seat.leaf is not None and fabric.uplinks.get(seat.leaf):
                of.setdefault(seat.leaf, []).append(seat)
        waiting = [leaf for leaf in of if leaf not in crossed]
        used: set[Seat] = set()
        while waiting:
            leaf = waiting.pop(0)
            other = _across(of, leaf, [*waiting, *(known for known in of if known not in waiting)], used)
            if other is None:
                continue
            found.append(other)
            used |= {other.a, other.b}
            if other.b.leaf in waiting:
                waiting.remove(other.b.leaf)
    return found


def _across(of: dict[str, list[Seat]], leaf: str, others: Sequence[str], used: set[Seat]) -> Pair | None:
    for other in others:
        if other == leaf:
            continue
        for a in of[leaf]:
            for b in of[other]:
                if a.host != b.host and a not in used and b not in used:
                    return Pair(a, b)
    return None
