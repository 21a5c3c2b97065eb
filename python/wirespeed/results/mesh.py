"""Reachability: for every pair of NICs whether ping, route and RDMA are good, bad or unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.results.campaign import Grade

ASPECTS = ("ping", "route", "rdma")


@dataclass(frozen=True, slots=True)
class Cell:
    """One pair of NICs in one direction, with a description of its problems."""

    source: str
    target: str
    grades: Mapping[str, Grade]  # by aspect
    details: tuple[str, ...] = ()
    small: bool | None = None  # whether a small ping got a reply after a large one did not; None: none was sent


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause that bad pairs share, and its possible failures."""

    aspect: str
    name: str  # "NIC node1:bnxt_re0", "leaf leaf2"; causes that the pairs cannot distinguish are joined by "or"
    port: str | None  # port that the NIC is cabled to, "leaf1:Eth1/1/1"
    bad: int  # its bad pairs
    pairs: int  # its measured pairs
    symptom: str
    checks: tuple[str, ...]  # checks that find the cause in a bundle
    failures: tuple[str, ...]  # entries of the failure catalogue with this symptom


@dataclass(frozen=True, slots=True)
class NicTraffic:
    """Counters of a NIC during a mesh: whether the packets of its address used it.

    The minimum counts the bytes of pings with a reply, without link headers; None: not counted.
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
    """All pairs, in the order of hosts. Pairs that were not measured are included as unknown."""

    nics: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]
    aspects: tuple[str, ...] = ASPECTS
    causes: tuple[Cause, ...] = ()
    carried: tuple[NicTraffic, ...] = ()  # empty if no counters were read

    def count(self, aspect: str, grade: Grade) -> int:
        """The number of pairs with this grade."""
        return sum(cell.grades[aspect] is grade for cell in self.cells.values())

    def rows(self, aspect: str) -> list[str]:
        """A line for each NIC as source, a sign for each as target: ``.`` good, ``x`` bad, ``?`` unknown."""
        return ["".join(self._format_sign(aspect, source, target) for target in self.nics) for source in self.nics]

    def _format_sign(self, aspect: str, source: str, target: str) -> str:
        cell = self.cells.get((source, target))
        return " " if cell is None else _SIGNS[cell.grades[aspect]]

    def not_good(self) -> Sequence[Cell]:
        """The cells with a bad or unknown grade."""
        return [cell for cell in self.cells.values() if set(cell.grades.values()) != {Grade.GOOD}]


_SIGNS = {Grade.GOOD: ".", Grade.BAD: "x", Grade.UNKNOWN: "?", Grade.SKIP: " "}
