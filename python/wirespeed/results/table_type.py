"""Tables with typed columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Columns = TypeVar("Columns")
ColumnName = TypeVar("ColumnName", bound=str)


@dataclass(frozen=True, slots=True)
class TableType(Generic[Columns, ColumnName]):
    """The name of a table, with the types of its columns and of their names for the type checker."""

    name: str
