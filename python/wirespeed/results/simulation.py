"""What a simulation run amounts to: the contract of ``wirespeed sim run --format json`` and of ``summary.json``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from wirespeed.errors import refuse
from wirespeed.results.json import document, plain

KIND = "simulation-summary"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class CompletionTimes:
    """From the first moment a flow may start to its last acknowledgement, µs. Percentiles by nearest rank."""

    mean: float
    p50: float
    p99: float
    max: float
    min: float


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong, for a time or all the time."""

    kind: str
    """As scenarios and traffic files have it."""
    place: str
    """A device, or a port for the cable at it, by name."""
    nodes: tuple[int, ...]
    """Whose fault it is, by number."""
    links: tuple[int, ...]
    """Which cables have it, by number."""
    start_us: float
    until_us: float | None
    """None for one that stays."""
    setting: str = ""
    """Of a wrong setting: which, and to what it is set."""


@dataclass(frozen=True, slots=True)
class Source:
    """The plan that a scenario was made from. ``assumed`` is what neither plan nor catalogue says."""

    plan: str
    cluster: str
    cluster_sha256: str
    catalogue: str
    """Version of wirespeed, which the catalogue is part of."""
    traffic: str
    traffic_sha256: str
    scenario_sha256: str
    assumed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """Totals of one run. ``hops`` are data and ACK frames that started on a link; PFC and CNP frames are apart.

    ``setup_s`` goes from the scenario read to the first event, ``run_s`` from there to the filled tables. Times and
    memory are those of this run on this machine; everything else, ``tables_sha256`` included, follows from scenario,
    preset and seed. ``complete`` is false for a run that was interrupted: then flows were still on their way.
    """

    name: str
    preset: str
    seed: int
    complete: bool
    hops: int
    pfc_frames: int
    cnp_frames: int
    events: int
    setup_s: float
    run_s: float
    hops_per_s: float
    peak_rss_bytes: int | None
    """None where the system does not say."""
    rss_growth_bytes: int | None
    """Peak during the run less what was resident just before the core read the scenario."""
    flows: int
    completed: int
    fct_us: CompletionTimes | None
    """None when no flow completed."""
    pfc_pauses: int
    pfc_resumes: int
    ecn_marks: int
    cnps: int
    drops: int
    unroutable: int
    """Of the drops, frames for which a switch had no way, or that came to a NIC they do not go to."""
    losses: int
    retransmissions: int
    failed: int
    """Flows in error, and those that nothing can complete any more. Flows cut off by the end are neither."""
    end_us: float
    tables_sha256: str
    watchdog_stuck: int = 0
    """How often the PFC watchdog found a queue stuck."""
    watchdog_recovered: int = 0
    watchdog_drops: int = 0
    """Frames that it dropped; not among ``drops``."""
    trims: int = 0
    """Packets of which a switch let only the header go on; not among ``drops``."""
    deadlocks: tuple[str, ...] = ()
    """Circles of ports that wait for each other, in words."""
    source: Source | None = None
    """Of a run from a plan; None of one from a scenario."""
    faults: tuple[Fault, ...] = ()
    """What was wrong; a saved scenario no longer tells settings that are wrong from others."""


def to_json(summary: Summary, **more: Any) -> str:
    """The summary as a document; ``more`` follows its fields."""
    return document(KIND, SCHEMA, **plain(summary), **more)


def from_json(text: str, place: str) -> Summary:
    """The summary that `to_json` wrote.

    Raises:
        Refused: it is none.
    """
    try:
        read = json.loads(text)
    except ValueError as error:
        raise refuse(place, f"no JSON: {error}", f"a document of kind {KIND}") from None
    if not isinstance(read, dict) or read.get("kind") != KIND:
        found = read.get("kind") if isinstance(read, dict) else type(read).__name__
        raise refuse(place, repr(found), f"a document of kind {KIND}")
    # What is not there counts what an earlier version could not simulate: it did not happen.
    zeros = {field.name: 0 for field in fields(Summary) if field.type == "int"}
    read = {**zeros, "deadlocks": (), "source": None, "faults": (), **read}
    lacking = [field.name for field in fields(Summary) if field.name not in read]
    if lacking:
        raise refuse(place, f"no {', '.join(lacking)}", f"a document of kind {KIND}")
    known: dict[str, Any] = {field.name: read[field.name] for field in fields(Summary)}
    for name, made in _PARTS.items():
        try:
            known[name] = made(known[name])
        except (KeyError, TypeError) as error:
            raise refuse(place, f"{name} of another form: {error!r}", f"a document of kind {KIND}") from None
    return Summary(**known)


def _times(read: Mapping[str, Any] | None) -> CompletionTimes | None:
    return None if read is None else CompletionTimes(**read)


def _source(read: Mapping[str, Any] | None) -> Source | None:
    return None if read is None else Source(**{**read, "assumed": tuple(read["assumed"])})


def _fault(read: Mapping[str, Any]) -> Fault:
    return Fault(**{**read, "nodes": tuple(read["nodes"]), "links": tuple(read["links"])})


_PARTS: Mapping[str, Callable[[Any], Any]] = {
    "fct_us": _times,
    "deadlocks": tuple,
    "source": _source,
    "faults": lambda read: tuple(map(_fault, read)),
}
"""What is more than a value, by its name in the summary."""
