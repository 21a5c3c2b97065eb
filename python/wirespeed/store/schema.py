"""The schema of a store: created for a new store, updated for an older one; other databases are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, inspect, text

from wirespeed.errors import refuse

if TYPE_CHECKING:
    from alembic.config import Config

VERSIONS: Final = "wirespeed_schema"
"""The table with the schema's number; a database may also contain tables of other programs."""

NEWEST: Final = "0006"

_LOCK: Final = 0x77697265  # "wire": a migration of a PostgreSQL database holds this advisory lock


def current(connection: Connection) -> str | None:
    """The number of the schema; None if there is no schema."""
    if not inspect(connection).has_table(VERSIONS):
        return None
    return connection.execute(text(f"SELECT version_num FROM {VERSIONS}")).scalar()


def bring_up(connection: Connection, location: str, target: str = NEWEST) -> None:
    """Create or update the tables inside the caller's transaction, which must exclude other writers on SQLite.

    Raises:
        Refusal: the schema is newer than this program, or the tables belong to another program.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
    present = current(connection)
    if present == target:
        return
    if present is None:
        _refuse_foreign_tables(connection, location)
    elif present > NEWEST:
        raise refuse(
            location, f"schema {present}", f"schema {NEWEST} or older", "a newer wirespeed wrote it: update this one"
        )
    from alembic import command

    command.upgrade(_build_config(connection), target)


def _refuse_foreign_tables(connection: Connection, location: str) -> None:
    from wirespeed.store.tables import metadata

    tables = set(inspect(connection).get_table_names())
    foreign = tables if connection.dialect.name == "sqlite" else tables & set(metadata.tables)
    if foreign:
        raise refuse(
            location,
            f"tables of another program ({', '.join(sorted(foreign)[:3])})",
            "an empty database or one that wirespeed wrote",
            "give a separate database, or in PostgreSQL a separate schema",
        )


def _build_config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "wirespeed.store:migrations")
    config.attributes["connection"] = connection
    return config
