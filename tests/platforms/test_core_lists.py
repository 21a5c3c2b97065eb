"""Lists of CPU cores: the kernel and all launchers have one reader."""

from __future__ import annotations

import pytest

from wirespeed.platforms.core_lists import format_core_list, parse_core_list


@pytest.mark.parametrize(
    ("text", "cores"),
    [("0", (0,)), ("0-3,8", (0, 1, 2, 3, 8)), ("8,0-1", (0, 1, 8)), ("1,0-2", (0, 1, 2)), ("65535", (65535,))],
)
def test_a_list_names_its_cores_ascending(text: str, cores: tuple[int, ...]) -> None:
    assert parse_core_list(text) == cores
    assert parse_core_list(format_core_list(cores)) == cores


@pytest.mark.parametrize("text", ["", "x", "3-1", "3-1,5", "5,3-1", "0-99999999", "65536", "1-", "-1", "1,,2", "1-2-3"])
def test_a_malformed_list_is_unknown(text: str) -> None:
    assert parse_core_list(text) is None
