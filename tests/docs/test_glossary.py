"""Terms in help and headings are in the glossary or plain English, and every entry has a source.

``WIRESPEED_ACCEPT=1`` writes the words in use that the glossary lacks to plain_words.txt. Read the difference: a word
that an engineer would look up belongs into catalogue/glossary.yaml, and a rare word is replaced by a common one.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from pages import HAND_WRITTEN, PAGES, ROOT, prose
from wording import all_texts, glossary_words, help_texts, unknown_words, words

from wirespeed.catalogue.glossary import load_terms

PLAIN = Path(__file__).with_name("plain_words.txt")


def test_terms_of_help_and_headings_are_known() -> None:
    if os.environ.get("WIRESPEED_ACCEPT"):
        used = {word for _, text in all_texts() for word in unknown_words(text, set())}
        PLAIN.write_text("\n".join(sorted(used, key=str.lower)) + "\n", encoding="utf-8")
    plain = set(PLAIN.read_text(encoding="utf-8").split())
    unknown = {(place, word) for place, text in all_texts() for word in unknown_words(text, plain)}
    assert not unknown, f"{sorted(unknown)}; see the docstring of {Path(__file__).name}"


_ABBREVIATION = re.compile(r"(?<![\w./-])[A-Za-z]*[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?![\w/]|-\d|\.\w)")
_NAMES = {
    "AMD",
    "NVIDIA",
    "EPYC",
    "ESnet",
    "FBOSS",
    "OFA",
    "TransferBench",
    "DAY",
    "RAIL",
    "SDK",
    "GCC",
    "PyTorch",
    "TensorFlow",
}
"""Vendors, products and scenarios: not terms."""
_LITERALS = {"DOWN", "ACTIVE", "INFO", "LimitMEMLOCK", "SrcValid", "ReqRedir", "UpstreamFwd"}
"""Texts that devices print."""


def test_abbreviations_are_explained() -> None:
    allowed_words = glossary_words() | _NAMES | _LITERALS
    pages = [*HAND_WRITTEN, "docs/reference/settings.md", "docs/reference/checks.md", "docs/reference/suites.md"]
    texts = [*((place, prose(text)) for place, text in help_texts()), *((page, prose(PAGES[page])) for page in pages)]
    unknown = {
        (place, word)
        for place, text in texts
        for word in _ABBREVIATION.findall(text)
        if word not in allowed_words and word.removesuffix("s") not in allowed_words
    }
    assert not unknown, sorted(unknown)


def test_an_invented_word_is_found() -> None:
    plain = set(PLAIN.read_text(encoding="utf-8").split())
    assert unknown_words("Frobnicate the port.", plain) == {"frobnicate"}
    assert unknown_words("Print the QZX of each NIC.", plain) == {"QZX"}
    assert not unknown_words("Print the MTU of each NIC.", plain)


def test_an_entry_has_a_meaning_and_a_source() -> None:
    for term in load_terms():
        assert term.meaning and not term.meaning.endswith("."), term
        assert term.source, term
        for page in (part.split(": ")[1] for part in term.source.split("; ") if part.startswith("wirespeed: ")):
            assert (ROOT / page).is_file(), term


def test_terms_are_in_alphabetical_order_and_unique() -> None:
    terms = [term.name for term in load_terms()]
    assert terms == sorted(terms, key=str.lower)
    synonyms = [name for term in load_terms() for name in term.other_names]
    assert len({*terms, *synonyms}) == len(terms) + len(synonyms)


def test_plain_words_are_not_terms() -> None:
    plain = set(PLAIN.read_text(encoding="utf-8").split())
    assert not plain & glossary_words()
    assert all(words(word) == {word} for word in plain)
