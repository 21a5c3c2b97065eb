"""Abbreviations in help and pages are in the glossary, and every entry has a source."""

from __future__ import annotations

import re

from pages import HAND_WRITTEN, PAGES, ROOT, prose
from wording import GLOSSARY, glossary_words, help_texts

_ABBREVIATION = re.compile(r"(?<![\w./-])[A-Za-z]*[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?![\w/]|-\d|\.\w)")
_NAMES = {"AMD", "NVIDIA", "EPYC", "ESnet", "FBOSS", "OFA", "DAY", "RAIL", "SDK", "GCC"}
"""Vendors, products and scenarios: not terms."""
_LITERALS = {"DOWN", "ACTIVE", "INFO", "NODE", "LimitMEMLOCK", "SrcValid", "ReqRedir", "UpstreamFwd"}
"""Texts that devices print, and placeholders."""


def test_abbreviations_are_explained() -> None:
    known = glossary_words() | _NAMES | _LITERALS
    pages = [*HAND_WRITTEN, "docs/reference/settings.md", "docs/reference/checks.md", "docs/reference/suites.md"]
    texts = [*((place, prose(text)) for place, text in help_texts()), *((page, prose(PAGES[page])) for page in pages)]
    unknown = {
        (place, word)
        for place, text in texts
        for word in _ABBREVIATION.findall(text)
        if word not in known and word.removesuffix("s") not in known
    }
    assert not unknown, sorted(unknown)


def test_an_entry_has_a_meaning_and_a_source() -> None:
    for term, (_, meaning, source) in GLOSSARY.items():
        assert meaning and not meaning.endswith("."), term
        assert source, term
        for page in (part.split(": ")[1] for part in source.split("; ") if part.startswith("wirespeed: ")):
            assert (ROOT / page).is_file(), term


def test_terms_are_in_alphabetical_order_and_unique() -> None:
    terms = list(GLOSSARY)
    assert terms == sorted(terms, key=str.lower)
    other = [name.strip() for others, _, _ in GLOSSARY.values() for name in others.split(",") if name.strip()]
    assert len({*terms, *other}) == len(terms) + len(other)
