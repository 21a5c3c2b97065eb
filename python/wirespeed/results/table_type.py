"""Tables with typed columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Columns = TypeVar("Columns")
ColumnName = TypeVar("ColumnName", bound=str)


@dataclass(frozen=True, slots=True)
class TableType(Generic[Columns, ColumnName]):
    """A table: its name; for the type checker, the values of its columns and their names."""

    name: str
