"""Digits of nccl-tests: the formats of each release, src/common.cu and src/util.cu of NVIDIA/nccl-tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from wirespeed.results.printed_digits import find_bandwidth_digit, find_time_digits, is_rounded


def print_in_13(value: float) -> str:
    """The time in BenchTime of v2.13.0 (until v2.17.2) and rccl-tests."""
    return f"{value:7.{0 if value >= 10_000 else 1 if value >= 100 else 2}f}"


def print_in_17_3(value: float) -> str:
    """GetFloatStr of v2.17.3 with width 7."""
    power = 0
    while value >= 10**power:
        power += 1
    if power < 8:
        return f"{value:7.{2 if power < 5 else 1 if power < 6 else 0}f}"
    return f"{value:7.1e}"


def print_in_19_6(value: float) -> str:
    """GetFloatStr of v2.19.6 with width 7."""
    return next((text for d in (2, 1, 0) if len(text := f"{value:7.{d}f}") <= 7), f"{value:7.1e}")


TIMES = [
    4.567,
    12.345,
    99.876,
    123.456,
    546.527,
    999.99,
    1234.567,
    9876.543,
    12345.678,
    98765.432,
    1234567.8,
    23456789.1,
]


@pytest.mark.parametrize("release", [print_in_13, print_in_17_3, print_in_19_6])
def test_a_printed_time_differs_from_the_true_one_by_half_of_its_digit(release: Callable[[float], str]) -> None:
    printed = [float(release(time)) for time in TIMES]
    digits = find_time_digits(printed)
    assert all(
        abs(value - time) <= 0.5 * digit * (1 + 1e-9) for value, time, digit in zip(printed, TIMES, digits, strict=True)
    )


@pytest.mark.parametrize(
    ("times", "digits"),
    [
        ([99.87, 123.5, 9876.5, 12346.0], [0.01, 0.1, 0.1, 1.0]),
        ([99.87, 123.46, 9876.54, 12345.7, 123457.0], [0.01, 0.01, 0.01, 0.1, 1.0]),
        ([123.5, 123.46], [0.01, 0.01]),  # 123.50
        ([546.5], [0.1]),  # of either release
    ],
)
def test_a_time_with_two_decimals_shows_the_release(times: list[float], digits: list[float]) -> None:
    assert find_time_digits(times) == digits


def test_a_bandwidth_of_a_time_with_one_decimal_is_recognised() -> None:
    """64 MiB in 546.46 µs, printed as 546.5: 122.81 GB/s; by the printed time 122.80."""
    assert is_rounded([122.81], [2**26 / 546.5 / 1e3], [546.5])
    assert not is_rounded([122.90], [2**26 / 546.5 / 1e3], [546.5])


@pytest.mark.parametrize(("value", "digit"), [(0.01, 0.01), (999.99, 0.01), (1234.5, 0.1), (12345.0, 1.0)])
def test_the_last_digit_of_a_bandwidth(value: float, digit: float) -> None:
    assert find_bandwidth_digit(value) == pytest.approx(digit)
