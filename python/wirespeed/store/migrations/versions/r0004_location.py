"""The location of runs and series is called location; as ``where`` it was an SQL keyword."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """From columns that SQL statements had to quote."""
    for table in ("run", "series"):
        op.execute(f'ALTER TABLE {table} RENAME COLUMN "where" TO location')
