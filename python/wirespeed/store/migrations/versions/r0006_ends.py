"""Rename the column ``location`` of runs and series, the two ends of a measurement, to ``ends``."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Rename the column."""
    for table in ("run", "series"):
        op.execute(f"ALTER TABLE {table} RENAME COLUMN location TO ends")
