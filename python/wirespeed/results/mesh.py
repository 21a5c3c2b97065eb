"""Who reaches whom: for every pair of NICs whether ping, route and RDMA are good, bad or not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.results.campaign import Grade

ASPECTS = ("ping", "route", "rdma")


@dataclass(frozen=True, slots=True)
class Cell:
    """One pair of NICs in one direction, and in words what is not good."""

    source: str
    target: str
    grades: Mapping[str, Grade]  # by aspect
    details: tuple[str, ...] = ()
    small: bool | None = None  # whether a small ping came back where a large one did not; None: it was not sent


@dataclass(frozen=True, slots=True)
class Cause:
    """What bad pairs have in common, and what may be wrong with it."""

    aspect: str
    name: str  # "NIC node1/bnxt_re0", "leaf leaf2"; several that the pairs cannot distinguish are joined by "or"
    port: str | None  # what the NIC is cabled to, "leaf1 Eth1/1/1"
    bad: int  # bad pairs of it
    pairs: int  # pairs of it that were measured
    symptom: str
    checks: tuple[str, ...]  # that find the cause in a bundle of its devices
    failures: tuple[str, ...]  # entries of the failure catalogue that look like it


@dataclass(frozen=True, slots=True)
class NicTraffic:
    """Counters of a NIC during a mesh: whether the packets of its address used it.

    The least is what the pings that came back must have moved, without headers of the link; None: not counted.
    """

    nic: str
    sent: int | None  # bytes
    sent_least: int
    received: int | None
    received_least: int
    grade: Grade
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Mesh:
    """All pairs, of hosts in order. What was not measured is there too, as unknown."""

    nics: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]
    aspects: tuple[str, ...] = ASPECTS
    causes: tuple[Cause, ...] = ()
    carried: tuple[NicTraffic, ...] = ()  # empty where no counters were read

    def count(self, aspect: str, grade: Grade) -> int:
        """How many pairs have it."""
        return sum(cell.grades[aspect] is grade for cell in self.cells.values())

    def rows(self, aspect: str) -> list[str]:
        """A line for each NIC as source, a sign for each as target: ``.`` good, ``x`` bad, ``?`` not known."""
        return ["".join(self._format_sign(aspect, source, target) for target in self.nics) for source in self.nics]

    def _format_sign(self, aspect: str, source: str, target: str) -> str:
        cell = self.cells.get((source, target))
        return " " if cell is None else _SIGNS[cell.grades[aspect]]

    def not_good(self) -> Sequence[Cell]:
        """The cells that something is wrong with, or not known of."""
        return [cell for cell in self.cells.values() if set(cell.grades.values()) != {Grade.GOOD}]


_SIGNS = {Grade.GOOD: ".", Grade.BAD: "x", Grade.UNKNOWN: "?", Grade.SKIP: " "}
