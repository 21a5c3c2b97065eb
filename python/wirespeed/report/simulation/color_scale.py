"""Five shades for a share from 0 to 1; the same in pictures and in the script of the slider."""

from __future__ import annotations

from wirespeed.report import wording

FROM = (0.0, 0.05, 0.2, 0.4, 0.7)
"""A share above this, and at most the next, has shade 1 and so on."""


def shade(share: float) -> str:
    """The class of a share: ``h0`` is none."""
    return f"h{sum(share > minimum for minimum in FROM)}"


def legend() -> tuple[tuple[str, str], ...]:
    """Shades with what they stand for."""
    ends = (*FROM[1:], 1.0)
    labels = (
        (
            f"h{number + 1}",
            f"{wording.plain(100 * start)} to {wording.plain(100 * end)} %"
            if start
            else f"up to {wording.plain(100 * end)} %",
        )
        for number, (start, end) in enumerate(zip(FROM, ends, strict=True))
    )
    return (("h0", "none"), *labels)
