"""Write batches: whole logs, each once, in one transaction."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, compress, repeat
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, func, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError

from wirespeed.store.batch import Batch, StoredSeries
from wirespeed.store.raw_output import RawLog
from wirespeed.store.tables import log, measurement, raw, run, series

_ROWS = 100  # rows per INSERT: SQLite spends most of its time between statements, not on rows
_WIDTH = len(measurement.c)
_COPY = "COPY measurement FROM STDIN"
_LOCK = 0x73657269  # "seri": a writer of series to a PostgreSQL database holds this advisory lock
_VALUES_PER_QUERY = 500  # values of one IN
_Value = TypeVar("_Value", int, float)
Columns = tuple[Sequence[Any], ...]


@dataclass(frozen=True, slots=True)
class AddedLogs:
    """What a batch added; ``known_logs`` are names of logs that the campaign already had."""

    logs: int = 0
    runs: int = 0
    measurements: int = 0
    known_logs: tuple[str, ...] = ()


def add(connection: Connection, campaign: int, batch: Batch, names: dict[bytes, int]) -> AddedLogs:
    """Write the new logs of a batch. ``names`` caches the ids of series between calls."""
    logs = _add_logs(connection, campaign, batch.logs)
    runs = _add_runs(connection, batch, logs)
    _assign_series_ids(connection, batch.series, names)
    count, columns = _build_columns(campaign, batch, runs, names)
    _insert_measurements(connection, columns, count)
    known_logs = tuple(raw_log.name for raw_log, number in zip(batch.logs, logs, strict=True) if number is None)
    return AddedLogs(len(logs) - len(known_logs), sum(number is not None for number in runs), count, known_logs)


def _add_logs(connection: Connection, campaign: int, logs: Sequence[RawLog]) -> list[int | None]:
    """The id of each log, None for one that the campaign already has."""
    contents = ids(connection, raw, raw.c.sha256, [raw_log.sha256 for raw_log in logs])
    new = {raw_log.sha256: raw_log for raw_log in logs if raw_log.sha256 not in contents}
    rows = [{"sha256": raw_log.sha256, "size": raw_log.size, "content": raw_log.content} for raw_log in new.values()]
    if rows:
        connection.execute(preserve_order(connection, raw), rows)
        contents |= ids(connection, raw, raw.c.sha256, list(new))
    have = {
        (row.raw_id, row.key)
        for part in _split_values([contents[raw_log.sha256] for raw_log in logs])
        for row in connection.execute(
            select(log.c.raw_id, log.c.key).where(log.c.campaign_id == campaign, log.c.raw_id.in_(part))
        )
    }
    new_logs: list[RawLog | None] = []
    for raw_log in logs:
        name = (contents[raw_log.sha256], raw_log.key)
        new_logs.append(None if name in have else raw_log)
        have.add(name)
    rows = [
        {"campaign_id": campaign, "raw_id": contents[raw_log.sha256], "key": raw_log.key, "name": raw_log.name}
        for raw_log in new_logs
        if raw_log is not None
    ]
    numbers = iter(_insert_numbered(connection, log, rows))
    return [None if raw_log is None else next(numbers) for raw_log in new_logs]


def _add_runs(connection: Connection, batch: Batch, logs: Sequence[int | None]) -> list[int | None]:
    rows = [
        {**run_row._asdict(), "log_id": number} for run_row in batch.runs if (number := logs[run_row.log]) is not None
    ]
    for row in rows:
        del row["log"]
    numbers = iter(_insert_numbered(connection, run, rows))
    return [None if logs[run_row.log] is None else next(numbers) for run_row in batch.runs]


def _insert_numbered(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> list[int]:
    """Insert rows and return their ids, in the same order."""
    if not rows:
        return []
    numbers = _reserve_ids(connection, table, len(rows))
    connection.execute(table.insert(), [{"id": number, **row} for number, row in zip(numbers, rows, strict=True)])
    return numbers


def _reserve_ids(connection: Connection, table: Table, count: int) -> list[int]:
    """Reserve ids for new rows. On SQLite no other process adds rows meanwhile, see `engine.write_transaction`."""
    if connection.dialect.name == "postgresql":
        sequence = func.nextval(func.pg_get_serial_sequence(table.name, "id"))
        return list(connection.execute(select(sequence).select_from(func.generate_series(1, count))).scalars())
    highest = connection.execute(select(func.max(table.c.id))).scalar() or 0
    return list(range(highest + 1, highest + count + 1))


def _build_columns(
    campaign: int, batch: Batch, runs: Sequence[int | None], names: Mapping[bytes, int]
) -> tuple[int, Columns]:
    """The rows to write and their columns, in the order of the key, so that they are appended."""
    batch.sort()
    numbers = [names[stored_series.hash] for stored_series in batch.series]
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    starts = list(accumulate(batch.rows, initial=0))

    def pick(column: array[_Value]) -> list[_Value]:
        values = column.tolist()
        return list(chain.from_iterable(values[starts[position] : starts[position + 1]] for position in order))

    run_ids = [runs[index] for index in pick(batch.run)]
    columns: tuple[Sequence[Any], ...] = (
        list(chain.from_iterable(map(repeat, map(numbers.__getitem__, order), map(batch.rows.__getitem__, order)))),
        run_ids,
        pick(batch.position),
        pick(batch.line),
        pick(batch.value),
    )
    if None in run_ids:
        new = [number is not None for number in run_ids]
        columns = tuple(list(compress(column, new)) for column in columns)
    return len(columns[0]), ([campaign] * len(columns[0]), *columns)


def _assign_series_ids(connection: Connection, stored_rows: Sequence[StoredSeries], names: dict[bytes, int]) -> None:
    """Find the id of every series; add series that are new to the store."""
    unknown = [stored_series.hash for stored_series in stored_rows if stored_series.hash not in names]
    if not unknown:
        return
    names |= ids(connection, series, series.c.hash, unknown)
    rows = [stored_series._asdict() for stored_series in stored_rows if stored_series.hash not in names]
    if rows:
        if connection.dialect.name == "postgresql":
            # two writers that add the same series in different orders would deadlock
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
        connection.execute(preserve_order(connection, series), rows)
        names |= ids(connection, series, series.c.hash, [row["hash"] for row in rows])


def ids(connection: Connection, table: Any, column: Any, values: Sequence[bytes]) -> dict[bytes, int]:
    """The ids of the rows with one of these values in a column."""
    return {
        bytes(name): number
        for part in _split_values(values)
        for name, number in connection.execute(select(column, table.c.id).where(column.in_(part)))
    }


def _split_values(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (values[start : start + _VALUES_PER_QUERY] for start in range(0, len(values), _VALUES_PER_QUERY))


def preserve_order(connection: Connection, table: Any) -> Any:
    """An INSERT that keeps rows that another writer has added meanwhile."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table).on_conflict_do_nothing()


def _insert_measurements(connection: Connection, columns: Columns, count: int) -> None:
    if not count:
        return
    if connection.dialect.name == "postgresql":
        _copy_measurements(connection, columns)
        return
    flat: list[Any] = [None] * (count * _WIDTH)
    for index, column in enumerate(columns):
        flat[index::_WIDTH] = column
    _insert_rows(connection, flat, _ROWS)


def _insert_rows(connection: Connection, flat: list[Any], rows: int) -> None:
    """Insert consecutive rows, several per statement, and the remainder one per statement."""
    width = rows * _WIDTH
    whole = len(flat) // width * width
    question = f"({', '.join('?' * _WIDTH)})"
    statement = f"INSERT INTO measurement VALUES {', '.join([question] * rows)}"
    if whole:
        connection.exec_driver_sql(statement, [tuple(flat[start : start + width]) for start in range(0, whole, width)])
    if whole < len(flat):
        _insert_rows(connection, flat[whole:], 1)


def _copy_measurements(connection: Connection, columns: Columns) -> None:
    lines = [f"{a}\t{b}\t{c}\t{d}\t{e}\t{f!r}\n" for a, b, c, d, e, f in zip(*columns, strict=True)]
    driver: Any = connection.connection.driver_connection
    errors = connection.dialect.loaded_dbapi
    try:
        with driver.cursor() as cursor, cursor.copy(_COPY) as copy:
            for start in range(0, len(lines), 10_000):
                copy.write("".join(lines[start : start + 10_000]))
    except errors.Error as error:  # the exception that SQLAlchemy would raise
        raise DBAPIError.instance(_COPY, None, error, errors.Error, dialect=connection.dialect) from None
