"""Collects all refusals and warnings of a plan, so that the user gets them at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from wirespeed.cluster import Origin
from wirespeed.errors import Problem, Refusal, did_you_mean, format_choices


@dataclass(slots=True)
class Problems:
    """Refusals and warnings, each once, in the order found."""

    origin: Origin
    refusals: dict[Problem, None] = field(default_factory=dict)
    warned: dict[Problem, None] = field(default_factory=dict)

    def refuse(self, path: tuple[str | int, ...], found: str, expected: str, hint: str | None = None) -> None:
        """Note something that makes a plan impossible, at a path of the cluster file."""
        self.refusals.setdefault(Problem(self.origin.locate(*path), found, expected, hint))

    def refuse_unknown(self, path: tuple[str | int, ...], kind: str, name: str, choices: Iterable[str]) -> None:
        """Note a name that the catalogue lacks, at a path of the cluster file."""
        names = sorted(choices)
        self.refuse(path, f"the {kind} {name!r}", format_choices(names), did_you_mean(name, names))

    def warn(self, path: tuple[str | int, ...], found: str, expected: str, hint: str | None = None) -> None:
        """Note a problem that does not prevent a plan, at a path of the cluster file."""
        self.warned.setdefault(Problem(self.origin.locate(*path), found, expected, hint))

    def stop(self) -> None:
        """Raise a refusal if anything was refused.

        Raises:
            Refusal: a problem makes the plan impossible.
        """
        if self.refusals:
            raise Refusal(sort_by_line(self.refusals))


def sort_by_line(problems: Iterable[Problem]) -> list[Problem]:
    """The problems of each file by line; files in the order of their first problem."""
    files: dict[str, int] = {}
    keys: list[tuple[int, int, Problem]] = []
    for problem in problems:
        file, _, line = problem.location.rpartition(":")
        if not line.isdecimal():
            file, line = problem.location, "0"
        keys.append((files.setdefault(file, len(files)), int(line), problem))
    return [problem for _, _, problem in sorted(keys, key=lambda key: key[:2])]
