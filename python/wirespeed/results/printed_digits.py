"""The digits that nccl-tests and rccl-tests print, and whether a bandwidth is that of its time."""

from __future__ import annotations

from collections.abc import Sequence


def is_rounded(printed: Sequence[float], computed: Sequence[float], times: Sequence[float]) -> bool:
    """Whether all values are computed ones, rounded, as exact as the digits of their times."""
    return len(printed) == len(computed) > 0 and all(
        abs(rounded - value) <= 0.51 * (find_printed_digit(rounded) + value * find_printed_digit(time) / time)
        for rounded, value, time in zip(printed, computed, times, strict=True)
    )


_WIDTH = 7  # characters of a time


def find_printed_digit(value: float) -> float:
    """The value of the last digit of a time or bandwidth, at most.

    Two decimals; one from 1,000 and none from 10,000 (src/common.cu of 8274cb4, BenchTime; newer releases print times
    with two decimals up to 10,000: src/util.cu, getFloatStr).
    """
    digits = len(str(int(value)))
    return 0.1 * value if digits > _WIDTH else 10.0 ** min(0, max(-2, digits - 5))
