"""``wirespeed bench log``."""

from __future__ import annotations

from typing import Annotated

import typer

from wirespeed.cli import stored_campaigns
from wirespeed.cli.bench_app import bench


@bench.command()
def log(
    campaign: Annotated[str, typer.Argument(metavar="CAMPAIGN", help="Its id or label, latest or latest~N.")],
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A log of the campaign; without it the logs are listed.")
    ] = None,
    store: stored_campaigns.StoreOption = None,
) -> None:
    """Print the raw output that a campaign was read from, byte for byte as it was stored.

    A better parser can read it again: wirespeed bench log latest NAME | wirespeed bench parse -

    Example: wirespeed bench log after-firmware
    """
    import sys

    from wirespeed.cli.console import out
    from wirespeed.errors import did_you_mean, refuse
    from wirespeed.report.wording import line

    with stored_campaigns.open_known(store) as opened:
        found = opened.find(campaign)
        logs = opened.logs(found)
        if name is None:
            for one, key, size in logs:
                shown = line(f"{one} ({key})" if key else one)
                out().print(f"{size:>12,}  {shown}", soft_wrap=True, markup=False)
            return
        contents = opened.content(found, name)
        if not contents:
            names = [one for one, _, _ in logs]
            hint = did_you_mean(name, names) or f"wirespeed bench log {campaign} lists them"
            raise refuse(f"{opened.name}: {found.label}", f"no log {name!r}", "the name of a log", hint)
        for content in contents:
            sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
