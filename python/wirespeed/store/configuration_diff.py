"""Changes between two campaigns: settings that were stored with them, and parameters of their runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from wirespeed.errors import format_first
from wirespeed.results.campaign_history import Campaign, Change, Changes
from wirespeed.results.parameters import IDENTITY, flatten

Settings = Mapping[str, Mapping[str, str]]
"""Settings of one device: place to path to value as text."""

_NAMED = 3


class Circumstance(NamedTuple):
    """Parameters of a run, without its measurements."""

    tool: str
    test: str | None
    version: str | None
    parameters: str


def compare_settings(
    a: Campaign, b: Campaign, before: Mapping[str, Settings] | None, after: Mapping[str, Settings] | None
) -> Changes:
    """Settings that differ and that both campaigns contain. None: no settings were stored with the campaign."""
    lacking = [campaign.label for campaign, device_settings in ((a, before), (b, after)) if device_settings is None]
    if before is None or after is None:
        names = " and ".join(f"'{label}'" for label in lacking)
        note = f"no settings are stored with {names}, so changed settings are unknown"
        return Changes((), 0, (f"{note}; store them with `wirespeed bench parse LOGS --store STORE --bundle BUNDLE`",))
    changed: list[Change] = []
    unread = 0
    for device in sorted({*before, *after}):
        old, new = before.get(device, {}), after.get(device, {})
        for place in sorted({*old, *new}):
            old_values, new_values = old.get(place, {}), new.get(place, {})
            unread += len(old_values.keys() ^ new_values.keys())
            changed += [
                Change(place, path, old_values[path], new_values[path])
                for path in sorted(old_values.keys() & new_values.keys())
                if old_values[path] != new_values[path]
            ]
    return Changes(tuple(changed), unread)


def compare_parameters(before: Iterable[Circumstance], after: Iterable[Circumstance]) -> tuple[Change, ...]:
    """Versions and parameters of runs of the same test that differ."""
    old, new = _gather_parameters(before), _gather_parameters(after)
    return tuple(
        Change(
            " ".join(word for word in test if word),
            name,
            _format_values(old[test][name]),
            _format_values(new[test][name]),
        )
        for test in sorted(old.keys() & new.keys())
        for name in sorted(old[test].keys() & new[test].keys())
        if old[test][name] != new[test][name]
    )


def _gather_parameters(runs: Iterable[Circumstance]) -> dict[tuple[str, str], dict[str, set[str]]]:
    values_by_test: dict[tuple[str, str], dict[str, set[str]]] = {}
    for run in runs:
        names = values_by_test.setdefault((run.tool, run.test or ""), {})
        for name, value in (("version", run.version), *flatten(json.loads(run.parameters))):
            if value is not None and name not in IDENTITY and not name.startswith("rank_places "):
                names.setdefault(name, set()).add(str(value))
    return values_by_test


def _format_values(values: set[str]) -> str:
    return format_first(sorted(values), _NAMED)
