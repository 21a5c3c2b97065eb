"""The tables after the newest migration.

Measurements are clustered by campaign and series: the values of a campaign are one range of the key, and the history of
a series is one look-up for each campaign. A campaign is written at once, so nearly all of its rows are appended.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

Number = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows automatically only for INTEGER

campaign = Table(
    "campaign",
    metadata,
    Column("id", Number, primary_key=True),
    Column("label", Text, nullable=False, unique=True),
    Column("started", Text, nullable=False),  # ISO 8601 in UTC, so that text sorts by time
    Column("cluster", Text),
    Column("program", Text, nullable=False),
    Column("finished", Boolean, nullable=False),
)

raw = Table(
    "raw",
    metadata,
    Column("id", Number, primary_key=True),
    Column("sha256", LargeBinary, nullable=False, unique=True),
    Column("size", BigInteger, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

log = Table(
    "log",
    metadata,
    Column("id", Number, primary_key=True),
    Column("campaign_id", BigInteger, ForeignKey("campaign.id"), nullable=False),
    Column("raw_id", BigInteger, ForeignKey("raw.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("name", Text, nullable=False),
    UniqueConstraint("campaign_id", "raw_id", "key"),
)

run = Table(
    "run",
    metadata,
    Column("id", Number, primary_key=True),
    Column("log_id", BigInteger, ForeignKey("log.id"), nullable=False, index=True),
    Column("position", Integer, nullable=False),
    Column("tool", Text, nullable=False),
    Column("test", Text),
    Column("version", Text),
    Column("status", Text, nullable=False),
    Column("error", Text),
    Column("ranks", Integer),
    Column("ends", Text),
    Column("parameters", Text, nullable=False),
    Column("failures", Text, nullable=False),
)

series = Table(
    "series",
    metadata,
    Column("id", Number, primary_key=True),
    Column("hash", LargeBinary, nullable=False, unique=True),
    Column("tool", Text, nullable=False),
    Column("test", Text),
    Column("ends", Text),
    Column("ranks", Integer),
    Column("workload", Text, nullable=False),
    Column("metric", Text, nullable=False),
    Column("unit", Text, nullable=False),
    Column("size_bytes", BigInteger),
    Column("label", Text),
    Index("series_by_test", "test", "metric", "size_bytes"),
)

settings = Table(
    "settings",
    metadata,
    Column("id", Number, primary_key=True),
    Column("sha256", LargeBinary, nullable=False, unique=True),
    Column("content", LargeBinary, nullable=False),
)

device = Table(
    "device",
    metadata,
    Column("campaign_id", BigInteger, ForeignKey("campaign.id"), primary_key=True, autoincrement=False),
    Column("name", Text, primary_key=True),
    Column("settings_id", BigInteger, ForeignKey("settings.id"), nullable=False),
)

# No foreign keys: they would be looked up for each of ten million rows, and only `Store.add` writes here.
measurement = Table(
    "measurement",
    metadata,
    Column("campaign_id", BigInteger, primary_key=True, autoincrement=False),
    Column("series_id", BigInteger, primary_key=True, autoincrement=False),
    Column("run_id", BigInteger, primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("line", Integer, nullable=False),
    Column("value", Double, nullable=False),
    sqlite_with_rowid=False,
)
