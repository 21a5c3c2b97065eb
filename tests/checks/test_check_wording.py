"""Values as findings print them."""

from typing import Any

import pytest

from wirespeed.checks.wording import differences, format_expected, format_numbers, format_pfc, format_value
from wirespeed.settings import Compare, Congestion, Dscp, NicTrafficClass, Priority, Setting
from wirespeed.units import Bandwidth, Duration, Size


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (True, None, "on"),
        (False, None, "off"),
        (9000, "bytes", "9000 bytes"),
        (8, "lanes", "x8"),
        (32000, "MT/s", "32 GT/s"),
        (2500, "MT/s", "2.5 GT/s"),
        (20, "percent", "20 %"),
        (26, None, "26"),
        (Dscp(26), None, "26"),
        (Congestion.DCQCN_P, None, "dcqcn-p"),
        (Bandwidth.gbps(400), "b/s", "400 Gb/s"),
        (Size(1_048_000), "bytes", "1.048 MB"),
        (Duration.parse("200 ms"), "ps", "200 ms"),
        (frozenset({Priority(4), Priority(3)}), None, "3, 4"),
        (frozenset(), None, "none"),
        (("b", "a"), None, "b, a"),
        ({Dscp(48): Priority(7), Dscp(26): Priority(3)}, None, "26 -> 3, 48 -> 7"),
        ({}, None, "none"),
        ("", None, "none"),
        ("ACTIVE", None, "ACTIVE"),
    ],
)
def test_values(value: Any, unit: str | None, text: str) -> None:
    assert format_value(value, unit) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        ({Priority(7): NicTrafficClass(2)}, None, "priority 7 -> traffic class 2"),
        ({Dscp(48): Priority(7), Dscp(26): Priority(3)}, None, "DSCP 26 -> priority 3, DSCP 48 -> priority 7"),
        ({NicTrafficClass(1): 50}, "percent", "traffic class 1 -> 50 %"),
        (frozenset({Priority(3)}), None, "priority 3"),
        (frozenset({Priority(4), Priority(3)}), None, "priorities 3, 4"),
        ({}, None, "none"),
    ],
)
def test_numbers_have_the_name_of_their_numbering_space(value: Any, unit: str | None, text: str) -> None:
    assert format_numbers(value, unit) == text


def test_priorities_with_pfc() -> None:
    assert format_pfc(frozenset()) == "PFC enabled on no priority"
    assert format_pfc({Priority(4), Priority(3)}) == "PFC enabled on priorities 3, 4"


def test_at_least_is_reported() -> None:
    assert format_expected(Setting("MTU", "bytes", Compare.AT_LEAST), 9000) == "at least 9000 bytes"
    assert format_expected(Setting("MTU", "bytes"), 9000) == "9000 bytes"


@pytest.mark.parametrize(
    ("compare", "intended", "found", "expected"),
    [
        (Compare.EXACT, {1: 1, 2: 2}, {1: 1, 2: 3}, ({2: 2}, {2: 3})),
        (Compare.EXACT, {1: 1}, {1: 1, 2: 2}, ({}, {2: 2})),
        (Compare.CONTAINS, {1: 1}, {1: 2, 3: 3}, ({1: 1}, {1: 2})),
        (Compare.CONTAINS, {1: 1, 2: 2}, {1: 1}, ({2: 2}, {})),
        (Compare.CONTAINS, {1: 1}, {1: 1, 2: 2}, ({1: 1}, {1: 1})),
        (Compare.EXACT, 1, 2, (1, 2)),
    ],
)
def test_maps_are_cut_down_to_what_differs(
    compare: Compare, intended: Any, found: Any, expected: tuple[Any, Any]
) -> None:
    assert differences(Setting("a map", compare=compare), intended, found) == expected
