"""How the members of a matrix are laid out: as one square, or as a square for each rail where rails never meet."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.results.peers import Matrix, Member


@dataclass(frozen=True, slots=True)
class Panel:
    """A square; its members are rows and columns, each with a label that is short beside ``title``."""

    title: str | None
    members: tuple[Member, ...]
    labels: tuple[str, ...]


def panels(matrix: Matrix) -> tuple[Panel, ...]:
    """The squares of a matrix, in the order of their rails."""
    rails = sorted({member.rail for member in matrix.members if member.rail is not None})
    known = {member.name: member for member in matrix.members}
    apart = all(
        cell.target is not None and known[cell.source].rail == known[cell.target].rail is not None
        for cell in matrix.cells
    )
    if len(rails) < 2 or not apart:
        return (Panel(None, matrix.members, tuple(member.name for member in matrix.members)),)
    found = []
    for rail in rails:
        rail_members = tuple(member for member in matrix.members if member.rail == rail)
        single = len({member.host for member in rail_members}) == len(rail_members)
        labels = tuple(member.host if single else member.name for member in rail_members)
        found.append(Panel(f"rail {rail}", rail_members, labels))
    return tuple(found)
