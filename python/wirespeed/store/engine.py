"""Connections to a store, and refusals for its failures."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError

from wirespeed.errors import Refusal, refuse
from wirespeed.store import schema
from wirespeed.store.address import display_address

WAIT_S: Final = 60
"""Time that a writer waits for another one. A batch is written in well under a second."""


def connect(url: URL) -> Engine:
    """Open a store, or create it, and update it to the newest schema.

    Raises:
        Refusal: the store cannot be reached, is not a store, or is newer than this program.
    """
    sqlite = url.get_backend_name() == "sqlite"
    if not sqlite and find_spec("psycopg") is None:
        raise refuse(display_address(url), "no PostgreSQL driver", "psycopg", "pip install wirespeed[postgres]")
    engine = _create_sqlite_engine(url) if sqlite else create_engine(url)
    try:
        with refuse_failures(url):
            _bring_up(engine, display_address(url))
    except BaseException:
        engine.dispose()
        raise
    return engine


def _bring_up(engine: Engine, location: str) -> None:
    with engine.connect() as connection:
        if schema.current(connection) == schema.NEWEST:
            return
    with write_transaction(engine) as connection:
        schema.bring_up(connection, location)


@contextmanager
def write_transaction(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes; on SQLite it holds the write lock from its beginning, which excludes other writers."""
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        yield connection


@contextmanager
def refuse_failures(url: URL) -> Iterator[None]:
    """Turn failures of the database into refusals, which never contain a password.

    Raises:
        Refusal: the database failed.
    """
    try:
        yield
    except (IntegrityError, DataError):  # bugs of this program
        raise
    except DBAPIError as error:
        raise _describe_failure(url, error) from None


def _describe_failure(url: URL, error: DBAPIError) -> Refusal:
    message = " ".join(str(error.orig).split()) or type(error.orig).__name__
    if url.password:
        message = message.replace(url.password, "***")
    if isinstance(error, OperationalError) and "locked" in message:
        return refuse(
            display_address(url), message, "a store free to write to", f"another program has held it for {WAIT_S} s"
        )
    if url.get_backend_name() == "sqlite" and "not a database" in message:
        return refuse(display_address(url), "a file that is no SQLite database", "a store that wirespeed wrote")
    return refuse(display_address(url), message, "a store that can be read and written")


def _create_sqlite_engine(url: URL) -> Engine:
    path = Path(str(url.database))
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": WAIT_S})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin below and include DDL
        with suppress(
            sqlite3.OperationalError
        ):  # another process creates the same file at the same time and sets WAL too
            connection.execute(f"PRAGMA journal_mode = {'WAL' if is_local(path) else 'DELETE'}")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA cache_size = -65536")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


_SHARED: Final = ("nfs", "lustre", "gpfs", "beegfs", "cifs", "smb", "ceph", "glusterfs", "9p", "fuse", "afs", "pvfs")
"""File systems that several machines share, with their names in /proc/self/mountinfo."""


def is_local(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> bool:
    """Whether a path is on a local file system.

    SQLite's write-ahead log needs memory that all its users share: https://sqlite.org/wal.html, "WAL does not work over
    a network filesystem". Home directories of clusters are often on one.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    location, kind = Path(path).absolute(), ""
    longest = -1
    for line in lines:
        # proc(5): the fifth field is the mount point; after " - " comes the type
        fields, _, description = line.partition(" - ")
        point = fields.split(" ")[4].replace("\\040", " ")
        if location.is_relative_to(point) and len(point) >= longest:
            longest, kind = len(point), description.split(" ")[0]
    return bool(kind) and not kind.startswith(_SHARED)
