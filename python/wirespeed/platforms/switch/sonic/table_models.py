"""CONFIG_DB tables against what SONiC's models take (``tables.yaml``): `config reload` refuses others since 202505."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, ClassVar

from pydantic import ConfigDict

from wirespeed.data_files import read_yaml, validate
from wirespeed.errors import Problem
from wirespeed.platforms.model import ENTRY, Flag, Names, Number
from wirespeed.platforms.releases import parse_release


@dataclass(frozen=True, slots=True)
class FieldModel:
    """Values of a field. See ``tables.yaml``."""

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    values: Names = ()
    pattern: str | None = None
    first: Number | None = None
    last: Number | None = None
    table: str | None = None
    leaf_list: Flag = False
    since: str | None = None

    def accepts(self, value: Any, tables: Mapping[str, Any]) -> bool:
        """Whether the model takes the value in these tables."""
        if self.leaf_list or not isinstance(value, str):
            return self.leaf_list and isinstance(value, list)
        if self.table is not None:
            return value in tables.get(self.table, {})
        if self.first is not None and self.last is not None:
            return value.isdecimal() and self.first <= int(value) <= self.last
        if self.pattern is not None:
            return re.fullmatch(self.pattern, value) is not None
        return not self.values or value in self.values

    def format_expected(self) -> str:
        """The values, for people."""
        if self.table is not None:
            return f"a row of {self.table}"
        if self.first is not None:
            return f"{self.first} to {self.last}"
        return " or ".join(self.values) if self.values else f"text that matches {self.pattern}"


@dataclass(frozen=True, slots=True)
class TableModel:
    """The fields of a table's rows; ``every_field``: the values of each of them."""

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    model: str
    fields: Mapping[str, FieldModel] = field(default_factory=dict)
    every_field: FieldModel | None = None


@dataclass(frozen=True, slots=True)
class _File:
    """``tables.yaml``."""

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    tables: Mapping[str, TableModel]


@cache
def _load() -> Mapping[str, TableModel]:
    path = resources.files(__package__) / "tables.yaml"
    return validate(_File, read_yaml(path), f"{path}").tables


def find_model_problems(name: str, tables: Mapping[str, Any], release: str | None) -> Iterator[Problem]:
    """A problem for each table, field and value that no model takes; without a release, that one release lacks."""
    for table, rows in tables.items():
        table_model = _load().get(table)
        if table_model is None:
            yield Problem(f"{name}: {table}", "a table of no model", "one of SONiC's YANG models")
            continue
        for key, row in rows.items():
            for field_name, value in row.items():
                location = f"{name}: {table}|{key} {field_name}"
                field_model = table_model.every_field or table_model.fields.get(field_name)
                if field_model is None:
                    yield Problem(location, "a field of no release", f"a field of {table_model.model}")
                elif not field_model.accepts(value, tables):
                    yield Problem(location, str(value), field_model.format_expected(), table_model.model)
                elif field_model.since and release and parse_release(release) < parse_release(field_model.since):
                    yield Problem(location, f"set for {release}", f"{field_model.since} or later", table_model.model)
