"""An object as a key of a dictionary, where equal objects are different keys."""

from __future__ import annotations

from typing import Generic, TypeVar

Value = TypeVar("Value")


class Identity(Generic[Value]):
    """A key that is equal only to a key of the very same object, which need not be hashable.

    It holds the object, so that no other one can take its identity while the key is in use.
    """

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.value is self.value
