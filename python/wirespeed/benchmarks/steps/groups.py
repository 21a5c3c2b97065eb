"""Groups of hosts for collectives: each host, then the hosts of a leaf, of a pod, all; no group occurs twice."""

from __future__ import annotations

from collections.abc import Callable

from wirespeed.benchmarks.endpoints.fabric import Endpoint, Fabric


def groups_by_level(fabric: Fabric) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Levels with their groups, smallest first. Groups of a level share no host and run at the same time."""
    hosts = fabric.hosts
    levels: list[tuple[str, list[tuple[str, ...]]]] = [("host", [(host,) for host in hosts])]
    known_groups = {frozenset(group) for group in levels[0][1]}
    levels_above_host: tuple[tuple[str, Callable[[Endpoint], str | None]], ...] = (
        ("leaf", lambda endpoint: endpoint.leaf),
        ("pod", lambda endpoint: endpoint.pod),
        ("all", lambda endpoint: endpoint.fabric),
    )
    for name, get_group in levels_above_host:
        groups: dict[tuple[str | None, ...], list[str]] = {}
        for host, endpoints in hosts.items():
            groups.setdefault(tuple(dict.fromkeys(get_group(endpoint) for endpoint in endpoints)), []).append(host)
        fresh = [
            tuple(group) for key, group in groups.items() if None not in key and frozenset(group) not in known_groups
        ]
        fresh = [group for group in fresh if len(group) > 1]
        known_groups |= {frozenset(group) for group in fresh}
        if fresh:
            levels.append((name, fresh))
    return levels
