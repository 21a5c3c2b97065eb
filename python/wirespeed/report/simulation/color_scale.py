"""Five shades for a share from 0 to 1; the same in pictures and in the script of the slider."""

from __future__ import annotations

from wirespeed.report import wording

FROM = (0.0, 0.05, 0.2, 0.4, 0.7)
"""A share above this, and at most the next, has shade 1 and so on."""


def shade(share: float) -> str:
    """The class of a share: ``h0`` is none."""
    return f"h{sum(share > least for least in FROM)}"


def legend() -> tuple[tuple[str, str], ...]:
    """Shades with what they stand for."""
    ends = (*FROM[1:], 1.0)
    named = (
        (f"h{number + 1}", f"up to {wording.plain(100 * end)} %" if end < 1 else "more")
        for number, end in enumerate(ends)
    )
    return (("h0", "none"), *named)
