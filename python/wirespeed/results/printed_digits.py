"""The digits that nccl-tests and rccl-tests print, and whether a bandwidth is that of its time.

Sources: NVIDIA/nccl-tests, src/common.cu of v2.9.0 to v2.17.2 (BenchTime) and src/util.cu since v2.17.3 (getFloatStr;
rewritten in v2.19.6, as many decimals); ROCm/rccl-tests, src/common.cu of ae3e6357cb (BenchTime, as the former).
"""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.results.benchmarks import count_shown_decimals


def is_rounded(printed: Sequence[float], computed: Sequence[float], times: Sequence[float]) -> bool:
    """Whether all values are computed ones, rounded, as exact as the digits of their times."""
    return len(printed) == len(computed) == len(times) > 0 and all(
        abs(rounded - value) <= 0.51 * (find_bandwidth_digit(rounded) + value * digit / time)
        for rounded, value, time, digit in zip(printed, computed, times, find_time_digits(times), strict=True)
    )


_WIDTH = 7  # characters of a time


def find_bandwidth_digit(value: float) -> float:
    """The value of the last digit of a bandwidth, at most: two decimals; one from 1,000 and none from 10,000.

    Releases before v2.17.3 and rccl-tests print two decimals of any bandwidth (%6.2f).
    """
    return 10.0 ** min(0, max(-2, len(str(int(value))) - 5))


def find_time_digits(times: Sequence[float]) -> list[float]:
    """The value of the last digit of each time in µs that one program printed, at most.

    Two decimals below 100, one below 10,000, then none. Since v2.17.3: two decimals below 10,000, one below 100,000; a
    time from 100 with two decimals shows such a release, or JSON, which is not rounded. From 10,000,000 on: %.1e.
    """
    has_more = any(time >= 100 and count_shown_decimals(time) >= 2 for time in times)
    return [_find_time_digit(time, 5 if has_more else 4) for time in times]


def _find_time_digit(time: float, digits_with_decimals: int) -> float:
    digits = len(str(int(time)))
    if digits > _WIDTH:
        return 0.1 * time
    if digits <= 2 or (digits_with_decimals == 5 and digits <= 4):
        return 0.01
    return 0.1 if digits <= digits_with_decimals else 1.0
