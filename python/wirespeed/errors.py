"""The one error users see: a list of problems, each with its place, what was found, what was expected and a hint."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong with what the user gave.

    ``place`` says where ("cluster.yaml:12", "bundle.tar.gz: manifest.json"), ``found`` what stands there,
    ``expected`` what should, and ``hint`` what to do about it. None of them ends in a full stop.
    """

    place: str
    found: str
    expected: str
    hint: str | None = None

    def __str__(self) -> str:
        text = f"{self.place}: found {self.found}; expected {self.expected}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class Refused(Exception):  # noqa: N818 - it says what happened to the input, in the field's plain words
    """The input was refused. Carries every problem found, in the order of the input, never only the first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        if not self.problems:
            raise ValueError("Refused needs at least one problem")
        super().__init__("\n".join(str(problem) for problem in self.problems))


def refuse(place: str, found: str, expected: str, hint: str | None = None) -> Refused:
    """One problem as an exception to raise."""
    return Refused([Problem(place, found, expected, hint)])


def did_you_mean(word: str, known: Sequence[str]) -> str | None:
    """A hint naming the known word nearest to ``word``, or None when nothing is near."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else None
