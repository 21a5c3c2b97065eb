"""What changed between two campaigns: settings, from the facts of their time, and parameters of their runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from wirespeed.errors import format_first
from wirespeed.results.campaign_history import Campaign, Change, Changes
from wirespeed.results.parameters import IDENTITY, flatten

Settings = Mapping[str, Mapping[str, str]]
"""Place to path to value as text, of one device."""

_NAMED = 3


class Circumstance(NamedTuple):
    """Parameters of a run, without its measurements."""

    tool: str
    test: str | None
    version: str | None
    parameters: str


def settings_between(
    a: Campaign, b: Campaign, before: Mapping[str, Settings] | None, after: Mapping[str, Settings] | None
) -> Changes:
    """Settings that both campaigns read and that differ. None: no settings were stored with a campaign."""
    lacking = [campaign.label for campaign, known in ((a, before), (b, after)) if known is None]
    if before is None or after is None:
        names = " and ".join(lacking)
        note = f"no settings stored with {names}: changed settings are unknown"
        return Changes((), 0, (f"{note}; store them with `wirespeed bench parse LOGS --store STORE --bundle BUNDLE`",))
    changed: list[Change] = []
    unread = 0
    for device in sorted({*before, *after}):
        old, new = before.get(device, {}), after.get(device, {})
        for place in sorted({*old, *new}):
            was, became = old.get(place, {}), new.get(place, {})
            unread += len(was.keys() ^ became.keys())
            changed += [
                Change(place, path, was[path], became[path])
                for path in sorted(was.keys() & became.keys())
                if was[path] != became[path]
            ]
    return Changes(tuple(changed), unread)


def parameters_between(before: Iterable[Circumstance], after: Iterable[Circumstance]) -> tuple[Change, ...]:
    """Versions and parameters of runs of the same test that differ."""
    old, new = _gather(before), _gather(after)
    return tuple(
        Change(" ".join(word for word in test if word), name, _words(old[test][name]), _words(new[test][name]))
        for test in sorted(old.keys() & new.keys())
        for name in sorted(old[test].keys() & new[test].keys())
        if old[test][name] != new[test][name]
    )


def _gather(runs: Iterable[Circumstance]) -> dict[tuple[str, str], dict[str, set[str]]]:
    found: dict[tuple[str, str], dict[str, set[str]]] = {}
    for run in runs:
        names = found.setdefault((run.tool, run.test or ""), {})
        for name, value in (("version", run.version), *flatten(json.loads(run.parameters))):
            if value is not None and name not in IDENTITY:
                names.setdefault(name, set()).add(str(value))
    return found


def _words(values: set[str]) -> str:
    return format_first(sorted(values), _NAMED)
