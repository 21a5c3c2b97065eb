"""Numbers for settings, which contain mappings and so cannot be keys of a dictionary themselves."""

from __future__ import annotations

from typing import Generic, TypeVar

Value = TypeVar("Value")


class DistinctValues(Generic[Value]):
    """The different values met so far. Suited to few values that many ports share: a search compares them in turn."""

    def __init__(self) -> None:
        self._values: list[Value] = []

    def number(self, value: Value) -> int:
        """The number of a value, from 0; equal values have the same."""
        if value not in self._values:
            self._values.append(value)
        return self._values.index(value)
