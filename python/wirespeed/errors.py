"""The one error that users see: a list of problems with location, found value, expected value and hint."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

_ABSENCES = ("no ", "nothing", "none ")
"""Beginnings of ``found`` for a missing part: the statement then has no "found" in front."""

_SHORTEST_PART = 4  # characters of a name that identify it


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One problem in the input of the user.

    ``location`` is the part of the input ("cluster.yaml:12", "bundle.tar.gz: manifest.json"), ``found`` the value found
    ("no 'x'" if it is missing), ``expected`` the value expected, and ``hint`` one action that helps. Without
    ``expected``, ``found`` is a whole statement ("--traffic is missing"). None of them ends in a full stop.
    """

    location: str
    found: str
    expected: str = ""
    hint: str | None = None

    @property
    def statement(self) -> str:
        """The problem without its location and hint: "found 3; expected 1 to 8" or "no such file; expected a log"."""
        if not self.expected:
            return self.found
        actual = self.found if self.found.startswith(_ABSENCES) else f"found {self.found}"
        return f"{actual}; expected {self.expected}"

    def __str__(self) -> str:
        text = f"{self.location}: {self.statement}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class Refusal(Exception):  # noqa: N818 - a refused input is no error of the program
    """Refusal of an input, with every problem of it in the order of the input."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        if not self.problems:
            raise ValueError("a refusal needs at least one problem")
        super().__init__("\n".join(str(problem) for problem in self.problems))


def refuse(location: str, found: str, expected: str = "", hint: str | None = None) -> Refusal:
    """One problem as an exception to raise."""
    return Refusal([Problem(location, found, expected, hint)])


@contextmanager
def refuse_output(path: Path) -> Iterator[None]:
    """Refuse an output path whose folder cannot be created: errors of the system name a temporary file or no file."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if isinstance(error, FileExistsError):
            reason = f"{error.filename} is a file"
        raise refuse(
            str(path), f"cannot be created: {reason}", hint="give a path in a folder that you can write to"
        ) from error


def format_first(names: Sequence[str], limit: int) -> str:
    """The first names, and the number of the others: ``leaf1, leaf2 and 6 more``."""
    remainder = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + remainder


def format_choices(names: Iterable[object]) -> str:
    """The expected choices: ``one of eos, nxos``, or the only name."""
    texts = [str(name) for name in names]
    return f"one of {', '.join(texts)}" if len(texts) > 1 else "".join(texts)


def did_you_mean(word: str, choices: Sequence[str]) -> str | None:
    """A hint with the choice most similar to ``word``, or the only one with a similar part. None if none is similar.

    Choices that differ only in leading zeros of a number are the most similar: ``night-01`` for ``night-1``.
    """
    candidates = [name for name in choices if _drop_leading_zeros(name) == _drop_leading_zeros(word)]
    if len(candidates) != 1:
        candidates = [name for name in choices if len(word) >= _SHORTEST_PART and word.lower() in name.lower()]
    similar = candidates if len(candidates) == 1 else _find_closest(word, choices)
    if not similar and len(word) >= _SHORTEST_PART:
        candidates = [name for name in choices if difflib.get_close_matches(word.lower(), name.split("-"), cutoff=0.75)]
        similar = candidates if len(candidates) == 1 else []
    return f"did you mean {similar[0]!r}?" if similar else None


def _find_closest(word: str, choices: Sequence[str]) -> list[str]:
    """The most similar choice; of equally similar ones, the one with the longest common beginning."""

    def compare(name: str) -> tuple[float, int, str]:
        beginning = takewhile(lambda pair: pair[0] == pair[1], zip(name, word, strict=False))
        return difflib.SequenceMatcher(None, name, word).ratio(), sum(1 for _ in beginning), name

    return sorted(difflib.get_close_matches(word, choices, n=max(len(choices), 1)), key=compare)[-1:]


def _drop_leading_zeros(name: str) -> str:
    return _LEADING_ZEROS.sub("", name.lower())


_LEADING_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
