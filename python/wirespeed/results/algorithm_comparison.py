"""The same scenarios under several algorithms of congestion control: the contract of ``wirespeed sim compare``."""

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
    """Why the run cannot be compared with the others fairly."""
    complete: bool
    """False for a run that was interrupted."""
    flows: int
    completed: int
    failed: int
    """Flows in error, and those that nothing can complete any more."""
    fct_us: CompletionTimes | None
    """None when no flow completed."""
    end_us: float
    goodput_gbps: float | None
    """Payload of the completed flows, from the first that started to the last that ended; None when there is none."""
    jain: float | None
    """Jain's index of the completed flows' rates, 1 = all the same; None when no flow completed."""
    pfc_pauses: int
    ecn_marks: int
    cnps: int
    drops: int
    trims: int
    """Packets of which a switch let only the header go on; each is sent again."""
    losses: int
    retransmissions: int
    max_queue_bytes: int
    """The most that one queue of a switch's port held."""
    tables_sha256: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Scenarios in the order given, and in each the algorithms; without the runs that an interruption prevented."""

    preset: str
    seed: int
    runs: tuple[Run, ...]


def to_json(comparison: Comparison) -> str:
    """The comparison as a document."""
    return document(KIND, SCHEMA, **plain(comparison))
