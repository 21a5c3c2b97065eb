"""Terms of the field and of wirespeed, with their meaning and its source (``glossary.yaml``)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from wirespeed.data_files import read_yaml


@dataclass(frozen=True, slots=True)
class Term:
    """A term, its other names, its meaning, and the document that defines it."""

    name: str
    other_names: tuple[str, ...]
    meaning: str
    source: str


@cache
def load_terms() -> tuple[Term, ...]:
    """All terms, in alphabetical order."""
    content: dict[str, tuple[str, str, str]] = read_yaml(files("wirespeed.catalogue").joinpath("glossary.yaml"))
    return tuple(
        Term(name, tuple(synonym.strip() for synonym in synonyms.split(",") if synonym.strip()), meaning, source)
        for name, (synonyms, meaning, source) in content.items()
    )


def contains_term(text: str, term: str) -> bool:
    """Whether a text or a dotted name contains a term as whole words, in the singular or plural, in any case."""
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(term)}s?(?![A-Za-z0-9])", text, re.IGNORECASE) is not None


def find_terms(word: str) -> list[Term]:
    """The terms whose name, or another name of it, contains a word."""
    return [term for term in load_terms() if any(contains_term(name, word) for name in (term.name, *term.other_names))]
