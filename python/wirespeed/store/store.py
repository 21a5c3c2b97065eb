"""A store: campaigns of runs, their measurements, and the raw output of the runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, select, update

from wirespeed.errors import refuse
from wirespeed.results.campaign_history import Campaign, Changes
from wirespeed.results.series import Series
from wirespeed.store import queries, settings, writer
from wirespeed.store.address import address, display_address
from wirespeed.store.batch import Batch
from wirespeed.store.configuration_diff import Circumstance, Settings, compare_parameters, compare_settings
from wirespeed.store.engine import connect, refuse_failures, write_transaction
from wirespeed.store.queries import Filters, StoredCampaign
from wirespeed.store.tables import campaign
from wirespeed.store.writer import AddedLogs

_REMEMBERED = 500_000  # maximum number of cached series ids, 100 bytes each


class Store:
    """An open store. Use it in a ``with`` block.

    Data is on the disk when `add` returns: an interrupt, a full disk or a power failure does not lose it.
    """

    def __init__(self, location: str | None = None) -> None:
        """Open the store at a path or URL, None for the personal store; create a new one, update an older one.

        Raises:
            Refusal: the store cannot be reached, is not a store, or was written by a newer program.
        """
        self._url = address(location)
        self._engine = connect(self._url)
        self._series: dict[bytes, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the database."""
        self._engine.dispose()

    @property
    def name(self) -> str:
        """The address of the store for messages, without a password."""
        return display_address(self._url)

    def begin(self, label: str, started: str, cluster: str | None, program: str) -> Campaign:
        """The campaign with this label; it is created if it does not exist. Logs that it has are not stored again.

        Raises:
            Refusal: the label looks like an id, or belongs to a campaign of another cluster.
        """
        _check_label(label)
        with refuse_failures(self._url), write_transaction(self._engine) as connection:
            existing = connection.execute(select(campaign).where(campaign.c.label == label)).one_or_none()
            if existing is None:
                row = {"label": label, "started": started, "cluster": cluster, "program": program, "finished": False}
                connection.execute(campaign.insert(), row)
            elif cluster is not None and existing.cluster not in (None, cluster):
                raise refuse(
                    f"campaign {label}", f"cluster {cluster}", f"cluster {existing.cluster}", "give another --label"
                )
            elif cluster is not None and existing.cluster is None:
                connection.execute(update(campaign).where(campaign.c.id == existing.id).values(cluster=cluster))
        return self.find(label)

    def add(self, stored_campaign: Campaign, batch: Batch) -> AddedLogs:
        """Store the logs of a batch that the campaign does not have yet, all or none; return when they are on disk."""
        names = dict(self._series) if len(self._series) < _REMEMBERED else {}
        with refuse_failures(self._url), write_transaction(self._engine) as connection:
            added = writer.add(connection, _get_id(stored_campaign), batch, names)
        self._series = names
        return added

    def finish(self, stored_campaign: Campaign) -> None:
        """Mark a campaign as completely stored."""
        with refuse_failures(self._url), write_transaction(self._engine) as connection:
            connection.execute(update(campaign).where(campaign.c.id == _get_id(stored_campaign)).values(finished=True))

    def campaigns(self) -> tuple[Campaign, ...]:
        """All campaigns, oldest first."""
        with self._read_connection() as connection:
            return queries.campaigns(connection)

    def find(self, wanted: str) -> Campaign:
        """Find a campaign by its id, its label, ``latest`` or ``latest~N``.

        Raises:
            Refusal: no campaign matches.
        """
        return queries.find(self.campaigns(), wanted, self.name)

    def logs(self, stored_campaign: Campaign) -> tuple[tuple[str, str, int], ...]:
        """Name, key and size of the logs of a campaign."""
        with self._read_connection() as connection:
            return queries.logs(connection, _get_id(stored_campaign))

    def content(self, stored_campaign: Campaign, name: str) -> tuple[bytes, ...]:
        """The raw output of the logs with this name or key in a campaign."""
        with self._read_connection() as connection:
            return queries.content(connection, _get_id(stored_campaign), name)

    def list_campaigns(self, stored_campaign: Campaign) -> tuple[StoredCampaign, ...]:
        """The logs of a campaign, with the facts that are stored beside their content."""
        with self._read_connection() as connection:
            return queries.list_campaigns(connection, _get_id(stored_campaign))

    def output(self, log: int) -> bytes:
        """The raw output of the log with this id."""
        with self._read_connection() as connection:
            return queries.output(connection, log)

    def keep_settings(self, stored_campaign: Campaign, settings_by_device: Mapping[str, Settings]) -> None:
        """Store the settings of devices at the time of a campaign, as text by place and path."""
        with refuse_failures(self._url), write_transaction(self._engine) as connection:
            settings.keep(connection, _get_id(stored_campaign), settings_by_device)

    def find_changes(self, a: Campaign, b: Campaign) -> Changes:
        """Changes between two campaigns: settings, and parameters of their runs."""
        with self._read_connection() as connection:
            changes = compare_settings(a, b, *settings.list_differing_settings(connection, _get_id(a), _get_id(b)))
            runs = [queries.circumstances(connection, _get_id(campaign)) for campaign in (a, b)]
        return replace(changes, changed=(*changes.changed, *compare_parameters(*runs)))

    def circumstances(self, stored_campaign: Campaign) -> list[Circumstance]:
        """The parameters of the runs of a campaign, each once."""
        with self._read_connection() as connection:
            return queries.circumstances(connection, _get_id(stored_campaign))

    def names(self, numbers: Sequence[int]) -> dict[int, Series]:
        """The series with these ids."""
        with self._read_connection() as connection:
            return queries.names(connection, numbers)

    def find_campaigns(self, wanted: Filters) -> dict[int, Series]:
        """The selected series by id."""
        with self._read_connection() as connection:
            return queries.find_campaigns(connection, wanted)

    def series_values(self, campaigns: Sequence[Campaign], numbers: Sequence[int]) -> dict[int, dict[int, list[float]]]:
        """The values of series by series and campaign."""
        with self._read_connection() as connection:
            return queries.series_values(connection, [_get_id(campaign) for campaign in campaigns], numbers)

    def values(self, stored_campaign: Campaign, wanted: Filters) -> dict[int, list[float]]:
        """The values of a campaign by the id of their series."""
        with self._read_connection() as connection:
            return queries.values(connection, _get_id(stored_campaign), wanted)

    @contextmanager
    def _read_connection(self) -> Iterator[Connection]:
        with refuse_failures(self._url), self._engine.connect() as connection:
            yield connection


def _get_id(campaign: Campaign) -> int:
    if campaign.id is None:
        raise ValueError(f"campaign {campaign.label!r} is not stored")
    return campaign.id


def _check_label(label: str) -> None:
    if label and not label.isdecimal() and "~" not in label and label != queries.LATEST and label.isprintable():
        return
    raise refuse(f"label {label!r}", "a label that compare reads as an id", "a name that is not a number, without ~")
