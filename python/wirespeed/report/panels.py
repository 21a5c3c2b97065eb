"""The layout of a matrix: one square, or one square for each rail if no cell crosses rails."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.results.peers import Matrix, Member


@dataclass(frozen=True, slots=True)
class Panel:
    """A square; its members are rows and columns, with labels that omit the ``title``."""

    title: str | None
    members: tuple[Member, ...]
    labels: tuple[str, ...]


def panels(matrix: Matrix) -> tuple[Panel, ...]:
    """The squares of a matrix, in the order of their rails."""
    rails = sorted({member.rail for member in matrix.members if member.rail is not None})
    member_by_name = {member.name: member for member in matrix.members}
    is_separate_per_rail = all(
        cell.target is not None and member_by_name[cell.source].rail == member_by_name[cell.target].rail is not None
        for cell in matrix.cells
    )
    if len(rails) < 2 or not is_separate_per_rail:
        return (Panel(None, matrix.members, tuple(member.name for member in matrix.members)),)
    rail_panels = []
    for rail in rails:
        rail_members = tuple(member for member in matrix.members if member.rail == rail)
        single = len({member.host for member in rail_members}) == len(rail_members)
        labels = tuple(member.host if single else member.name for member in rail_members)
        rail_panels.append(Panel(f"rail {rail}", rail_members, labels))
    return tuple(rail_panels)
