"""Numbers for settings, which contain mappings and so cannot be keys of a dictionary themselves."""

from __future__ import annotations

from typing import Generic, TypeVar

Value = TypeVar("Value")


class DistinctValues(Generic[Value]):
    """The different values added so far. The search is linear: use it for few values that many ports share."""

    def __init__(self) -> None:
        self._values: list[Value] = []

    def number(self, value: Value) -> int:
        """The number of a value, from 0. Equal values have the same number."""
        if value not in self._values:
            self._values.append(value)
        return self._values.index(value)
