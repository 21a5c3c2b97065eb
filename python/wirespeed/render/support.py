"""Finds planned settings that no platform of a device supports: they are refused, never omitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from wirespeed.errors import Problem
from wirespeed.plan import Plan
from wirespeed.platforms import Platform
from wirespeed.settings import Compare, Place, iterate_entities, list_settings


def find_unsupported(plan: Plan, device: str, platforms: Sequence[Platform]) -> Iterator[Problem]:
    """One problem for each planned setting and place that none of the platforms renders or sets automatically.

    Problems of one setting differ in the location only; the value is the first one of the device.

    States that follow from other settings (`Setting.observed`) and values never compared need no configuration.
    """
    problem_by_path: dict[str, Problem] = {}
    for place, settings in iterate_entities(plan.devices[device], Place(device)):
        for path, setting in list_settings(type(settings)).items():
            if setting.observed or setting.compare is Compare.NONE:
                continue
            value = settings
            for name in path.split(".")[1:]:
                value = getattr(value, name)
            if value is None or any(
                platform.support(path).rendered or platform.support(path).automatic for platform in platforms
            ):
                continue
            if path not in problem_by_path:
                problem_by_path[path] = _describe_unsupported_setting(path, value, platforms)
            yield replace(problem_by_path[path], location=str(place))


def _describe_unsupported_setting(path: str, value: object, platforms: Sequence[Platform]) -> Problem:
    hints = [alternative for platform in platforms if (alternative := platform.support(path).instead)]
    titles = " or ".join(platform.title for platform in platforms)
    return Problem(
        "",
        f"{path} = {_format_value(value)}",
        f"no value: {_describe_reason(titles, bool(hints))}",
        hints[0]
        if hints
        else "leave it out of the cluster file, or use a device that supports it; "
        f"`wirespeed explain {path}` shows its meaning",
    )


def _describe_reason(titles: str, has_alternative: bool) -> str:
    """A platform with an alternative may support the setting; wirespeed does not render it."""
    return f"wirespeed does not configure it on {titles}" if has_alternative else f"{titles} cannot configure it"


def _format_value(value: object) -> str:
    """A value as text: ``false``, ``3, 4``, ``26:3 48:7``."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return " ".join(f"{_format_value(key)}:{_format_value(inner)}" for key, inner in sorted(value.items()))
    if isinstance(value, frozenset):
        return ", ".join(map(_format_value, sorted(value)))
    return str(value)
