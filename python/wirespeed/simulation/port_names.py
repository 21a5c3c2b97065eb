"""Names of ports from the numbers of their nodes, for scenarios without names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def port_names(ends: Mapping[int, tuple[int, int]], wanted: Iterable[int]) -> dict[int, str]:
    """``NODE:PEER``, with ``.NUMBER`` if several cables join the two. ``ends`` are node and peer by port."""
    facing: dict[tuple[int, int], list[int]] = {ends[port]: [] for port in wanted}
    for port, end in ends.items():
        if end in facing:
            facing[end].append(port)
    return {
        port: f"{node}:{peer}" + (f".{ports_of_pair.index(port)}" if len(ports_of_pair) > 1 else "")
        for (node, peer), ports_of_pair in facing.items()
        for port in ports_of_pair
    }
