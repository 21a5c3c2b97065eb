"""The same scenarios with several congestion-control algorithms: the output format of ``wirespeed sim compare``."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.results.json import document, plain
from wirespeed.results.simulation_types import CompletionTimes

KIND = "simulation-comparison"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Change:
    """A parameter that was changed because the algorithm expects another value."""

    parameter: str
    """Group and name in a scenario, such as ``marking.kmax_bytes``."""
    single_devices: bool
    """Whether the values are those of single devices, not of all others."""
    before: tuple[object, ...]
    """The different values in the scenario."""
    after: tuple[object, ...]
    """The different values in the run."""


@dataclass(frozen=True, slots=True)
class Run:
    """One scenario under one algorithm."""

    scenario: str
    algorithm: str
    changes: tuple[Change, ...]
    """Parameters other than those of the algorithm."""
    warnings: tuple[str, ...]
    """Why the run is not comparable with the others."""
    complete: bool
    """False for a run that was interrupted."""
    flows: int
    completed: int
    failed: int
    """Flows in error, and flows that can no longer complete."""
    unfinished: int
    """Flows in progress at the end of the run: it was interrupted, or ``--until`` stopped it."""
    fct_us: CompletionTimes | None
    """None when no flow completed."""
    end_us: float
    goodput_gbps: float | None
    """Payload rate of completed flows from the first start to the last end; None when no flow completed."""
    jain: float | None
    """Jain's index of the completed flows' rates, 1 = all equal; None when no flow completed."""
    pfc_pauses: int
    ecn_marks: int
    cnps: int
    drops: int
    trims: int
    """Packets that a switch trimmed to their header; each is sent again."""
    losses: int
    retransmissions: int
    max_queue_bytes: int
    """The maximum depth of a queue of a switch port."""
    tables_sha256: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs by scenario and algorithm, in the order of the options; an interruption may have prevented the last ones."""

    preset: str
    seed: int
    runs: tuple[Run, ...]


def to_json(comparison: Comparison) -> str:
    """The comparison as a document."""
    return document(KIND, SCHEMA, **plain(comparison))
