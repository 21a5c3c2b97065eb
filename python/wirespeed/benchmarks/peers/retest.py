"""Commands that retest a suspect before it is called bad: measure it with healthy peers, then compare again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.benchmarks.endpoints.members import natural
from wirespeed.results.parameters import Parameters
from wirespeed.results.peers import Cell, Kind, Member

_PEERS = 3
"""Number of healthy hosts measured with one suspect: with fewer, there are no four comparable cells."""
_SUITES = {"iperf3": "tcp", "ucx_perftest": "ucx"}  # suites of bench run by tool; perftest is handled below


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """The options of the comparison, to repeat it."""

    files: tuple[str, ...]
    cluster: str | None = None


def commands(
    tool: str,
    test: str | None,
    parameters: Parameters,
    hosts: Sequence[str],
    options: ComparisonOptions,
    suspect: str,
) -> tuple[str, ...]:
    """The commands to type; none if the tool's command line does not follow from its log.

    Their results go into a folder named after the suspect.
    """
    folder = "retest-" + re.sub(r"[^A-Za-z0-9]+", "-", suspect).strip("-")
    measured = _measure_command(tool, test, parameters, hosts, options, folder)
    if measured is None:
        return ()
    comparison = ["wirespeed", "bench", "peers", *options.files, folder]
    if options.cluster is not None:
        comparison += ["--cluster", options.cluster]
    return (measured, shlex.join(comparison))


def _measure_command(
    tool: str, test: str | None, parameters: Parameters, hosts: Sequence[str], options: ComparisonOptions, folder: str
) -> str | None:
    if tool == "mpigraph":
        arguments = [parameters.message_bytes, parameters.iterations, parameters.window_messages]
        if any(value is None for value in arguments):
            return None
        command = ["mpirun", "--host", ",".join(hosts), "--map-by", "node", "mpiGraph", *map(str, arguments)]
        return f"mkdir -p {folder} && {shlex.join(command)} | tee {folder}/mpigraph.log"
    suite = _SUITES.get(tool)
    if tool == "perftest":
        suite = "pairs" if (test or "").endswith("_lat") else "matrix"
    if suite is None or options.cluster is None:
        return None
    command = ["wirespeed", "bench", "run", suite, "--cluster", options.cluster, "--hosts", ",".join(hosts)]
    return shlex.join([*command, "--output", folder])


def select_hosts(slow: Sequence[Cell], members: Mapping[str, Member], kind: Kind, cells: Sequence[Cell]) -> list[str]:
    """The hosts to measure again: suspects, at most as many as peers, and healthy hosts."""
    counted: dict[str, int] = {}
    for cell in slow:
        for name in {members[end].host for end in (cell.source, cell.target) if end is not None}:
            counted[name] = counted.get(name, 0) + 1
    limit = 1 if kind in (Kind.HOST, Kind.NIC, Kind.GPU) else 2
    doubted = sorted(counted, key=lambda name: (-counted[name], natural(name)))[:limit]
    level: dict[str, list[float]] = {}
    for cell in cells:
        for name in {members[end].host for end in (cell.source, cell.target) if end is not None}:
            if cell.fraction is not None:
                level.setdefault(name, []).append(cell.fraction)
    healthy = sorted(
        (name for name in level if name not in doubted),
        key=lambda name: (-round(sum(level[name]) / len(level[name]), 3), natural(name)),
    )
    return sorted([*doubted, *healthy[: max(_PEERS, limit)]], key=natural)
