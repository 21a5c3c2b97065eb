"""The core's columns as Arrow tables, and their hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from wirespeed.results.table_type import ColumnName, Columns, TableType

if TYPE_CHECKING:
    import pyarrow as pa

    from wirespeed._core import Column

_NULL_TIME = 2**64 - 1
"""The core's value for a time that does not exist."""


def arrow(tables: Iterable[tuple[str, list[Column]]]) -> dict[str, pa.Table]:
    """Tables by name. Arrays use the memory of the core, which is copied only if a time is null."""
    import pyarrow as pa

    return {name: pa.table({column[0]: _build_array(*column) for column in columns}) for name, columns in tables}


def _build_array(name: str, type_: str, values: bytes, names: list[str] | None) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = {"u8": pa.uint8(), "u32": pa.uint32(), "u64": pa.uint64(), "f64": pa.float64()}[type_]
    rows = len(values) * 8 // numbers.bit_width
    array = pa.Array.from_buffers(numbers, rows, [None, pa.py_buffer(values)])
    if names is not None:
        return pa.DictionaryArray.from_arrays(array, pa.array(names, pa.string()))
    if name.endswith("_ps"):
        is_null = pc.equal(array, pa.scalar(_NULL_TIME, numbers))
        return pc.if_else(is_null, pa.scalar(None, numbers), array) if pc.any(is_null).as_py() else array
    return array


def columns(tables: Mapping[str, pa.Table], table: TableType[Columns, ColumnName], *names: ColumnName) -> Columns:
    """The values of columns of a table."""
    return cast(Columns, tables[table.name].select(list(names)).to_pydict())


def digest(tables: Mapping[str, pa.Table]) -> str:
    """SHA-256 of the content of tables, in hexadecimal: the same for tables written as Parquet and read back.

    It does not include timings and metadata.
    """
    digest_of_tables = hashlib.sha256()
    for name, table in sorted(tables.items()):
        for field in table.schema:
            type_, values = _read_values(table[field.name])
            digest_of_tables.update(f"{name}\0{field.name}\0{type_}\0{table.num_rows}\0".encode())
            digest_of_tables.update(values)
    return digest_of_tables.hexdigest()


def _read_values(column: pa.ChunkedArray) -> tuple[str, memoryview]:
    """Type and values as bytes. Texts are compared by content, independent of their dictionary."""
    import pyarrow as pa
    import pyarrow.compute as pc

    type_ = str(column.type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(pa.string())
        names = sorted(column.unique().to_pylist())
        type_ = "words " + " ".join(names)  # part of the digest
        column = pc.index_in(column, value_set=pa.array(names, pa.string()))
    if column.null_count:
        column = pc.fill_null(column, pa.scalar(_NULL_TIME, column.type))
    array = column.combine_chunks()
    width = array.type.bit_width // 8
    start = array.offset * width
    return type_, memoryview(array.buffers()[1])[start : start + len(array) * width]
