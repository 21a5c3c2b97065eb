"""Capacity of a fabric's switches: oversubscription of each tier, and the bisection bandwidth.

**Oversubscription** of a switch is the bandwidth of its cables downward over that of its cables upward; of a tier, that
of its worst switch.

**Bisection bandwidth** is the smallest bandwidth, in one direction, of a cut that separates the hosts into two equal
halves (Leighton 1992, Introduction to Parallel Algorithms and Architectures, section 1.2): the worst halves, and every
switch on the side where it cuts least. A host is one node: what its NICs exchange inside it is not counted.

Finding the worst halves is hard in general, but not in a fabric that is striped evenly. Join all switches of a tier
that share switches or hosts below them: hosts, leaves of the same hosts, spines of a pod, cores become a tree. Joining
only forbids cuts, so no cut of the tree is below the least of the fabric. Where each group splits its traffic upward in
fixed shares, the same for all below it, a flow of the tree can be dealt out over the switches of each group in them, so
by max-flow min-cut (Ford and Fulkerson 1956) no cut of the fabric is below the tree's least: both are equal. Elsewhere
the tree's value is an upper bound, and labelled as one. In the tree the worst halves are found exactly: for every
group, side and number of hosts on the first side, the least cut below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from wirespeed.plan import Plan
from wirespeed.plan.disjoint_sets import DisjointSets
from wirespeed.units import Bandwidth

_FAR = 1 << 62  # b/s; more than any fabric has


@dataclass(frozen=True, slots=True)
class Tier:
    """Switches of one role: their number, and the bandwidth downward and upward of the worst switch.

    The worst has the highest oversubscription; without uplinks, the least bandwidth downward.
    """

    role: str
    switches: int
    down: Bandwidth
    up: Bandwidth
    worst: str | None = None  # its name; None where all are equal

    @property
    def oversubscription(self) -> Fraction | None:
        """Down over up; None at the top."""
        return Fraction(self.down, self.up) if self.up else None


@dataclass(frozen=True, slots=True)
class Bisection:
    """The bisection bandwidth, and for comparison the bandwidth of the NICs of half of the hosts."""

    bandwidth: Bandwidth
    full: Bandwidth
    exact: bool  # else an upper bound


def tiers(plan: Plan) -> tuple[Tier, ...]:
    """Every tier of switches, from the lowest."""
    heights = _compute_heights(plan)
    sums: dict[str, list[int]] = {name: [0, 0] for name in plan.switches}
    for cable in plan.cables:
        for near_device, far in ((cable.a.device, cable.b.device), (cable.b.device, cable.a.device)):
            if near_device in sums and heights[near_device] != heights[far]:
                sums[near_device][heights[far] > heights[near_device]] += cable.speed
    members: dict[tuple[int, str], list[str]] = {}
    for name in sums:
        members.setdefault((heights[name], plan.roles[name]), []).append(name)
    return tuple(_tier(role, {name: sums[name] for name in names}) for (_, role), names in sorted(members.items()))


def _tier(role: str, sums: Mapping[str, Sequence[int]]) -> Tier:
    """The tier of switches with these bandwidths downward and upward."""
    worst = max(sums, key=lambda name: (_compute_ratio(*sums[name]), -sums[name][0]))
    down, up = sums[worst]
    is_unequal = len({tuple(pair) for pair in sums.values()}) > 1
    return Tier(role, len(sums), Bandwidth(down), Bandwidth(up), worst if is_unequal else None)


def _compute_ratio(down: int, up: int) -> Fraction:
    return Fraction(down, up) if up else Fraction(-1)


def bisection(plan: Plan) -> Bisection | None:
    """The bisection bandwidth; None for fewer than two hosts, or if cables connect switches of one tier."""
    heights = _compute_heights(plan)
    if len(plan.hosts) < 2 or any(heights[cable.a.device] == heights[cable.b.device] for cable in plan.cables):
        return None
    if any(abs(heights[cable.a.device] - heights[cable.b.device]) > 1 for cable in plan.cables):
        return None
    tree = _Tree(plan, heights)
    half = len(plan.hosts) // 2
    rates = dict.fromkeys(plan.hosts, 0)
    for cable in plan.cables:
        for end in (cable.a, cable.b):
            if end.device in rates:
                rates[end.device] += cable.speed
    return Bisection(Bandwidth(tree.minimum_cut(half)), Bandwidth(sum(sorted(rates.values())[:half])), tree.even)


@dataclass(frozen=True, slots=True)
class Uplinks:
    """Switches with common devices below them, the hosts under them, and the bandwidth of their uplinks in one
    direction."""

    switches: tuple[str, ...]
    hosts: frozenset[str]
    up: Bandwidth


def uplinks(plan: Plan) -> tuple[tuple[Uplinks, ...], ...]:
    """The groups of switches that have uplinks, by height. Empty if cables connect switches of one tier."""
    heights = _compute_heights(plan)
    if not plan.cables or any(abs(heights[cable.a.device] - heights[cable.b.device]) != 1 for cable in plan.cables):
        return ()
    return _Tree(plan, heights).uplinks(heights)


def _compute_heights(plan: Plan) -> dict[str, int]:
    """Cables down to the nearest host; a switch without hosts below gets the number of devices."""
    near: dict[str, set[str]] = {}
    for cable in plan.cables:
        near.setdefault(cable.a.device, set()).add(cable.b.device)
        near.setdefault(cable.b.device, set()).add(cable.a.device)
    heights = dict.fromkeys(plan.hosts, 0)
    queue = list(plan.hosts)
    for name in queue:
        for neighbour in near.get(name, ()):
            if neighbour not in heights:
                heights[neighbour] = heights[name] + 1
                queue.append(neighbour)
    return {name: heights.get(name, len(plan.devices)) for name in plan.devices}


class _Tree:
    """Groups of switches: at each height, those with common devices below them."""

    def __init__(self, plan: Plan, heights: Mapping[str, int]) -> None:
        self.up: dict[str, dict[str, int]] = {}  # device -> device above -> bandwidth
        for cable in plan.cables:
            low, high = sorted((cable.a.device, cable.b.device), key=lambda name: heights[name])
            neighbours = self.up.setdefault(low, {})
            neighbours[high] = neighbours.get(high, 0) + cable.speed
        self.members: dict[str, list[str]] = {name: [name] for name in plan.hosts}  # group -> its devices
        self.below: dict[str, list[str]] = {}  # group -> groups under it
        self.even = True
        self._join_tiers(list(plan.hosts))
        self.roots = [group for group in self.members if not self._has_uplinks(group)]

    def _has_uplinks(self, group: str) -> bool:
        return any(self.up.get(name) for name in self.members[group])

    def _join_tiers(self, groups: list[str]) -> None:
        """Join the switches above these groups, tier by tier."""
        shares = {group: {group: Fraction(1)} for group in groups}
        while groups:
            first_names = _find_first_names(
                [{high for name in self.members[child] for high in self.up.get(name, ())} for child in groups]
            )
            parents: dict[str, list[str]] = {}
            for group, top in zip(groups, first_names, strict=True):
                if top is not None:
                    parents.setdefault(top, []).append(group)
            above: dict[str, dict[str, Fraction]] = {}
            for children in parents.values():
                name = f"above {children[0]}"
                self.members[name] = sorted(
                    {high for child in children for low in self.members[child] for high in self.up.get(low, ())}
                )
                self.below[name] = children
                above[name] = self._compute_shares(children, shares)
            groups, shares = list(parents and above), above

    def _compute_shares(
        self, children: Sequence[str], shares: Mapping[str, Mapping[str, Fraction]]
    ) -> dict[str, Fraction]:
        """How traffic from below is distributed to the switches of a group; records where the distribution is uneven.

        A group sends by its members' shares: it can fill its cables only if the members' bandwidth upward is in the
        same shares, and a member distributes its part by the bandwidth of its cables.
        """
        first: dict[str, Fraction] | None = None
        for child in children:
            total = sum(sum(self.up.get(name, {}).values()) for name in self.members[child])
            dealt: dict[str, Fraction] = {}
            for name in self.members[child]:
                links = self.up.get(name, {})
                if Fraction(sum(links.values()), total) != shares[child][name]:
                    self.even = False
                for high, speed in links.items():
                    dealt[high] = dealt.get(high, Fraction(0)) + Fraction(speed, total)
            if first is None:
                first = dealt
            elif dealt != first:
                self.even = False
        return first or {}

    def uplinks(self, heights: Mapping[str, int]) -> tuple[tuple[Uplinks, ...], ...]:
        """The uplinks of every group of switches, by height."""
        groups_by_height: dict[int, list[Uplinks]] = {}
        for group in self.below:
            up = sum(sum(self.up.get(name, {}).values()) for name in self.members[group])
            if up:
                uplinks = Uplinks(tuple(self.members[group]), frozenset(self._list_hosts(group)), Bandwidth(up))
                groups_by_height.setdefault(heights[self.members[group][0]], []).append(uplinks)
        return tuple(tuple(groups_by_height[height]) for height in sorted(groups_by_height))

    def _list_hosts(self, group: str) -> list[str]:
        if group not in self.below:
            return [group]
        return [host for child in self.below[group] for host in self._list_hosts(child)]

    def minimum_cut(self, half: int) -> int:
        """The least cut with this number of hosts on the first side."""
        cuts_by_kind: dict[object, tuple[list[int], list[int]]] = {}
        best = [0]
        for root in self.roots:
            cuts = self._find_cuts(root, half, cuts_by_kind)[0]
            best = _add_sums(best, [min(pair) for pair in zip(*cuts, strict=True)], half)
        return best[half]

    def _find_cuts(
        self, group: str, half: int, cuts_by_kind: dict[object, tuple[list[int], list[int]]]
    ) -> tuple[tuple[list[int], list[int]], object]:
        """Least cuts below a group that is on the first or the second side, by hosts on the first; and the group's
        kind."""
        if group not in self.below:
            return ([_FAR, 0], [0, _FAR]), "host"
        children = []
        for child in self.below[group]:
            cuts, kind = self._find_cuts(child, half, cuts_by_kind)
            cable = sum(sum(self.up.get(name, {}).values()) for name in self.members[child])
            children.append((kind, cable, cuts))
        kinds = tuple((kind, cable) for kind, cable, _ in children)
        if kinds not in cuts_by_kind:
            sides: list[list[int]] = []
            for side in (0, 1):
                parts = [
                    [
                        min(same_side, opposite_side + cable)
                        for same_side, opposite_side in zip(cuts[side], cuts[1 - side], strict=True)
                    ]
                    for _, cable, cuts in children
                ]
                sides.append(_add_parts(parts, half))
            cuts_by_kind[kinds] = sides[0], sides[1]
        return cuts_by_kind[kinds], hash(kinds)


def _find_first_names(groups: Iterable[set[str]]) -> list[str | None]:
    """For each set of names the first name of all sets joined with it. None for an empty set."""
    sets = DisjointSets()
    every = [sorted(names) for names in groups]
    for names in every:
        for name in names[1:]:
            sets.join(name, names[0])
    return [sets.find(names[0]) if names else None for names in every]


def _add_parts(parts: Sequence[list[int]], half: int) -> list[int]:
    """Least sums of all parts by hosts, at most half; equal parts are added by doubling."""
    counts: dict[tuple[int, ...], int] = {}
    for part in parts:
        counts[tuple(part)] = counts.get(tuple(part), 0) + 1
    sums = [0]
    for kind, count in counts.items():
        power = list(kind)
        while count:
            if count & 1:
                sums = _add_sums(sums, power, half)
            count >>= 1
            if count:
                power = _add_sums(power, power, half)
    return sums


def _add_sums(a: Sequence[int], b: Sequence[int], half: int) -> list[int]:
    """The least of a[i] + b[k - i] for every k up to half."""
    size = min(len(a) + len(b) - 2, half) + 1
    return [min(a[i] + b[k - i] for i in range(max(0, k - len(b) + 1), min(k, len(a) - 1) + 1)) for k in range(size)]
