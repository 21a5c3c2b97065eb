"""Cable list for installers: cables by tier, a label for each end, and a bill of materials."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.plan.model import Cable, End, Plan
from wirespeed.units import Bandwidth, Length


@dataclass(frozen=True, slots=True)
class Label:
    """The label of one cable end: the number of the cable, the port of this end and that of the other end."""

    number: str
    near: End
    far: End
    cable: Cable

    @property
    def lines(self) -> tuple[str, str, str]:
        """The text of the label."""
        parts = (self.cable.cable, str(self.cable.length) if self.cable.length is not None else None)
        kind = " ".join(part for part in (self.number, *parts) if part)
        return f"{self.near.device}:{self.near.port}", f"to {self.far.device}:{self.far.port}", kind


@dataclass(frozen=True, slots=True)
class CableRow:
    """Cables of one kind. The total is None where a length is not known."""

    cable: str | None
    speed: Bandwidth
    length: Length | None
    tier: str
    count: int

    @property
    def total(self) -> Length | None:
        """Sum of the lengths."""
        return None if self.length is None else Length(self.length * self.count)


def format_tier(plan: Plan, cable: Cable) -> str:
    """The tier of a cable: ``host-leaf``, ``leaf-spine``."""
    return f"{plan.roles[cable.a.device]}-{plan.roles[cable.b.device]}"


def numbers(plan: Plan) -> dict[Cable, str]:
    """A number for every cable, in the order of the plan, all of one width."""
    width = max(4, len(str(len(plan.cables))))
    return {cable: f"C{index:0{width}d}" for index, cable in enumerate(plan.cables, start=1)}


def labels(plan: Plan) -> Iterator[Label]:
    """The labels of both ends of every cable, in the order of cables; end a first."""
    for cable, number in numbers(plan).items():
        yield Label(number, cable.a, cable.b, cable)
        yield Label(number, cable.b, cable.a, cable)


def bill(plan: Plan) -> list[CableRow]:
    """Cables by tier, model, speed and length, in the order they first appear."""
    counts: dict[tuple[str | None, Bandwidth, Length | None, str], int] = {}
    for cable in plan.cables:
        kind = (cable.cable, cable.speed, cable.length, format_tier(plan, cable))
        counts[kind] = counts.get(kind, 0) + 1
    return [CableRow(*kind, count) for kind, count in counts.items()]
