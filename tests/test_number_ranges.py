"""Numbers as ranges."""

from __future__ import annotations

import pytest

from wirespeed.number_ranges import format_ranges


@pytest.mark.parametrize(
    ("numbers", "ranges"),
    [([], []), ([8, 0, 1, 2, 3], ["0-3", "8"]), ([5], ["5"]), ([4, 6, 7], ["4", "6-7"]), ({2, 1}, ["1-2"])],
)
def test_consecutive_numbers_are_one_range(numbers: list[int], ranges: list[str]) -> None:
    assert format_ranges(numbers) == ranges
