"""Five shades for a share from 0 to 1, used by pictures and by the script of the slider."""

from __future__ import annotations

from wirespeed.report import wording

MINIMUMS = (0.0, 0.05, 0.2, 0.4, 0.7)
"""Lower bounds of shades 1 to 5; a share of exactly a bound has the shade below it."""


def shade(share: float) -> str:
    """The CSS class of a share: ``h0`` is a share of zero."""
    return f"h{sum(share > minimum for minimum in MINIMUMS)}"


def legend() -> tuple[tuple[str, str], ...]:
    """Each shade and its meaning."""
    ends = (*MINIMUMS[1:], 1.0)
    labels = (
        (
            f"h{number + 1}",
            f"{wording.plain(100 * start)} to {wording.plain(100 * end)} %"
            if start
            else f"up to {wording.plain(100 * end)} %",
        )
        for number, (start, end) in enumerate(zip(MINIMUMS, ends, strict=True))
    )
    return (("h0", "none"), *labels)
