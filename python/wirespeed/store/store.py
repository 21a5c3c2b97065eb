"""A store: campaigns of runs, what they measured, and the raw output they were read from."""

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
from wirespeed.store.configuration_diff import Circumstance, Settings, parameters_between, settings_between
from wirespeed.store.engine import connect, refusing_failures, write_transaction
from wirespeed.store.queries import Filters, StoredCampaign
from wirespeed.store.tables import campaign
from wirespeed.store.writer import AddedLogs

_REMEMBERED = 500_000  # ids of series kept in memory, 100 bytes each


class Store:
    """An open store. Use it in a ``with`` block.

    What `add` returned from is on the disk: an interrupt, a full disk or a power failure loses nothing of it.
    """

    def __init__(self, location: str | None = None) -> None:
        """Open the store at a path or URL, None for the user's own; a new one is made, an older one updated.

        Raises:
            Refusal: it cannot be reached, is no store, or a newer program wrote it.
        """
        self._url = address(location)
        self._engine = connect(self._url)
        self._series: dict[bytes, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    @property
    def name(self) -> str:
        """Where the store is, for messages: never a password."""
        return display_address(self._url)

    def begin(self, label: str, started: str, cluster: str | None, program: str) -> Campaign:
        """The campaign of this label, begun when there is none yet; logs that it has are not stored again.

        Raises:
            Refusal: the label could be mistaken for an id, or names a campaign of another cluster.
        """
        _check(label)
        with refusing_failures(self._url), write_transaction(self._engine) as connection:
            found = connection.execute(select(campaign).where(campaign.c.label == label)).one_or_none()
            if found is None:
                row = {"label": label, "started": started, "cluster": cluster, "program": program, "finished": False}
                connection.execute(campaign.insert(), row)
            elif cluster is not None and found.cluster not in (None, cluster):
                raise refuse(
                    f"campaign {label}", f"cluster {cluster}", f"cluster {found.cluster}", "give another --label"
                )
            elif cluster is not None and found.cluster is None:
                connection.execute(update(campaign).where(campaign.c.id == found.id).values(cluster=cluster))
        return self.find(label)

    def add(self, stored_campaign: Campaign, batch: Batch) -> AddedLogs:
        """Store the logs of a batch that the campaign does not have yet, all or none, and return when they are kept."""
        names = dict(self._series) if len(self._series) < _REMEMBERED else {}
        with refusing_failures(self._url), write_transaction(self._engine) as connection:
            added = writer.add(connection, _id(stored_campaign), batch, names)
        self._series = names
        return added

    def finish(self, stored_campaign: Campaign) -> None:
        """Note that a campaign was stored to its end."""
        with refusing_failures(self._url), write_transaction(self._engine) as connection:
            connection.execute(update(campaign).where(campaign.c.id == _id(stored_campaign)).values(finished=True))

    def campaigns(self) -> tuple[Campaign, ...]:
        """All campaigns, oldest first."""
        with self._reading() as connection:
            return queries.campaigns(connection)

    def find(self, wanted: str) -> Campaign:
        """The campaign of an id, a label, ``latest`` or ``latest~N``.

        Raises:
            Refusal: there is none.
        """
        return queries.find(self.campaigns(), wanted, self.name)

    def logs(self, stored_campaign: Campaign) -> tuple[tuple[str, str, int], ...]:
        """Name, key and size of the logs of a campaign."""
        with self._reading() as connection:
            return queries.logs(connection, _id(stored_campaign))

    def content(self, stored_campaign: Campaign, name: str) -> tuple[bytes, ...]:
        """The raw output of the logs of this name or key in a campaign."""
        with self._reading() as connection:
            return queries.content(connection, _id(stored_campaign), name)

    def list_campaigns(self, stored_campaign: Campaign) -> tuple[StoredCampaign, ...]:
        """The logs of a campaign, and what is known of them without reading them."""
        with self._reading() as connection:
            return queries.list_campaigns(connection, _id(stored_campaign))

    def output(self, log: int) -> bytes:
        """The raw output of the log of this id."""
        with self._reading() as connection:
            return queries.output(connection, log)

    def keep_settings(self, stored_campaign: Campaign, found: Mapping[str, Settings]) -> None:
        """Keep the settings that devices had at the time of a campaign, as text by place and path."""
        with refusing_failures(self._url), write_transaction(self._engine) as connection:
            settings.keep(connection, _id(stored_campaign), found)

    def changes_between(self, a: Campaign, b: Campaign) -> Changes:
        """What changed between two campaigns: settings, and parameters of their runs."""
        with self._reading() as connection:
            changes = settings_between(a, b, *settings.differing_settings(connection, _id(a), _id(b)))
            runs = [queries.circumstances(connection, _id(campaign)) for campaign in (a, b)]
        return replace(changes, changed=(*changes.changed, *parameters_between(*runs)))

    def circumstances(self, stored_campaign: Campaign) -> list[Circumstance]:
        """The parameters of the runs of a campaign, each once."""
        with self._reading() as connection:
            return queries.circumstances(connection, _id(stored_campaign))

    def names(self, numbers: Sequence[int]) -> dict[int, Series]:
        """What the series of these ids are."""
        with self._reading() as connection:
            return queries.names(connection, numbers)

    def find_campaigns(self, wanted: Filters) -> dict[int, Series]:
        """The series that are wanted, by id."""
        with self._reading() as connection:
            return queries.find_campaigns(connection, wanted)

    def series_values(self, campaigns: Sequence[Campaign], numbers: Sequence[int]) -> dict[int, dict[int, list[float]]]:
        """The values of series by series and campaign."""
        with self._reading() as connection:
            return queries.series_values(connection, [_id(campaign) for campaign in campaigns], numbers)

    def values(self, stored_campaign: Campaign, wanted: Filters) -> dict[int, list[float]]:
        """The values of a campaign by the id of their series."""
        with self._reading() as connection:
            return queries.values(connection, _id(stored_campaign), wanted)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with refusing_failures(self._url), self._engine.connect() as connection:
            yield connection


def _id(campaign: Campaign) -> int:
    if campaign.id is None:
        raise ValueError(f"campaign {campaign.label!r} is not stored")
    return campaign.id


def _check(label: str) -> None:
    if label and not label.isdecimal() and "~" not in label and label != queries.LATEST and label.isprintable():
        return
    raise refuse(f"label {label!r}", "a label that compare reads as an id", "a name that is not a number, without ~")
