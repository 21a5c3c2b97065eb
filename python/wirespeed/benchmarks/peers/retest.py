"""Commands that retest a suspect before it is called bad: measure it with healthy peers, then compare again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from wirespeed.benchmarks.endpoints.members import natural
from wirespeed.benchmarks.endpoints.perftest_command import BANDWIDTH_BYTES, LATENCY_BYTES, list_perftest_arguments
from wirespeed.benchmarks.peers.samples import Key
from wirespeed.results.benchmarks import Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.peers import Cell, Kind, Member

_PEERS = 3
"""Number of healthy hosts measured with one suspect: with fewer, there are no four comparable cells."""
ENOUGH_CELLS = 3
"""Cells of a suspect that are measured again: those of one host with three healthy ones."""
_SUITES = {  # suites of bench run by tool, test and message size; tcp has no message size
    ("perftest", "ib_write_bw", BANDWIDTH_BYTES): "matrix",
    ("perftest", "ib_write_lat", LATENCY_BYTES): "pairs",
    ("ucx_perftest", "tag_bw", BANDWIDTH_BYTES): "ucx",
    ("ucx_perftest", "tag_lat", LATENCY_BYTES): "ucx",
}


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """The options of the comparison, to repeat it."""

    files: tuple[str, ...]
    cluster: str | None = None


def commands(
    key: Key,
    parameters: Parameters,
    hosts: Sequence[str],
    pairs: Sequence[tuple[Member, Member]],
    options: ComparisonOptions,
    suspect: str,
    logs: Collection[str] = (),
) -> tuple[str, ...]:
    """The commands to type; none if the tool's command line does not follow from its log.

    They measure what the logs measured, so that both are compared. Their results go into a folder named after the
    suspect, which is none of the inputs. ``pairs``: slow pairs; ``logs``: the files of all results.
    """
    folder = _name_folder(suspect, {*options.files, *logs})
    measured = _list_measurements(key, parameters, hosts, pairs, options, folder)
    if not measured:
        return ()
    comparison = ["wirespeed", "bench", "peers", *options.files, folder]
    if options.cluster is not None:
        comparison += ["--cluster", options.cluster]
    return (*measured, shlex.join(comparison))


def _name_folder(suspect: str, inputs: Collection[str]) -> str:
    """``retest-node5``, or ``retest-node5-2`` if the first one is among the inputs."""
    name = "retest-" + re.sub(r"[^A-Za-z0-9]+", "-", suspect).strip("-")
    folders = {part for file in inputs for part in PurePath(file).parts}
    number, folder = 1, name
    while folder in folders:
        number += 1
        folder = f"{name}-{number}"
    return folder


def _list_measurements(
    key: Key,
    parameters: Parameters,
    hosts: Sequence[str],
    pairs: Sequence[tuple[Member, Member]],
    options: ComparisonOptions,
    folder: str,
) -> tuple[str, ...]:
    if key.tool == "mpigraph":
        arguments = [parameters.message_bytes, parameters.iterations, parameters.window_messages]
        if any(value is None for value in arguments):
            return ()
        command = ["mpirun", "--host", ",".join(hosts), "--map-by", "node", "mpiGraph", *map(str, arguments)]
        return (f"mkdir -p {folder} && {shlex.join(command)} | tee {folder}/mpigraph.log",)
    suite = _find_suite(key, parameters)
    if suite is not None and options.cluster is not None:
        command = ["wirespeed", "bench", "run", suite, "--cluster", options.cluster, "--hosts", ",".join(hosts)]
        return (shlex.join([*command, "--output", folder]),)
    if key.tool == "perftest" and key.test is not None and pairs:
        return (f"mkdir -p {folder}", *_repeat_pairs(key, parameters, pairs[:ENOUGH_CELLS], folder))
    return ()


def _find_suite(key: Key, parameters: Parameters) -> str | None:
    """The suite of `bench run` that measures the same; None if there is none."""
    if key.tool == "iperf3":
        return "tcp"
    is_other = parameters.on_gpu or (parameters.queue_pairs or 1) > 1 or parameters.connection_type not in (None, "RC")
    if key.tool == "perftest" and (is_other or bool(parameters.bidirectional) is (key.test or "").endswith("_lat")):
        return None
    return _SUITES.get((key.tool, key.test or "", key.size_bytes or 0))


def _repeat_pairs(
    key: Key, parameters: Parameters, pairs: Sequence[tuple[Member, Member]], folder: str
) -> Iterator[str]:
    """perftest's commands between the ends of each pair: a server in the background, then its client."""
    run = Run(key.tool, key.test, None, RunStatus.COMPLETE, None, None, parameters, ())
    for source, target in pairs:
        client, server = (target, source) if "read" in (key.test or "") else (source, target)
        on_server, on_client = (
            list_perftest_arguments(run, end.device or parameters.rdma_device, [key.size_bytes or 0], None)
            for end in (server, client)
        )
        log = f"{folder}/{client.name}-{server.name}.log".replace(":", "-")
        yield (
            f"ssh {server.host} {shlex.quote(shlex.join(on_server))} > /dev/null & sleep 3; "
            f"ssh {client.host} {shlex.quote(shlex.join([*on_client, server.host]))} | tee {log}"
        )


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
