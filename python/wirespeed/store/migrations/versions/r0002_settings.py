"""The settings of each device at the time of a campaign, each state of a device once."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add settings to campaigns."""
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "settings",
        sa.Column("id", number, primary_key=True),
        sa.Column("sha256", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "device",
        sa.Column("campaign_id", sa.BigInteger, sa.ForeignKey("campaign.id"), primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("settings_id", sa.BigInteger, sa.ForeignKey("settings.id"), nullable=False),
    )
