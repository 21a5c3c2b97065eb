"""Objects as keys."""

from __future__ import annotations

from wirespeed.identity import Identity


def test_equal_objects_are_different_keys() -> None:
    first: list[int] = []
    second: list[int] = []
    named = {Identity(first): "first", Identity(second): "second"}
    assert (named[Identity(first)], named[Identity(second)]) == ("first", "second")
    assert Identity(first) != first


def test_a_key_keeps_its_object() -> None:
    known = {Identity([number]): number for number in range(100)}
    assert len(known) == 100
    assert all(key.value == [number] for key, number in known.items())
