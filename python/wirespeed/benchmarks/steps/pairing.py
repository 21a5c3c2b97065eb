"""Pairs of NICs and hosts: rounds in which none occurs twice, so that all pairs of a round run concurrently.

Fewest runs: a pair exercises two NICs, so n NICs take at least n / 2 runs, rounded up; `matching` makes no more, but
for leaves above which no pair of a rail goes. A cable above a leaf is not chosen: the switch hashes each queue pair
on to one. `queue_pairs` returns how many it takes until every one is likely to carry some.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.benchmarks.endpoints.fabric import Endpoint, Fabric, by_fabric

LIKELY = 0.99
"""How likely every cable above a leaf carries a queue pair, at least. Our own choice."""

MOST_QUEUE_PAIRS = 32
"""Of one pair. Beyond some tens a NIC's own caches become the limit; our own choice."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two NICs that measure with each other."""

    a: Endpoint
    b: Endpoint

    @property
    def crosses(self) -> bool:
        """Whether its path crosses leaves."""
        return self.a.leaf != self.b.leaf

    @property
    def name(self) -> str:
        """``node1/bnxt_re0 -> node2/bnxt_re0``."""
        return f"{self.a.name} -> {self.b.name}"


def pair_rounds(fabric: Fabric) -> tuple[list[list[Pair]], list[str]]:
    """Rounds in which every NIC, every rail and every leaf is exercised, and what cannot be, and why.

    NICs of one rail are paired, over leaves where there are several. A NIC left over by an odd number is measured in
    the next round. Where no pair of a rail crosses a leaf, one more round crosses it between rails.
    """
    first: list[Pair] = []
    unpaired: list[Endpoint] = []
    for group in by_fabric(fabric.endpoints):
        for rail in _group_by_rail(group):
            pairs, remainder = _pair_halves(rail)
            first += pairs
            unpaired += remainder
    second, isolated = _pair_leftovers(unpaired, fabric.endpoints)
    rounds = [first, *second]
    rounds.append(_add_crossing_pairs(fabric, [pair for round_pairs in rounds for pair in round_pairs]))
    return [round_pairs for round_pairs in rounds if round_pairs], [
        f"{endpoint.name} reaches no NIC of another host" for endpoint in isolated
    ]


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


def rails_between(first: Sequence[Endpoint], second: Sequence[Endpoint]) -> list[Pair]:
    """The NICs of two hosts that are of one rail and reach each other."""
    by_rail = {(endpoint.rail, endpoint.fabric): endpoint for endpoint in second}
    return [
        Pair(endpoint, by_rail[endpoint.rail, endpoint.fabric])
        for endpoint in first
        if (endpoint.rail, endpoint.fabric) in by_rail
    ]


def queue_pairs(uplinks: int, crossing: int) -> int:
    """Queue pairs of each of ``crossing`` pairs, until all cables above their leaf are likely to carry one.

    Each queue pair takes a cable at random: of n cables one stays empty with at most n (1 - 1/n)^k after k queue
    pairs (union bound), and k is the least with which that is below 1 - `LIKELY`.
    """
    if uplinks <= 1 or crossing <= 0:
        return 1
    needed = math.ceil(math.log((1 - LIKELY) / uplinks) / math.log(1 - 1 / uplinks))
    return min(max(1, math.ceil(needed / crossing)), MOST_QUEUE_PAIRS)


def empty_uplink(uplinks: int, flows: int) -> float:
    """Upper bound of the probability that some uplink of a leaf carries none of ``flows`` queue pairs."""
    if uplinks <= 1:
        return 0.0 if flows or not uplinks else 1.0
    return min(1.0, uplinks * (1 - 1 / uplinks) ** flows)


def _group_by_rail(endpoints: Sequence[Endpoint]) -> list[list[Endpoint]]:
    rails: dict[int, list[Endpoint]] = {}
    for endpoint in endpoints:
        rails.setdefault(endpoint.rail, []).append(endpoint)
    return [rails[rail] for rail in sorted(rails)]


def _pair_halves(endpoints: Sequence[Endpoint]) -> tuple[list[Pair], list[Endpoint]]:
    """Each of the first half with the one as far down the second: sorted by leaf, as many as can cross leaves."""
    leaves = {leaf: place for place, leaf in enumerate(dict.fromkeys(endpoint.leaf for endpoint in endpoints))}
    ordered = sorted(endpoints, key=lambda endpoint: leaves[endpoint.leaf])
    half = len(ordered) // 2
    odd = ordered[2 * half :]
    return [Pair(a, b) for a, b in zip(ordered[:half], ordered[half : 2 * half], strict=True)], odd


def _pair_leftovers(
    unpaired: Sequence[Endpoint], endpoints: Sequence[Endpoint]
) -> tuple[list[list[Pair]], list[Endpoint]]:
    """NICs left over among themselves, else with one that was paired before: another host's, of their rail first."""
    rounds: list[list[Pair]] = []
    isolated: list[Endpoint] = []
    waiting = list(unpaired)
    of_fabric = {endpoint: group for group in by_fabric(endpoints) for endpoint in group}
    while waiting:
        endpoint = waiting.pop(0)
        partner = next(
            (
                candidate
                for candidate in waiting
                if candidate.fabric == endpoint.fabric and candidate.host != endpoint.host
            ),
            None,
        )
        if partner is not None:
            waiting.remove(partner)
        else:
            partner = _find_partner(endpoint, of_fabric[endpoint], rounds)
        if partner is None:
            isolated.append(endpoint)
        else:
            _place_pair(Pair(endpoint, partner), rounds)
    return rounds, isolated


def _find_partner(endpoint: Endpoint, among: Sequence[Endpoint], rounds: list[list[Pair]]) -> Endpoint | None:
    """One that waits least: of another host and, if that can be, of the same rail and another leaf."""
    busy = {endpoint for pairs in rounds for pair in pairs for endpoint in (pair.a, pair.b)}
    candidates = [candidate for candidate in among if candidate.host != endpoint.host]
    return min(
        candidates,
        key=lambda candidate: (candidate.rail != endpoint.rail, candidate in busy, candidate.leaf == endpoint.leaf),
        default=None,
    )


def _place_pair(pair: Pair, rounds: list[list[Pair]]) -> None:
    """Into the first round that neither of them is in."""
    for round_pairs in rounds:
        if not any(endpoint in (pair.a, pair.b) for placed in round_pairs for endpoint in (placed.a, placed.b)):
            round_pairs.append(pair)
            return
    rounds.append([pair])


def _add_crossing_pairs(fabric: Fabric, pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs between rails for leaves with cables above them that no pair crosses."""
    crossed = {leaf for pair in pairs if pair.crosses for leaf in (pair.a.leaf, pair.b.leaf)}
    crossing_pairs: list[Pair] = []
    for group in by_fabric(fabric.endpoints):
        endpoints_of_leaf: dict[str, list[Endpoint]] = {}
        for endpoint in group:
            if endpoint.leaf is not None and fabric.uplinks.get(endpoint.leaf):
                endpoints_of_leaf.setdefault(endpoint.leaf, []).append(endpoint)
        waiting = [leaf for leaf in endpoints_of_leaf if leaf not in crossed]
        used: set[Endpoint] = set()
        while waiting:
            leaf = waiting.pop(0)
            crossing_pair = _find_crossing_pair(
                endpoints_of_leaf,
                leaf,
                [*waiting, *(used_leaf for used_leaf in endpoints_of_leaf if used_leaf not in waiting)],
                used,
            )
            if crossing_pair is None:
                continue
            crossing_pairs.append(crossing_pair)
            used |= {crossing_pair.a, crossing_pair.b}
            if crossing_pair.b.leaf in waiting:
                waiting.remove(crossing_pair.b.leaf)
    return crossing_pairs


def _find_crossing_pair(
    endpoints_of_leaf: dict[str, list[Endpoint]], leaf: str, target_leaves: Sequence[str], used: set[Endpoint]
) -> Pair | None:
    for target_leaf in target_leaves:
        if target_leaf == leaf:
            continue
        for a in endpoints_of_leaf[leaf]:
            for b in endpoints_of_leaf[target_leaf]:
                if a.host != b.host and a not in used and b not in used:
                    return Pair(a, b)
    return None
