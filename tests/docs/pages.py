"""The pages of the documentation and their prose, for the tests of this folder."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
}
"""Text of each page, by its path from the root."""

HAND_WRITTEN = [page for page in PAGES if not page.startswith("docs/reference/")]

_FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)


def prose(text: str) -> str:
    """A page without code blocks, code spans and link targets."""
    text = _FENCE.sub("", text)
    text = re.sub(r"`[^`\n]*`", "", text)
    return re.sub(r"\]\([^)]*\)", "]", text)


def headings(text: str) -> list[str]:
    """Titles of a page and its sections."""
    return re.findall(r"^#+ +(.+)$", _FENCE.sub("", text), re.MULTILINE)


def anchors(text: str) -> set[str]:
    """Names that links to a section of a page use, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings(text)}
