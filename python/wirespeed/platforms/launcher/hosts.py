"""Host files: every host of a job and its number of ranks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from wirespeed.facts import Observation, State
from wirespeed.platforms.launcher.variables import observation
from wirespeed.platforms.model import Output
from wirespeed.settings import Place


@lru_cache(maxsize=8)
def slots(hosts: tuple[str, ...], ranks: int, sign: str) -> str:
    """A line ``node1 slots=8`` or ``node1:8`` for each host. Cached, because all hosts of a cluster have the same
    file."""
    return "\n".join(f"{host}{sign}{ranks}" for host in hosts)


def read(output: Output, line: re.Pattern[str], place: Place) -> Iterator[Observation]:
    """Hosts in rank order, and the ranks of each host if all have the same number."""
    hosts: list[str] = []
    counts: set[int | None] = set()
    for text in output.text.split("\n"):
        line_text = text.partition("#")[0].strip()
        match = line.fullmatch(line_text)
        if match is None and line_text:  # a message or an unknown format: not a list of hosts
            return
        if match is not None:
            hosts.append(match[1])
            counts.add(int(match[2]) if match[2] else None)
    if not hosts:
        return
    yield observation(place, "hosts", tuple(hosts), output.source, State.CONFIGURED)
    common = counts.pop() if len(counts) == 1 else None
    if common is not None:
        yield observation(place, "ranks_per_host", common, output.source, State.CONFIGURED)
