"""The one error users see: a list of problems, each with its place, what was found, what was expected, and a hint."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_MISSING = ("no ", "nothing", "none ")
"""How ``found`` begins where something is missing: nobody finds it, so the text does not begin with "found"."""

_SHORTEST_PART = 4  # characters of a name that stand for it


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One problem in the input of the user.

    ``place`` is where it is ("cluster.yaml:12", "bundle.tar.gz: manifest.json"), ``found`` what is there ("no 'x'" if
    something is missing), ``expected`` what should be there, and ``hint`` one action that helps. Without ``expected``,
    ``found`` is a whole statement ("--traffic is missing"). None of them ends in a full stop.
    """

    place: str
    found: str
    expected: str = ""
    hint: str | None = None

    @property
    def statement(self) -> str:
        """The problem without its place and hint: "found 3; expected 1 to 8" or "no such file; expected a log"."""
        if not self.expected:
            return self.found
        found = self.found if self.found.startswith(_MISSING) else f"found {self.found}"
        return f"{found}; expected {self.expected}"

    def __str__(self) -> str:
        text = f"{self.place}: {self.statement}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class Refusal(Exception):  # noqa: N818 - a refused input is no error of the program
    """Refusal of an input, with every problem of it in the order of the input."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        if not self.problems:
            raise ValueError("a refusal needs at least one problem")
        super().__init__("\n".join(str(problem) for problem in self.problems))


def refuse(place: str, found: str, expected: str = "", hint: str | None = None) -> Refusal:
    """One problem as an exception to raise."""
    return Refusal([Problem(place, found, expected, hint)])


def format_first(names: Sequence[str], limit: int) -> str:
    """The first names, and the number of the others: ``leaf1, leaf2 and 6 more``."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def one_of(names: Iterable[object]) -> str:
    """What is expected where there is a choice: ``one of eos, nxos``, or the only name."""
    listed = [str(name) for name in names]
    return f"one of {', '.join(listed)}" if len(listed) > 1 else "".join(listed)


def did_you_mean(word: str, known: Sequence[str]) -> str | None:
    """A hint naming the known word nearest to ``word``, or the only one that contains it; None when nothing is near."""
    containing = [name for name in known if len(word) >= _SHORTEST_PART and word.lower() in name.lower()]
    near = containing if len(containing) == 1 else difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else None
