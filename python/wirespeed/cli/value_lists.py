"""Options that accept several values: separated with commas, or given several times."""

from __future__ import annotations

from collections.abc import Sequence

SEPARATION = "Separate several with commas, or repeat the option."
"""The sentence on this in the help of each of these options."""


def split_values(texts: Sequence[str] | None) -> tuple[str, ...]:
    """The values of such an option, in order; none if it is not given. A comma at the end of a text is ignored."""
    return tuple(word.strip() for text in texts or () for word in text.strip().removesuffix(",").split(","))
