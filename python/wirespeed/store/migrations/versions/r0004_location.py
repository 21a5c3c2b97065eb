"""Rename the column ``where`` of runs and series, an SQL keyword, to ``location``."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Rename the columns."""
    for table in ("run", "series"):
        op.execute(f'ALTER TABLE {table} RENAME COLUMN "where" TO location')
