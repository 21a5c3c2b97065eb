"""Groups of hosts for collectives: each host, then those under a leaf, in a pod, in all; no group is there twice."""

from __future__ import annotations

from collections.abc import Callable

from wirespeed.benchmarks.endpoints.fabric import Fabric, Seat


def growing(fabric: Fabric) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Levels with their groups, from the smallest on. Groups of a level share no host, and run at a time."""
    hosts = fabric.hosts
    levels: list[tuple[str, list[tuple[str, ...]]]] = [("host", [(host,) for host in hosts])]
    seen = {frozenset(group) for group in levels[0][1]}
    by: tuple[tuple[str, Callable[[Seat], str | None]], ...] = (
        ("leaf", lambda seat: seat.leaf),
        ("pod", lambda seat: seat.pod),
        ("all", lambda seat: seat.fabric),
    )
    for name, of in by:
        groups: dict[tuple[str | None, ...], list[str]] = {}
        for host, seats in hosts.items():
            groups.setdefault(tuple(dict.fromkeys(of(seat) for seat in seats)), []).append(host)
        fresh = [tuple(group) for key, group in groups.items() if None not in key and frozenset(group) not in seen]
        fresh = [group for group in fresh if len(group) > 1]
        seen |= {frozenset(group) for group in fresh}
        if fresh:
            levels.append((name, fresh))
    return levels
