"""Logs of a stored campaign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Annotated

import typer

from wirespeed.cli.logs import FailedStep, LogFile, log_files

CampaignOption = Annotated[
    str | None,
    typer.Option(
        "--campaign", metavar="CAMPAIGN", help="Stored campaign: label, id, latest, or latest~N (the N-th before it)."
    ),
]


@contextmanager
def open_logs(names: Sequence[str], campaign: str | None, store: str | None) -> Iterator[list[LogFile]]:
    """The logs of these names and of a stored campaign, which can be read until the end of the block.

    Raises:
        Refusal: nothing is named, there is no such campaign or store, or a folder of ``bench run`` is not whole.
    """
    files = list(log_files(names))
    with open_stored_logs(names, campaign, store) as kept:
        yield [*files, *kept]


@contextmanager
def open_stored_logs(names: Sequence[str], campaign: str | None, store: str | None) -> Iterator[list[LogFile]]:
    """The logs of a stored campaign, if it is named beside logs of these names.

    Raises:
        Refusal: neither is named, or there is no such campaign or store.
    """
    from wirespeed.cli.stored_campaigns import open_known
    from wirespeed.errors import refuse

    if campaign is None:
        if not names:
            raise refuse("bench", "no log is given", hint="give logs, folders of logs, or --campaign")
        yield []
        return
    with open_known(store) as opened:
        stored_campaign = opened.find(campaign)
        yield [
            LogFile(
                log.name,
                None,
                inside=True,
                location=log.location,
                key=log.key,
                failed=FailedStep(log.test, log.error) if log.test and log.error else None,
                stored_bytes=partial(opened.output, log.id),
                cluster=stored_campaign.cluster,
            )
            for log in opened.list_campaigns(stored_campaign)
        ]
