"""Logs of a stored campaign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Annotated

import typer

from wirespeed.cli.log_files import log_files
from wirespeed.cli.logs import FailedStep, LogFile

CampaignOption = Annotated[
    str | None,
    typer.Option(
        "--campaign", metavar="CAMPAIGN", help="Stored campaign: label, id, latest, or latest~N (the N-th before it)."
    ),
]


@contextmanager
def open_logs(names: Sequence[str], campaign: str | None, store: str | None) -> Iterator[list[LogFile]]:
    """The logs with these names and of a stored campaign, which can be read until the end of the block.

    Raises:
        Refusal: no log is given, the campaign or store does not exist, or a result folder is not complete.
    """
    files = list(log_files(names))
    with open_stored_logs(names, campaign, store) as stored:
        yield [*files, *stored]


@contextmanager
def open_stored_logs(names: Sequence[str], campaign: str | None, store: str | None) -> Iterator[list[LogFile]]:
    """The logs of a stored campaign, if one is given in addition to logs with these names.

    Raises:
        Refusal: neither is given, or the campaign or store does not exist.
    """
    from wirespeed.cli.stored_campaigns import open_existing
    from wirespeed.errors import refuse

    if campaign is None:
        if not names:
            raise refuse("bench", "no log is given", hint="give logs, folders of logs, or --campaign")
        yield []
        return
    with open_existing(store) as opened:
        stored_campaign = opened.find(campaign)
        yield [
            LogFile(
                log.name,
                None,
                is_in_folder=True,
                ends=log.ends,
                key=log.key,
                failed=FailedStep(log.test, log.error) if log.test and log.error else None,
                stored_bytes=partial(opened.output, log.id),
                cluster=stored_campaign.cluster,
            )
            for log in opened.list_campaigns(stored_campaign)
        ]
