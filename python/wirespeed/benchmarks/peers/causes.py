"""Find the fewest causes that explain the slow cells of a matrix.

A cause is a set of cells: all cells of a host, NIC, rail or leaf, its row, its column, the cells inside it, the cells
from one leaf to another, both directions of a pair, or one direction. It is a candidate if its median is significantly
low and nearly all of its cells are nearer to that median than to the expected value, so that one slow host does not
make its leaf a candidate. The candidate that explains most is chosen first; the cells that it explains count for no
other. At the end, causes that are unnecessary beside the others are removed. Slow causes do not add up, because the
slowest part of a path determines its rate.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from wirespeed.benchmarks.peers import spread
from wirespeed.results.peers import CellPattern, Kind, Member
from wirespeed.units import format_percent

Ends = tuple[str, str | None]
"""Names of both members; the second is None for a single member."""

_NEARLY_ALL = 0.8
"""Share of a cause's cells that must be slow: one healthy cell of five may be noise or a faster path."""
_FEWEST = 2  # cells of a cause larger than a pair: one cell is no evidence for a row or column
_FAILED_RATE = 1e-3  # represents a run that failed, on a logarithmic scale


@dataclass(frozen=True, slots=True)
class Cause:
    """A set of cells that share a device, host, rail, leaf or pair. ``other_causes`` have the same cells."""

    kind: Kind
    pattern: CellPattern
    name: str
    cells: frozenset[Ends]
    other_causes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """``host node3``, ``host node3 as sender``."""
        return " ".join(
            filter(None, (self.kind.value, self.name, None if self.pattern is CellPattern.ALL else self.pattern.value))
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """The deviation from which a fraction is low: ``minimum``, and ``z`` robust standard deviations.

    ``nearly_all`` is the share of a cause's cells that must be low.
    """

    minimum: float
    z: float
    nearly_all: float = _NEARLY_ALL

    def low(self, fraction: float, deviation: float, count: int = 1) -> bool:
        """Whether the median of ``count`` cells is low; a value of zero always is."""
        return fraction <= 0 or fraction < self.bound(deviation, count)

    def describe_margin(self, deviation: float) -> str:
        """The share of the median by which a single low cell is at least worse, and its formula."""
        share = format_percent(1 - self.bound(deviation), 2)
        if self.minimum >= self.z * max(deviation, spread.NOISE):
            return f"{share}, the value of --at-least"
        if deviation >= spread.NOISE:
            return f"{share} = {self.z:.3g} × spread"
        return f"{share} = {self.z:.3g} × {format_percent(spread.NOISE, 2)}, the minimum spread"

    def bound(self, deviation: float, count: int = 1) -> float:
        """The fraction below which a median is low."""
        return max(
            0.0, 1 - max(self.minimum, self.z * spread.compute_median_error(max(deviation, spread.NOISE), count))
        )


def explain(
    fractions: Mapping[Ends, float], deviations: Mapping[Ends, float], causes: Sequence[Cause], rule: Rule
) -> list[tuple[Cause, float]]:
    """The causes that explain the low cells, those that explain most first, each with the median of its cells."""
    level = dict.fromkeys(fractions, 1.0)  # the expected fraction, given the chosen causes
    chosen: list[tuple[Cause, float]] = []
    low = {ends for ends, fraction in fractions.items() if rule.low(fraction, deviations[ends])}
    open_ = [cause for cause in causes if cause.cells and (cause.cells & low or not _is_single_pair(cause))]
    while open_:
        rated = [
            (cause, effect) for cause in open_ if (effect := _rate_cause(cause, fractions, deviations, level, rule))
        ]
        if not rated:
            break
        # sorted by name below: equal causes are chosen in the same order on any machine
        best, (gain, middle) = max(rated, key=lambda candidate: candidate[1][0])
        if gain <= 0:
            break
        chosen.append((best, middle))
        for ends in best.cells & fractions.keys():
            level[ends] = min(level[ends], middle)
        open_ = [cause for cause, _ in rated if cause is not best]
    return _drop_explained(chosen, fractions, deviations, rule)


def _rate_cause(
    cause: Cause,
    fractions: Mapping[Ends, float],
    deviations: Mapping[Ends, float],
    level: Mapping[Ends, float],
    rule: Rule,
) -> tuple[float, float] | None:
    """How much a cause explains of the unexplained cells, and their median; None if it is not a candidate."""
    single = _is_single_pair(cause) or any(target is None for _, target in cause.cells)
    measured = [ends for ends in cause.cells if ends in fractions]
    unexplained = [ends for ends in measured if not _is_explained(fractions[ends], level[ends], deviations[ends], rule)]
    if not unexplained or (not single and len(unexplained) < _FEWEST) or 2 * len(unexplained) < len(measured):
        return None
    values = [fractions[ends] for ends in unexplained]
    middle = spread.middle(values)
    deviation = spread.middle([deviations[ends] for ends in unexplained])
    if not rule.low(middle, deviation, len(unexplained)):
        return None
    halfway = math.sqrt(max(_FAILED_RATE, middle))
    if sum(value <= halfway for value in values) < rule.nearly_all * len(values):
        return None
    gain = sum(math.log(level[ends]) - math.log(max(_FAILED_RATE, fractions[ends])) for ends in unexplained)
    return round(gain, 12), middle


def _is_single_pair(cause: Cause) -> bool:
    return cause.kind in (Kind.PAIR, Kind.PATH)


def _is_explained(fraction: float, level: float, deviation: float, rule: Rule) -> bool:
    """Whether the chosen causes explain a cell."""
    return level < 1 and fraction >= level * rule.bound(deviation)


def _drop_explained(
    chosen: list[tuple[Cause, float]], fractions: Mapping[Ends, float], deviations: Mapping[Ends, float], rule: Rule
) -> list[tuple[Cause, float]]:
    """Remove the causes whose low cells the others explain."""
    needed = list(chosen)
    for candidate in reversed(chosen):
        remaining = [entry for entry in needed if entry is not candidate]
        low_cells = [
            ends for ends in candidate[0].cells if ends in fractions and fractions[ends] < rule.bound(deviations[ends])
        ]
        explained = all(
            any(
                ends in remaining_cause.cells and _is_explained(fractions[ends], middle, deviations[ends], rule)
                for remaining_cause, middle in remaining
            )
            for ends in low_cells
        )
        if low_cells and explained:
            needed = remaining
    return needed


def candidates(members: Mapping[str, Member], cells: Iterable[Ends], symmetric: bool) -> list[Cause]:
    """All possible causes, narrow ones first; causes with the same cells are merged into one.

    ``symmetric``: a cell measures both directions at the same time, so it has no sender.
    """
    all_cells = sorted(cells, key=lambda ends: (ends[0], ends[1] or ""))
    merged: dict[frozenset[Ends], Cause] = {}
    for cause in _list_causes(members, all_cells, symmetric):
        if not cause.cells:
            continue
        first = merged.get(cause.cells)
        if first is None:
            merged[cause.cells] = cause
        elif cause.pattern is CellPattern.ALL and (cause.kind, cause.name) != (first.kind, first.name):
            labels = (*first.other_causes, cause.label)
            merged[cause.cells] = Cause(first.kind, first.pattern, first.name, first.cells, labels)
    return list(merged.values())


def _list_causes(members: Mapping[str, Member], cells: Sequence[Ends], symmetric: bool) -> Iterator[Cause]:
    groups = _group_members(members)
    sent_by_name: dict[str, set[Ends]] = defaultdict(set)
    received: dict[str, set[Ends]] = defaultdict(set)
    for ends in cells:
        sent_by_name[ends[0]].add(ends)
        if ends[1] is not None:
            received[ends[1]].add(ends)
    rows = {group: _unite_ends(sent_by_name, names) for group, names in groups.items()}
    columns = {group: _unite_ends(received, names) for group, names in groups.items()}
    for kind, name in groups:
        yield Cause(kind, CellPattern.ALL, name, rows[kind, name] | columns[kind, name])
    for kind, name in groups:
        if kind in (Kind.RAIL, Kind.LEAF):
            yield Cause(kind, CellPattern.INSIDE, name, rows[kind, name] & columns[kind, name])
        if not symmetric:
            pairs = frozenset(ends for ends in rows[kind, name] if ends[1] is not None)
            yield Cause(kind, CellPattern.SENDS, name, pairs)
            yield Cause(kind, CellPattern.RECEIVES, name, columns[kind, name])
    yield from _list_leaf_causes(groups, cells)
    yield from _list_pair_causes(cells, symmetric)


def _unite_ends(ends_by_name: Mapping[str, set[Ends]], names: Iterable[str]) -> frozenset[Ends]:
    return frozenset().union(*(ends_by_name.get(name, set()) for name in names))


def _group_members(members: Mapping[str, Member]) -> dict[tuple[Kind, str], set[str]]:
    """Members by device, host, rail and leaf; narrow ones first."""
    names_by_group: dict[tuple[Kind, str], set[str]] = defaultdict(set)
    for name, member in members.items():
        if member.device is None:
            names_by_group[Kind.HOST, member.host].add(name)
    for name, member in members.items():
        if member.device is not None:
            gpu = member.device.startswith(("GPU", "CPU"))
            names_by_group[Kind.GPU if gpu else Kind.NIC, member.name].add(name)
    for name, member in members.items():
        names_by_group[Kind.HOST, member.host].add(name)
    for name, member in members.items():
        if member.rail is not None:
            names_by_group[Kind.RAIL, str(member.rail)].add(name)
    for name, member in members.items():
        if member.leaf is not None:
            names_by_group[Kind.LEAF, member.leaf].add(name)
    return dict(names_by_group)


def _list_leaf_causes(groups: Mapping[tuple[Kind, str], set[str]], cells: Sequence[Ends]) -> Iterator[Cause]:
    leaf_of = {name: leaf for (kind, leaf), names in groups.items() if kind is Kind.LEAF for name in names}
    cells_between_leaves: dict[tuple[str, str], set[Ends]] = defaultdict(set)
    for ends in cells:
        a, b = leaf_of.get(ends[0]), leaf_of.get(ends[1] or "")
        if a is not None and b is not None and a != b:
            cells_between_leaves[a, b].add(ends)
    leaves = sorted({leaf for pair in cells_between_leaves for leaf in pair})
    for a, b in product(leaves, leaves):
        forward, backward = cells_between_leaves.get((a, b), set()), cells_between_leaves.get((b, a), set())
        if a < b:
            yield Cause(Kind.LEAVES, CellPattern.ALL, f"{a} and {b}", frozenset(forward | backward))
        if forward and backward:
            yield Cause(Kind.LEAVES, CellPattern.SENDS, f"{a} to {b}", frozenset(forward))


def _list_pair_causes(cells: Sequence[Ends], symmetric: bool) -> Iterator[Cause]:
    measured = set(cells)
    for source, target in cells:
        if target is None:
            continue
        reverse = (target, source)
        if reverse in measured and source < target:
            yield Cause(Kind.PAIR, CellPattern.ALL, f"{source} and {target}", frozenset({(source, target), reverse}))
        kind = Kind.PAIR if symmetric or reverse not in measured else Kind.PATH
        name = f"{source} and {target}" if kind is Kind.PAIR else f"{source} -> {target}"
        yield Cause(kind, CellPattern.ALL, name, frozenset({(source, target)}))
