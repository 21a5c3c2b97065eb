"""Disjoint sets of names, joined pair by pair."""

from __future__ import annotations

from collections.abc import Iterable


class DisjointSets:
    """Sets without a common name. A name that was not joined with another is a separate set."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._above = {name: name for name in names}

    def join(self, name: str, target: str) -> None:
        """Join two sets. The joined set has the name of the set of ``target``."""
        root = self.find(target)
        self._above[self.find(name)] = root

    def find(self, name: str) -> str:
        """The set that a name is in, by the name of one of its members."""
        above = self._above
        above.setdefault(name, name)
        while above[name] != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    def sets(self) -> dict[str, str]:
        """The set of each name, in the order in which names were added."""
        return {name: self.find(name) for name in list(self._above)}
