"""The core's columns as Arrow tables, and their hash."""

from __future__ import annotations

import hashlib
import io
import struct
from array import array

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from wirespeed.simulation.tables import arrow, digest

ENDED = ["unfinished", "completed"]


def table(type_: pa.DataType | None = None, **columns: list[object]) -> dict[str, pa.Table]:
    return {"t": pa.table({name: pa.array(values, type_) for name, values in columns.items()})}


def dictionary(indices: list[int], text: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.uint8()), pa.array(text))


def test_columns_keep_their_names_types_and_values() -> None:
    columns = [
        ("priority", "u8", bytes([0, 7, 255]), None),
        ("port", "u32", struct.pack("<3I", 0, 1, 2**32 - 1), None),
        ("bytes", "u64", struct.pack("<3Q", 0, 1, 2**64 - 1), None),
        ("value", "f64", struct.pack("<3d", 0.0, -1.5, 1e300), None),
        ("status", "u8", bytes([1, 0, 1]), ENDED),
    ]
    (table,) = arrow([("flows", columns)]).items()
    assert table[0] == "flows"
    assert table[1].to_pydict() == {
        "priority": [0, 7, 255],
        "port": [0, 1, 2**32 - 1],
        "bytes": [0, 1, 2**64 - 1],
        "value": [0.0, -1.5, 1e300],
        "status": ["completed", "unfinished", "completed"],
    }
    assert [str(field.type) for field in table[1].schema][:4] == ["uint8", "uint32", "uint64", "double"]


def test_values_are_not_copied() -> None:
    values = array("Q", range(1000)).tobytes()
    table = arrow([("t", [("n", "u64", values, None)])])["t"]
    assert table["n"].chunk(0).buffers()[1].address == pa.py_buffer(values).address


def test_a_time_that_never_comes_is_null() -> None:
    times = struct.pack("<3Q", 5, 2**64 - 1, 7)
    table = arrow([("t", [("end_ps", "u64", times, None), ("bytes", "u64", times, None)])])
    assert table["t"]["end_ps"].to_pylist() == [5, None, 7]
    assert table["t"]["bytes"].to_pylist() == [5, 2**64 - 1, 7]
    file = io.BytesIO()
    pq.write_table(table["t"], file)
    assert digest({"t": pq.read_table(file)}) == digest(table)
    other_table = arrow([("t", [("end_ps", "u64", struct.pack("<3Q", 5, 6, 7), None), ("bytes", "u64", times, None)])])
    assert digest(other_table) != digest(table)


def test_a_table_without_rows() -> None:
    table = arrow([("pauses", [("port", "u32", b"", None), ("status", "u8", b"", ENDED)])])
    assert table["pauses"].num_rows == 0
    assert digest(table) == digest({"pauses": table["pauses"].combine_chunks()})


FLOWS = table(pa.uint64(), flow=[0, 1, 2], end_ps=[10, 20, 30])


@pytest.mark.parametrize(
    "other_table",
    [
        {},
        {"other": FLOWS["t"]},
        {**FLOWS, "series": FLOWS["t"]},
        table(pa.uint64(), flow=[0, 1, 2], end_ps=[10, 20, 31]),
        table(pa.uint64(), flow=[0, 1], end_ps=[10, 20]),
        table(pa.uint64(), flow=[0, 1, 2], end=[10, 20, 30]),
        table(pa.int64(), flow=[0, 1, 2], end_ps=[10, 20, 30]),
        table(pa.uint64(), end_ps=[10, 20, 30], flow=[0, 1, 2]),
        table(pa.uint64(), flow=[0, 1, 2]),
    ],
)
def test_another_table_has_another_hash(other_table: dict[str, pa.Table]) -> None:
    assert digest(other_table) != digest(FLOWS)


@pytest.mark.parametrize(
    "table",
    [
        FLOWS["t"].replace_schema_metadata({"written": "today"}),
        pa.concat_tables([FLOWS["t"].slice(0, 1), FLOWS["t"].slice(1, 2)]),
        pa.concat_tables([FLOWS["t"], FLOWS["t"]]).slice(3),
    ],
)
def test_how_a_table_is_held_does_not_count(table: pa.Table) -> None:
    assert digest({"t": table}) == digest(FLOWS)


def test_words_count_by_their_meaning() -> None:
    text = digest({"t": pa.table({"w": dictionary([0, 1, 1], ["a", "b"])})})
    assert text == digest({"t": pa.table({"w": dictionary([2, 1, 1], ["c", "b", "a"])})})
    assert text != digest({"t": pa.table({"w": dictionary([1, 0, 0], ["a", "b"])})})
    assert text != digest({"t": pa.table({"w": dictionary([0, 1, 1], ["a", "c"])})})


def test_parquet_agrees() -> None:
    mixed = {"t": FLOWS["t"].append_column("w", dictionary([2, 0, 2], ["x", "y", "z"]))}
    file = io.BytesIO()
    pq.write_table(mixed["t"], file)
    assert digest({"t": pq.read_table(file)}) == digest(mixed)


def test_the_hash_itself() -> None:
    """It is in files and reports: a change of how it is made is a change for everyone."""
    numbers = b"t\0n\0uint64\0002\0" + struct.pack("<2Q", 7, 8)
    text = b"t\0w\0words b c\0002\0" + struct.pack("<2i", 1, 0)
    table = pa.table({"n": pa.array([7, 8], pa.uint64()), "w": dictionary([2, 1], ["a", "b", "c"])})
    assert digest({"t": table}) == hashlib.sha256(numbers + text).hexdigest()
