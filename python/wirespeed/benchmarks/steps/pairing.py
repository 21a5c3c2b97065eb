"""Pairs of NICs and hosts in rounds: no NIC or host occurs twice in a round, so that all its pairs run concurrently.

A pair exercises two NICs, so n NICs take at least n / 2 runs, rounded up. `pair_rounds` makes no more, except for
leaves whose uplinks no pair of a rail uses. An uplink cannot be chosen: the switch hashes each queue pair to one.
`queue_pairs` returns how many queue pairs are needed until every uplink is likely to carry one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.benchmarks.endpoints.fabric import Endpoint, Fabric, group_by_fabric, rail_order

LIKELY = 0.99
"""Minimum probability that every uplink of a leaf carries a queue pair. Our own choice."""

MOST_QUEUE_PAIRS = 32
"""Maximum per pair: with more than some tens, the caches of a NIC become the limit. Our own choice."""


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
        """``node1:bnxt_re0 -> node2:bnxt_re0``."""
        return f"{self.a.name} -> {self.b.name}"


def pair_rounds(fabric: Fabric) -> tuple[list[list[Pair]], list[str]]:
    """Rounds that exercise every NIC, rail and leaf, and notes on those that cannot be exercised.

    NICs of one rail are paired, across leaves if it has several. With an odd number, the last NIC is measured in the
    next round. If no pair of a rail crosses a leaf, one more round crosses it between rails.
    """
    first: list[Pair] = []
    unpaired: list[Endpoint] = []
    for group in group_by_fabric(fabric.endpoints):
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
    """Every host with every other in the fewest rounds (circle method); with an odd number, one pauses per round."""
    ring: list[str | None] = list(hosts)
    if len(ring) % 2:
        ring.append(None)
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        met = zip(ring[:half], reversed(ring[half:]), strict=True)
        yield [(a, b) for a, b in met if a is not None and b is not None]
        ring = [ring[0], ring[-1], *ring[1:-1]]


def pair_all_hosts(fabric: Fabric) -> Iterator[list[Pair]]:
    """Every host with every other: rounds in which all rails of a pair of hosts run."""
    hosts = fabric.hosts
    for met in tournament(list(hosts)):
        pairs = [pair for a, b in met for pair in pair_rails(hosts[a], hosts[b])]
        if pairs:
            yield pairs


def pair_rails(first: Sequence[Endpoint], second: Sequence[Endpoint]) -> list[Pair]:
    """Pairs of NICs of two hosts that are on the same rail and reach each other."""
    by_rail = {(endpoint.rail, endpoint.fabric): endpoint for endpoint in second}
    return [
        Pair(endpoint, by_rail[endpoint.rail, endpoint.fabric])
        for endpoint in first
        if (endpoint.rail, endpoint.fabric) in by_rail
    ]


def queue_pairs(uplinks: int, crossing: int) -> int:
    """Queue pairs per pair, so that with ``crossing`` pairs all uplinks of their leaf are likely to carry one.

    Each queue pair uses a random uplink. After k queue pairs, the probability that one of n uplinks is unused is at
    most n (1 - 1/n)^k (union bound); k is the smallest number with which this is below 1 - `LIKELY`.
    """
    if uplinks <= 1 or crossing <= 0:
        return 1
    needed = math.ceil(math.log((1 - LIKELY) / uplinks) / math.log(1 - 1 / uplinks))
    return min(max(1, math.ceil(needed / crossing)), MOST_QUEUE_PAIRS)


def empty_uplink(uplinks: int, flows: int) -> float:
    """Upper bound of the probability that an uplink of a leaf carries none of ``flows`` queue pairs."""
    if uplinks <= 1:
        return 0.0 if flows or not uplinks else 1.0
    return min(1.0, uplinks * (1 - 1 / uplinks) ** flows)


def _group_by_rail(endpoints: Sequence[Endpoint]) -> list[list[Endpoint]]:
    rails: dict[int, list[Endpoint]] = {}
    for endpoint in endpoints:
        rails.setdefault(rail_order(endpoint), []).append(endpoint)
    return [rails[rail] for rail in sorted(rails)]


def _pair_halves(endpoints: Sequence[Endpoint]) -> tuple[list[Pair], list[Endpoint]]:
    """Pair the first half with the second: sorted by leaf, so that as many pairs as possible cross leaves."""
    leaves = {leaf: position for position, leaf in enumerate(dict.fromkeys(endpoint.leaf for endpoint in endpoints))}
    ordered = sorted(endpoints, key=lambda endpoint: leaves[endpoint.leaf])
    half = len(ordered) // 2
    odd = ordered[2 * half :]
    return [Pair(a, b) for a, b in zip(ordered[:half], ordered[half : 2 * half], strict=True)], odd


def _pair_leftovers(
    unpaired: Sequence[Endpoint], endpoints: Sequence[Endpoint]
) -> tuple[list[list[Pair]], list[Endpoint]]:
    """Pair remaining NICs with each other, else with a paired NIC of another host, preferably of the same rail."""
    rounds: list[list[Pair]] = []
    isolated: list[Endpoint] = []
    waiting = list(unpaired)
    of_fabric = {endpoint: group for group in group_by_fabric(endpoints) for endpoint in group}
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
    """The best partner on another host: of the same rail, not busy, and under another leaf, if possible."""
    busy = {endpoint for pairs in rounds for pair in pairs for endpoint in (pair.a, pair.b)}
    candidates = [candidate for candidate in among if candidate.host != endpoint.host]
    return min(
        candidates,
        key=lambda candidate: (candidate.rail != endpoint.rail, candidate in busy, candidate.leaf == endpoint.leaf),
        default=None,
    )


def _place_pair(pair: Pair, rounds: list[list[Pair]]) -> None:
    """Place a pair in the first round that contains neither of its NICs."""
    for round_pairs in rounds:
        if not any(endpoint in (pair.a, pair.b) for placed in round_pairs for endpoint in (placed.a, placed.b)):
            round_pairs.append(pair)
            return
    rounds.append([pair])


def _add_crossing_pairs(fabric: Fabric, pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs between rails for leaves whose uplinks no pair uses."""
    crossed = {leaf for pair in pairs if pair.crosses for leaf in (pair.a.leaf, pair.b.leaf)}
    crossing_pairs: list[Pair] = []
    for group in group_by_fabric(fabric.endpoints):
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
