"""Sets of names."""

from __future__ import annotations

from wirespeed.plan.disjoint_sets import DisjointSets


def test_joined_names_are_in_one_set() -> None:
    sets = DisjointSets("abcde")
    for pair in ("ab", "cd", "da"):
        sets.join(*pair)
    assert sets.sets() == {"a": "b", "b": "b", "c": "b", "d": "b", "e": "e"}
    assert sets.find("new") == "new"
