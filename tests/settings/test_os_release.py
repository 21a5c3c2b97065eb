"""Releases that switches print, compared with planned ones."""

import pytest

from wirespeed.settings.os_release import is_of_release


@pytest.mark.parametrize(
    ("found", "planned", "expected"),
    [
        ("202505.847216-a2dedc96c", "202505", True),
        ("202205.847216-a2dedc96c", "202505", False),
        ("4.33.1F", "4.33.1F", True),
        ("4.33.1F", "4.33.1", True),
        ("4.33.1F", "4.33", True),
        ("4.33.1F", "4.3", False),
        ("4.33.10M", "4.33.1", False),
        ("4.4.2-Enterprise_Premium", "4.4.2", True),
        ("3.5.0-Enterprise_Base", "4.4.2", False),
        ("23.4R2.13-EVO", "23.4R2", True),
        ("10.4(3)", "10.4(3)F", True),
        ("10.3(4a)", "10.3(4)", False),
        ("10.4(2)", "10.4(3)F", False),
        ("5.15.0", "5.15", True),
        ("5.1.0", "5.15", False),
    ],
)
def test_a_build_is_of_its_release(found: str, planned: str, expected: bool) -> None:
    assert is_of_release(found, planned) is expected
