"""Steps for the fewest pairs that exercise all NICs, rails and leaves, and notes on the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wirespeed.benchmarks.steps.pairing import Pair, empty_uplink, pair_rounds, queue_pairs
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.units import format_percent

Add = Callable[[Pair, int], None]


def add_matching(request: Request, steps: Steps, add: Add) -> list[Pair]:
    """Add a step for each pair of the matching, with the queue pairs that its leaves need; return the pairs.

    A later round waits only for its NICs, so that one slow or dead host does not delay others.
    """
    rounds, notes_on_unpaired = pair_rounds(request.fabric)
    pairs = [pair for round_pairs in rounds for pair in round_pairs]
    crossing = _count_uplink_pairs(pairs)
    flows = {leaf: queue_pairs(request.fabric.uplinks.get(leaf, 0), count) for leaf, count in crossing.items()}
    for pair in pairs:
        add(pair, max((flows[leaf] for leaf in _list_leaves(pair)), default=1))
    steps.notes += [*request.fabric.excluded_nics, *notes_on_unpaired, *_note_uplinks(request, crossing, flows)]
    return pairs


def _list_leaves(pair: Pair) -> list[str]:
    return [leaf for leaf in (pair.a.leaf, pair.b.leaf) if leaf is not None] if pair.crosses else []


def _count_uplink_pairs(pairs: Sequence[Pair]) -> dict[str, int]:
    """The number of pairs that use the uplinks of each leaf."""
    pair_counts: dict[str, int] = {}
    for pair in pairs:
        for leaf in _list_leaves(pair):
            pair_counts[leaf] = pair_counts.get(leaf, 0) + 1
    return pair_counts


def _note_uplinks(request: Request, crossing: dict[str, int], flows: dict[str, int]) -> list[str]:
    """Notes on leaves whose uplinks no pair uses, and on the probability that an uplink carries no queue pair."""
    used = dict.fromkeys(endpoint.leaf for endpoint in request.fabric.endpoints if endpoint.leaf is not None)
    notes = [
        f"no pair crosses the {request.fabric.uplinks[leaf]} uplinks of {leaf}"
        for leaf in used
        if request.fabric.uplinks.get(leaf) and leaf not in crossing
    ]
    empty = max(
        (empty_uplink(request.fabric.uplinks[leaf], count * flows[leaf]) for leaf, count in crossing.items()),
        default=0.0,
    )
    if empty > 0:
        notes.append(
            "probability that an uplink of a leaf carries no queue pair, and is not tested: "
            f"at most {format_percent(empty)} (the switch selects the uplink of each queue pair)"
        )
    return notes
