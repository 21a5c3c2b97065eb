"""Checks, known failures, settings and glossary entries that contain a term, for `wirespeed explain TERM`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wirespeed.catalogue import load
from wirespeed.catalogue.glossary import Term, contains_term, find_terms
from wirespeed.checks import checks
from wirespeed.settings import ENTITIES, list_settings

Row = tuple[str, str]
"""A name, and its title or meaning."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Where a term occurs: in names of the glossary, in ids and titles, in names and meanings of settings."""

    terms: tuple[Term, ...]
    checks: tuple[Row, ...]
    failures: tuple[Row, ...]
    settings: tuple[Row, ...]


def search_term(term: str) -> Matches | None:
    """What contains the term as whole words, in any case; None if nothing does."""
    settings = {path: setting for entity in ENTITIES for path, setting in list_settings(entity).items()}
    matches = Matches(
        tuple(find_terms(term)),
        _select_rows(((check.id, check.manual.title) for check in checks().values()), term),
        _select_rows(((name, failure.title) for name, failure in load().failures.items()), term),
        _select_rows(((path, setting.meaning) for path, setting in settings.items()), term),
    )
    return matches if any((matches.terms, matches.checks, matches.failures, matches.settings)) else None


def _select_rows(rows: Iterable[Row], term: str) -> tuple[Row, ...]:
    return tuple(row for row in rows if any(contains_term(text, term) for text in row))
