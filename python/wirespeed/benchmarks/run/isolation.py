"""Isolate the cause of failures: which pairs or groups to measure next, and the suspects so far.

Both functions use all results and keep no state: after an interruption they return the same.

For a bad pair, both NICs and the path between them are suspects. Each NIC is measured again with a NIC that is known to
be good, under the same leaf if possible, which excludes the path; all suspects at the same time. A NIC that is bad
again is the cause. If neither is, two healthy NICs under the same two leaves distinguish the path from the pair. This
takes two more rounds for any size of cluster. A group is halved instead, log2 of its size times.

Results without a judgement are given too, so that nothing is measured twice: a grade of information (`Grade.SKIP`)
clears a group, which ran to its end, and no pair; an unknown grade clears nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from wirespeed.benchmarks.endpoints.fabric import Endpoint, Fabric
from wirespeed.benchmarks.steps.pairing import Pair
from wirespeed.results.campaign import Grade, Kind, Suspect


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What to measure next, all at the same time, and the suspects so far."""

    pairs: tuple[Pair, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    suspects: tuple[Suspect, ...] = ()


_UNJUDGED = (Grade.SKIP, Grade.UNKNOWN)


def narrow_pairs(fabric: Fabric, results: Sequence[tuple[Pair, Grade]]) -> FollowUp:
    """Narrow down bad pairs. A pair that did not run counts as bad: its cause must be found too."""
    return _Pairs(fabric, results).next()


class _Pairs:
    def __init__(self, fabric: Fabric, results: Sequence[tuple[Pair, Grade]]) -> None:
        self._fabric = fabric
        self._endpoints = {endpoint.name: endpoint for endpoint in fabric.endpoints}
        self._bad: list[Pair] = []
        self._unjudged: set[frozenset[str]] = set()  # both NICs of a pair
        self._partner_results: dict[str, dict[str, bool]] = {}  # NIC -> partner NIC -> whether the pair was good
        for pair, grade in results:
            if grade in _UNJUDGED:
                self._unjudged.add(frozenset((pair.a.name, pair.b.name)))
                continue
            good = grade is Grade.GOOD
            if not good:
                self._bad.append(pair)
            for near, far in ((pair.a, pair.b), (pair.b, pair.a)):
                self._partner_results.setdefault(near.name, {})[far.name] = good
        self._good = {
            name for name, results_by_partner in self._partner_results.items() if any(results_by_partner.values())
        }
        self._used: set[str] = set()
        self._further_pairs: list[Pair] = []

    def next(self) -> FollowUp:
        if self._bad and not self._good:
            return FollowUp(
                (), (), (Suspect(Kind.UNTOLD, "everything", "no pair is good: there is nothing to compare with"),)
            )
        nics: dict[str, str] = {}  # suspected NIC -> reason
        other_suspects: list[Suspect] = []
        for pair in self._bad:
            states = [
                self._assess_endpoint(endpoint, partner) for endpoint, partner in ((pair.a, pair.b), (pair.b, pair.a))
            ]
            for endpoint, partner, state in zip((pair.a, pair.b), (pair.b, pair.a), states, strict=True):
                if state == "bad":
                    nics.setdefault(endpoint.name, self._describe_accusation(endpoint, partner))
            if "open" in states or "bad" in states:
                continue
            if "untold" in states:
                other_suspects.append(Suspect(Kind.UNTOLD, pair.name, "no healthy NIC is left to measure with"))
            elif (suspect := self._suspect_of_pair(pair)) is not None:
                other_suspects.append(suspect)
        suspects = [*self._merge_suspects(nics), *dict.fromkeys(other_suspects)]
        return FollowUp(tuple(self._further_pairs), (), tuple(suspects))

    def _assess_endpoint(self, endpoint: Endpoint, measured_with: Endpoint) -> str:
        """The state of a NIC of a bad pair: good with any partner, bad with a good one and another, or still open."""
        if endpoint.name in self._good:
            return "good"
        tried = self._partner_results[endpoint.name]
        accused = any(name in self._good for name in tried)
        if accused and len(tried) > 1:
            return "bad"
        partner = self._find_partner(endpoint, measured_with)
        if partner is not None:
            self._plan_pair(Pair(partner, endpoint))
            return "open"
        if self._find_partner(endpoint, measured_with, busy_too=True) is not None:
            return "open"
        return "bad" if accused else "untold"

    def _find_partner(self, endpoint: Endpoint, partner: Endpoint, busy_too: bool = False) -> Endpoint | None:
        """A healthy NIC of a third host; one of the other host only if there is no third."""
        able = [
            good
            for name in self._good
            if (good := self._endpoints.get(name)) is not None
            and good.fabric == endpoint.fabric
            and good.host != endpoint.host
            and name != partner.name
            and name not in self._partner_results[endpoint.name]
            and frozenset((name, endpoint.name)) not in self._unjudged
            and (busy_too or (name not in self._used and endpoint.name not in self._used))
        ]
        return min(
            able,
            key=lambda good: (
                good.host == partner.host,
                good.leaf != endpoint.leaf,
                good.rail != endpoint.rail,
                good.name,
            ),
            default=None,
        )

    def _plan_pair(self, pair: Pair) -> None:
        self._further_pairs.append(pair)
        self._used |= {pair.a.name, pair.b.name}

    def _suspect_of_pair(self, pair: Pair) -> Suspect | None:
        """The suspect if both NICs are healthy with other peers: the path between their leaves, or only this pair."""
        if not pair.crosses or pair.a.leaf is None or pair.b.leaf is None:
            return Suspect(Kind.PAIR, pair.name, "both NICs are healthy with other peers")
        leaf_pair = {pair.a.leaf, pair.b.leaf}
        tried = [
            self._partner_results[near.name][name]
            for near in self._fabric.endpoints
            if near.name in self._partner_results and near.leaf in leaf_pair
            for name in self._partner_results[near.name]
            if name in self._endpoints
            and {near.leaf, self._endpoints[name].leaf} == leaf_pair
            and {near.name, name} != {pair.a.name, pair.b.name}
            and near.name in self._good
            and name in self._good
        ]
        if tried and not all(tried):
            leaves = f"{pair.a.leaf} - {pair.b.leaf}"
            return Suspect(
                Kind.PATH, leaves, "pairs over this path are bad although their NICs are healthy with other peers"
            )
        if tried:
            return Suspect(
                Kind.PAIR,
                pair.name,
                "both NICs are healthy with other peers, and other pairs are good on the same path",
            )
        witness = self._find_witness(pair)
        if witness is None:
            leaves = f"{pair.a.leaf} - {pair.b.leaf}"
            return Suspect(Kind.PATH, leaves, "both NICs are healthy with other peers; no other pair uses this path")
        self._plan_pair(witness)
        return None

    def _find_witness(self, pair: Pair) -> Pair | None:
        """Two healthy NICs under the leaves of a pair."""
        ends = []
        for endpoint in (pair.a, pair.b):
            names = sorted(
                name
                for name in self._good - self._used
                if name in self._endpoints
                and self._endpoints[name].leaf == endpoint.leaf
                and name not in (pair.a.name, pair.b.name)
            )
            ends.append([self._endpoints[name] for name in names])
        pairs = (
            (a, b)
            for a in ends[0]
            for b in ends[1]
            if a.host != b.host and a.fabric == b.fabric and frozenset((a.name, b.name)) not in self._unjudged
        )
        healthy = next(pairs, None)
        return Pair(*healthy) if healthy else None

    def _describe_accusation(self, endpoint: Endpoint, partner: Endpoint) -> str:
        good = sorted(
            name for name in self._partner_results[endpoint.name] if name in self._good and name != partner.name
        )
        return (
            f"bad with {partner.name} and with {', '.join(good)}"
            if good
            else f"bad with {partner.name} the only partner known to be good"
        )

    def _merge_suspects(self, nics: dict[str, str]) -> list[Suspect]:
        """Merge suspected NICs into what they have in common, if no healthy NIC shares it: most NICs first."""
        unassigned = dict(nics)
        suspects: list[Suspect] = []
        while unassigned:
            kind, common, members = max(
                self._find_common(unassigned), key=lambda candidate: len(candidate[2]), default=(Kind.NIC, "", [])
            )
            if len(members) < 2:
                break
            suspects.append(Suspect(kind, common, f"all its measurements are bad: {', '.join(members)}"))
            for name in members:
                del unassigned[name]
        return [*suspects, *(Suspect(Kind.NIC, name, because) for name, because in unassigned.items())]

    def _find_common(self, names: Iterable[str]) -> Iterator[tuple[Kind, str, list[str]]]:
        """What some suspected NICs have in common and no healthy NIC has."""
        for kind, common_part in _COMMON:
            clean = {common_part(self._endpoints[name]) for name in self._good if name in self._endpoints}
            groups: dict[str, list[str]] = {}
            for name in names:
                common = common_part(self._endpoints[name])
                if common is not None and common not in clean:
                    groups.setdefault(common, []).append(name)
            for common, members in groups.items():
                yield kind, common, members


_COMMON: tuple[tuple[Kind, Callable[[Endpoint], str | None]], ...] = (
    (Kind.HOST, lambda endpoint: endpoint.host),
    (Kind.LEAF, lambda endpoint: endpoint.leaf),
    (Kind.RAIL, lambda endpoint: None if endpoint.rail is None else f"rail {endpoint.rail}"),
)


def narrow_groups(results: Iterable[tuple[tuple[str, ...], Grade]]) -> FollowUp:
    """Narrow down bad groups of hosts: halve every bad one; measure a single host with one that is known to be good."""
    result_by_hosts = {frozenset(group): (group, grade) for group, grade in results}
    good = dict.fromkeys(
        host for group, grade in result_by_hosts.values() if grade in _CLEARS and len(group) > 1 for host in group
    )
    bad = [group for group, grade in result_by_hosts.values() if grade is Grade.BAD]
    next_groups: list[tuple[str, ...]] = []
    suspects: list[Suspect] = []
    for group in bad:
        if any(set(smaller) < set(group) for smaller in bad):
            continue  # the smaller group is more precise
        doubtful = tuple(host for host in group if host not in good)
        accused = _find_suspect(group, doubtful)
        if accused is not None:
            suspects.append(accused)
            continue
        parts = _halve(doubtful, tuple(good))
        halves = [half for half in parts if frozenset(half) not in result_by_hosts]
        if not halves:
            reason = "its parts could not be judged" if parts else "no healthy host is left"
            suspects.append(Suspect(Kind.GROUP, ", ".join(group), reason))
        next_groups += [half for half in halves if not any(set(half) & set(selected) for selected in next_groups)]
    return FollowUp(
        (), tuple(next_groups), tuple({(suspect.kind, suspect.name): suspect for suspect in suspects}.values())
    )


_CLEARS = (Grade.GOOD, Grade.WARN, Grade.SKIP)


def _find_suspect(group: tuple[str, ...], doubtful: tuple[str, ...]) -> Suspect | None:
    """The suspect of a bad group whose other hosts are in groups that are not bad; None if several are suspects."""
    if len(group) == 1:
        return Suspect(Kind.HOST, group[0], "bad in a group of one host")
    if not doubtful:
        return Suspect(Kind.GROUP, ", ".join(group), "the whole group is bad, its parts are not")
    if len(doubtful) == 1:
        good_hosts = [host for host in group if host not in doubtful]
        return Suspect(Kind.HOST, doubtful[0], f"bad with {', '.join(good_hosts[:3])}, which are not bad with others")
    return None


def _halve(doubtful: tuple[str, ...], good: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Both halves; a half of one host gets a healthy host in addition, if there is one."""
    half = len(doubtful) // 2
    parts = (doubtful[:half], doubtful[half:])
    good_hosts = iter(good)
    candidate_groups = [
        part if len(part) > 1 else (*part, *(host for host in [next(good_hosts, None)] if host)) for part in parts
    ]
    return [part for part in candidate_groups if len(part) > 1]
