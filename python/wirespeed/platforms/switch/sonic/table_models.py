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
    minimum: Names = ()
    table: str | None = None
    leaf_list: Flag = False
    optional: Flag = False
    requires: str | None = None
    key_prefix: str | None = None
    since: str | None = None

    def accepts(self, value: Any, tables: Mapping[str, Any]) -> bool:
        """Whether the model takes the value in these tables."""
        if self.leaf_list or not isinstance(value, str):
            return self.leaf_list and isinstance(value, list)
        if self.first is not None and self.last is not None:
            return value.isdecimal() and self.first <= int(value) <= self.last
        if self.table is None and self.pattern is None:
            return not self.values or value in self.values
        rows = tables.get(self.table or "", {})
        is_row = value in rows or any(key.rpartition("|")[2] == value for key in rows)
        return is_row or value in self.values or (self.pattern is not None and bool(re.fullmatch(self.pattern, value)))

    def find_unmet_condition(
        self, value: Any, key: str, row: Mapping[str, Any], tables: Mapping[str, Any]
    ) -> str | None:
        """What an accepted value of a row needs besides; None if all is there."""
        if self.requires is not None and self.requires not in row:
            return f"{self.requires} in the row"
        if self.key_prefix is not None and key != self.key_prefix + value:
            return f"the number of {key}"
        if self.minimum:
            *location, field_name = self.minimum
            minimum = (tables.get(location[0], {}).get(location[1], {}) if location else row).get(field_name, "0")
            if int(value) < int(minimum):
                return f"{minimum} or more, as {field_name}"
        return None

    def format_expected(self) -> str:
        """The values, for people."""
        if self.table is not None:
            return f"a row of {self.table}"
        if self.first is not None:
            return f"{self.first} to {self.last}"
        return " or ".join(self.values) if self.values else f"text that matches {self.pattern}"


@dataclass(frozen=True, slots=True)
class TableModel:
    """The parts of the keys and the fields of a table's rows.

    ``every_field``: the values of each field; ``rows``: the fields of a row with this key, instead of ``fields``.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    model: str
    keys: Mapping[str, FieldModel]
    fields: Mapping[str, FieldModel] = field(default_factory=dict)
    every_field: FieldModel | None = None
    rows: Mapping[str, Mapping[str, FieldModel]] = field(default_factory=dict)
    since: str | None = None

    def accepts_key(self, key: str, tables: Mapping[str, Any], rows: Mapping[str, Any]) -> bool:
        """Whether the model takes a key: the right number of parts, and the row that one with all parts needs."""
        parts = key.split("|")
        if not self._count_required() <= len(parts) <= len(self.keys):
            return False
        if self.is_extended(key) and key.rpartition("|")[0] not in rows:
            return False
        return all(model.accepts(part, tables) for model, part in zip(self.keys.values(), parts, strict=False))

    def is_extended(self, key: str) -> bool:
        """Whether a key has the optional part. Such a row has no fields."""
        return key.count("|") >= self._count_required()

    def find_field(self, key: str, name: str) -> FieldModel | None:
        """The model of a field of a row; None if it has none."""
        return None if self.is_extended(key) else self.every_field or self.rows.get(key, self.fields).get(name)

    def _count_required(self) -> int:
        return sum(not part.optional for part in self.keys.values())


@dataclass(frozen=True, slots=True)
class _File:
    """``tables.yaml``."""

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    tables: Mapping[str, TableModel]


@cache
def load_models() -> Mapping[str, TableModel]:
    """The models by table."""
    path = resources.files(__package__) / "tables.yaml"
    return validate(_File, read_yaml(path), f"{path}").tables


def find_model_problems(name: str, tables: Mapping[str, Any], release: str | None) -> Iterator[Problem]:
    """A problem for each table, field and value that no model takes; without a release, that one release lacks."""
    for table, rows in tables.items():
        table_model = load_models().get(table)
        if table_model is None:
            yield Problem(f"{name}: {table}", "a table of no model", "one of SONiC's YANG models")
            continue
        if _is_before(release, table_model.since):
            yield Problem(f"{name}: {table}", f"set for {release}", f"{table_model.since} or later", table_model.model)
            continue
        for key, row in rows.items():
            if not table_model.accepts_key(key, tables, rows):
                yield Problem(
                    f"{name}: {table}", f"the key {key}", f"a key {'|'.join(table_model.keys)}", table_model.model
                )
                continue
            for field_name, value in row.items():
                location = f"{name}: {table}|{key} {field_name}"
                field_model = table_model.find_field(key, field_name)
                if field_model is None:
                    yield Problem(location, "a field of no release", f"a field of {table_model.model}")
                elif not field_model.accepts(value, tables):
                    yield Problem(location, str(value), field_model.format_expected(), table_model.model)
                elif condition := field_model.find_unmet_condition(value, key, row, tables):
                    yield Problem(location, str(value), condition, table_model.model)
                elif _is_before(release, field_model.since):
                    yield Problem(location, f"set for {release}", f"{field_model.since} or later", table_model.model)


def _is_before(release: str | None, first_release: str | None) -> bool:
    return bool(release and first_release) and parse_release(release or "") < parse_release(first_release or "")
