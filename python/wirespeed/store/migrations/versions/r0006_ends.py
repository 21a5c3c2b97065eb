"""Rename the column ``location`` of runs and series, the two ends of a measurement, to ``ends``.

The parameter ``rank_locations`` of a run becomes ``rank_places``.
"""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Rename the column and the parameter."""
    for table in ("run", "series"):
        op.execute(f"ALTER TABLE {table} RENAME COLUMN location TO ends")
    op.execute("""UPDATE run SET parameters = replace(parameters, '"rank_locations"', '"rank_places"')""")
