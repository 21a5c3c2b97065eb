"""Rename the column ``place`` of series, which names a value within a log, to ``label``."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Rename the column."""
    op.execute("ALTER TABLE series RENAME COLUMN place TO label")
