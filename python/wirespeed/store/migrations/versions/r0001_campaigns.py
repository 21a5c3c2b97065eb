"""Campaigns, their logs, runs and measurements."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the first tables."""
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "campaign",
        sa.Column("id", number, primary_key=True),
        sa.Column("label", sa.Text, nullable=False, unique=True),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("cluster", sa.Text),
        sa.Column("program", sa.Text, nullable=False),
        sa.Column("finished", sa.Boolean, nullable=False),
    )
    op.create_table(
        "raw",
        sa.Column("id", number, primary_key=True),
        sa.Column("sha256", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "log",
        sa.Column("id", number, primary_key=True),
        sa.Column("campaign_id", sa.BigInteger, sa.ForeignKey("campaign.id"), nullable=False),
        sa.Column("raw_id", sa.BigInteger, sa.ForeignKey("raw.id"), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.UniqueConstraint("campaign_id", "raw_id", "key"),
    )
    op.create_table(
        "run",
        sa.Column("id", number, primary_key=True),
        sa.Column("log_id", sa.BigInteger, sa.ForeignKey("log.id"), nullable=False, index=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("test", sa.Text),
        sa.Column("version", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("ranks", sa.Integer),
        sa.Column("where", sa.Text),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("failures", sa.Text, nullable=False),
    )
    op.create_table(
        "series",
        sa.Column("id", number, primary_key=True),
        sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("test", sa.Text),
        sa.Column("where", sa.Text),
        sa.Column("ranks", sa.Integer),
        sa.Column("workload", sa.Text, nullable=False),
        sa.Column("metric", sa.Text, nullable=False),
        sa.Column("unit", sa.Text, nullable=False),
        sa.Column("size_bytes", sa.BigInteger),
        sa.Column("place", sa.Text),
    )
    op.create_index("series_by_test", "series", ["test", "metric", "size_bytes"])
    op.create_table(
        "measurement",
        sa.Column("campaign_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("series_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("run_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Column("value", sa.Double, nullable=False),
        sqlite_with_rowid=False,
    )
