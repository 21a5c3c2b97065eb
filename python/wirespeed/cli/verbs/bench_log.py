"""``wirespeed bench log``."""

from __future__ import annotations

from typing import Annotated

import typer

from wirespeed.cli import stored_campaigns
from wirespeed.cli.bench_app import bench


@bench.command(short_help="Print the stored raw output of a campaign.")
def log(
    campaign: Annotated[
        str, typer.Argument(metavar="CAMPAIGN", help="Campaign: label, id, latest or latest~N (the N-th before it).")
    ],
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Log of the campaign. Default: list the logs.")
    ] = None,
    store: stored_campaigns.StoreOption = None,
) -> None:
    """Print the stored raw output of a campaign, byte for byte.

    The output can be parsed again by a newer version.

    Examples:

    \b
      wirespeed bench log after-firmware
      wirespeed bench log latest all_reduce.log | wirespeed bench parse -
    """
    import sys
    from shlex import quote

    from wirespeed.cli.console import standard_output
    from wirespeed.errors import did_you_mean, refuse
    from wirespeed.report.wording import line

    with stored_campaigns.open_existing(store) as opened:
        stored = opened.find(campaign)
        logs = opened.logs(stored)
        if name is None:
            for entry, key, size in logs:
                label = line(f"{entry} ({key})" if key else entry)
                standard_output().print(f"{size:>12,}  {label}", soft_wrap=True, markup=False)
            return
        contents = opened.content(stored, name)
        if not contents:
            names = [log_name for log_name, _, _ in logs]
            options = f" --store {quote(store)}" if store else ""
            hint = did_you_mean(name, names) or f"`wirespeed bench log {quote(campaign)}{options}` lists them"
            raise refuse(f"campaign {stored.label}", f"no log named {name!r}", hint=hint)
        for content in contents:
            sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
