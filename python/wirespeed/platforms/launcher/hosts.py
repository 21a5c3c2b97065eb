"""Host files: every host of a job and its number of ranks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from wirespeed.facts import Observation, State
from wirespeed.platforms.launcher.variables import observation
from wirespeed.platforms.model import Output
from wirespeed.platforms.output_values import number_lines
from wirespeed.settings import Launch, Place

HOST_FILE = ("host.launch.hosts", "host.launch.ranks_per_host", "host.launch.other_ranks")
"""The settings of a host file."""


def format_lines(launch: Launch, sign: str) -> str:
    """A line ``node1 slots=8`` or ``node1:8`` for each host."""
    other_ranks = tuple((launch.other_ranks or {}).items())
    return _format_lines(launch.hosts or (), launch.ranks_per_host or 1, other_ranks, sign)


@lru_cache(maxsize=8)  # all hosts of a cluster have the same file
def _format_lines(hosts: tuple[str, ...], ranks: int, other_ranks: tuple[tuple[str, int], ...], sign: str) -> str:
    rank_counts = dict(other_ranks)
    return "\n".join(f"{host}{sign}{rank_counts.get(host, ranks)}" for host in hosts)


def read(output: Output, line: re.Pattern[str], place: Place) -> Iterator[Observation]:
    """Hosts in rank order, the ranks of most hosts, and those of the others. The ranks of repeated lines add up.

    A file of comments alone has no host.
    """
    ranks: dict[str, int] = {}
    last_lines: dict[str, int] = {}
    is_complete = True
    for line_number, text in number_lines(output):
        line_text = text.partition("#")[0].strip()
        match = line.fullmatch(line_text)
        if match is None and line_text:  # a message or an unknown format: not a list of hosts
            return
        if match is not None:
            is_complete &= match[2] is not None  # without a number the launcher decides
            ranks[match[1]] = ranks.get(match[1], 0) + int(match[2] or 0)
            last_lines[match[1]] = line_number
    if ranks or output.exit_code == 0:
        yield observation(place, "hosts", tuple(ranks), output.source, State.CONFIGURED)
    if not ranks or not is_complete:
        return
    usual = Counter(ranks.values()).most_common(1)[0][0]
    other_ranks = {host: count for host, count in ranks.items() if count != usual}
    usual_host = next(host for host, count in ranks.items() if count == usual)
    sources = [output.source_of_line(last_lines[host]) for host in (usual_host, *other_ranks)]
    yield observation(place, "ranks_per_host", usual, sources[0], State.CONFIGURED)
    yield observation(place, "other_ranks", other_ranks, sources[-1], State.CONFIGURED)
