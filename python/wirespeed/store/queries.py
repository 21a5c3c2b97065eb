"""Read campaigns and the values of series from a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, func, or_, select, true

from wirespeed.errors import did_you_mean, refuse
from wirespeed.results.benchmarks import Metric, RunStatus
from wirespeed.results.campaign_history import Campaign
from wirespeed.results.series import Series
from wirespeed.store.batch import StoredSeries, parse_series
from wirespeed.store.configuration_diff import Circumstance
from wirespeed.store.raw_output import unpack
from wirespeed.store.tables import campaign, log, measurement, raw, run, series

LATEST = "latest"
_VALUES_PER_QUERY = 500  # values of one IN
_METRICS = frozenset(metric.value for metric in Metric)
_SERIES = (series.c.id, *(series.c[name] for name in StoredSeries._fields))


@dataclass(frozen=True, slots=True)
class Filters:
    """Which series to read; None selects all. ``label`` is that of the value in the output, or the pair of the run."""

    tool: str | None = None
    test: str | None = None
    metric: str | None = None
    size_bytes: int | None = None
    label: str | None = None
    ranks: int | None = None

    def includes(self, series: Series) -> bool:
        """Whether a series is selected."""
        criteria = ((field.name, getattr(self, field.name)) for field in fields(self) if field.name != "label")
        if any(value is not None and getattr(series, name) != value for name, value in criteria):
            return False
        return self.label is None or self.label in (series.label, series.ends)

    def select_times(self) -> Filters | None:
        """The times of the same runs, where bandwidths alone are selected of which times may have more digits."""
        of_collectives = self.metric in (Metric.ALGBW.value, Metric.BUSBW.value)
        return replace(self, metric=Metric.TIME.value) if of_collectives else None

    @property
    def selects_everything(self) -> bool:
        """Whether there are no criteria."""
        return all(getattr(self, field.name) is None for field in fields(self))


def campaigns(connection: Connection) -> tuple[Campaign, ...]:
    """All campaigns, oldest first."""
    logs = dict(_read_pairs(connection, select(log.c.campaign_id, func.count()).group_by(log.c.campaign_id)))
    counted = select(
        log.c.campaign_id, func.count(), func.count().filter(run.c.status == RunStatus.FAILED.value)
    ).select_from(log.join(run))
    runs = {row[0]: (row[1], row[2]) for row in connection.execute(counted.group_by(log.c.campaign_id))}
    rows = connection.execute(select(campaign).order_by(campaign.c.started, campaign.c.id))
    return tuple(
        Campaign(
            row.id, row.label, row.started, row.cluster, row.finished, logs.get(row.id, 0), *runs.get(row.id, (0, 0))
        )
        for row in rows
    )


def _read_pairs(connection: Connection, query: object) -> Iterator[tuple[int, int]]:
    for row in connection.execute(query):  # type: ignore[call-overload]
        yield row[0], row[1]


def find(stored: Sequence[Campaign], wanted: str, location: str) -> Campaign:
    """Find a campaign by its id, its label, ``latest`` or ``latest~N``, the N-th before the latest.

    Raises:
        Refusal: no campaign matches.
    """
    match = find_campaign(stored, wanted)
    if match is not None:
        return match
    labels = [campaign.label for campaign in stored]
    raise refuse(
        location,
        f"no campaign {wanted!r} among {len(stored)}",
        "the id or label of a campaign, latest or latest~N",
        did_you_mean(wanted, labels)
        or f"`wirespeed bench history --store {location.removeprefix('store ')}` lists them",
    )


def find_campaign(stored: Sequence[Campaign], wanted: str) -> Campaign | None:
    """Find a campaign by its id, its label, ``latest`` or ``latest~N``; None if no campaign matches."""
    name, tilde, steps_back = wanted.partition("~")
    if name == LATEST and (steps_back.isdecimal() or not tilde):
        number = int(steps_back or 0)
        return stored[-1 - number] if number < len(stored) else None
    return next((campaign for campaign in stored if campaign.label == wanted or str(campaign.id) == wanted), None)


def values(connection: Connection, number: int, wanted: Filters) -> dict[int, list[float]]:
    """The values of a campaign by the id of their series, in the order of measurement."""
    query = select(measurement.c.series_id, measurement.c.value).where(measurement.c.campaign_id == number)
    if not wanted.selects_everything:
        query = query.where(measurement.c.series_id.in_(select(series.c.id).where(_build_condition(wanted))))
    rows = connection.execute(query.order_by(*measurement.primary_key)).all()
    return {name: [row[1] for row in is_of_series] for name, is_of_series in groupby(rows, itemgetter(0))}


def names(connection: Connection, numbers: Sequence[int]) -> dict[int, Series]:
    """The series with these ids; series of unknown metrics are omitted."""
    series_by_id: dict[int, Series] = {}
    for start in range(0, len(numbers), _VALUES_PER_QUERY):
        criteria = select(*_SERIES).where(series.c.id.in_(numbers[start : start + _VALUES_PER_QUERY]))
        series_by_id |= _read_series(connection.execute(criteria))
    return series_by_id


def find_campaigns(connection: Connection, wanted: Filters) -> dict[int, Series]:
    """The selected series by id."""
    return _read_series(connection.execute(select(*_SERIES).where(_build_condition(wanted))))


def series_values(
    connection: Connection, campaigns: Sequence[int], numbers: Sequence[int]
) -> dict[int, dict[int, list[float]]]:
    """The values of series by series and campaign: key look-ups, without a scan of all measurements."""
    values_by_series: dict[int, dict[int, list[float]]] = {}
    columns = measurement.c
    for start in range(0, len(numbers), _VALUES_PER_QUERY):
        query = (
            select(columns.campaign_id, columns.series_id, columns.value)
            .where(
                columns.campaign_id.in_(campaigns), columns.series_id.in_(numbers[start : start + _VALUES_PER_QUERY])
            )
            .order_by(*measurement.primary_key)
        )
        for campaign_id, series_id, value in connection.execute(query).all():
            values_by_series.setdefault(series_id, {}).setdefault(campaign_id, []).append(value)
    return values_by_series


def circumstances(connection: Connection, number: int) -> list[Circumstance]:
    """The parameters of the runs of a campaign, each once."""
    columns = (run.c.tool, run.c.test, run.c.version, run.c.parameters)
    query = select(*columns).distinct().select_from(log.join(run)).where(log.c.campaign_id == number)
    return [Circumstance(*row) for row in connection.execute(query)]


def logs(connection: Connection, number: int) -> tuple[tuple[str, str, int], ...]:
    """Name, key and size of the logs of a campaign, in the order of storage."""
    query = select(log.c.name, log.c.key, raw.c.size).select_from(log.join(raw)).where(log.c.campaign_id == number)
    return tuple((row.name, row.key, row.size) for row in connection.execute(query.order_by(log.c.id)))


@dataclass(frozen=True, slots=True)
class StoredCampaign:
    """A log of a campaign: the ends of its runs, and the test and error of the first run."""

    id: int
    name: str
    key: str
    ends: str | None
    test: str | None
    error: str | None


def list_campaigns(connection: Connection, number: int) -> tuple[StoredCampaign, ...]:
    """The logs of a campaign in the order of storage."""
    first = log.outerjoin(run, and_(run.c.log_id == log.c.id, run.c.position == 0))
    columns = (log.c.id, log.c.name, log.c.key, run.c.ends, run.c.tool, run.c.test, run.c.error)
    query = select(*columns).select_from(first).where(log.c.campaign_id == number).order_by(log.c.id)
    return tuple(
        StoredCampaign(
            row.id, row.name, row.key, row.ends, " ".join(filter(None, (row.tool, row.test))) or None, row.error
        )
        for row in connection.execute(query)
    )


def output(connection: Connection, number: int) -> bytes:
    """The content of the log with this id."""
    query = select(raw.c.content).select_from(log.join(raw)).where(log.c.id == number)
    return unpack(connection.execute(query).scalar_one())


def content(connection: Connection, number: int, name: str) -> tuple[bytes, ...]:
    """The content of the logs with this name or key in a campaign."""
    wanted = and_(log.c.campaign_id == number, or_(log.c.name == name, log.c.key == name))
    query = select(raw.c.content).select_from(log.join(raw)).where(wanted).order_by(log.c.id)
    return tuple(unpack(packed) for packed in connection.execute(query).scalars())


def _build_condition(wanted: Filters) -> ColumnElement[bool]:
    criteria = {field.name: getattr(wanted, field.name) for field in fields(wanted) if field.name != "label"}
    conditions = [series.c[name] == value for name, value in criteria.items() if value is not None]
    if wanted.label is not None:
        conditions.append(or_(series.c.label == wanted.label, series.c.ends == wanted.label))
    return and_(true(), *conditions)


def _read_series(rows: Iterable[Row[Any]]) -> dict[int, Series]:
    """Read the series in rows of `_SERIES` by id; series of unknown metrics are omitted."""
    numbered_rows = ((row[0], StoredSeries._make(row[1:])) for row in rows)
    return {number: parse_series(row) for number, row in numbered_rows if row.metric in _METRICS}
