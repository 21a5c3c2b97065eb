"""The commands that change a setting on a device."""

from __future__ import annotations

from typing import Any

from wirespeed.plan import Plan
from wirespeed.platforms import SettingCommands
from wirespeed.render.stack import stack
from wirespeed.results.findings import Change
from wirespeed.settings import Place, get, iterate_entities, list_collections, list_settings


def commands_for(plan: Plan, device: str, change: Change) -> SettingCommands | None:
    """The commands that set a changed setting to the planned value, or remove what is not planned.

    None if no platform of the device has commands for it, or the plan has no such place or value.
    """
    if device not in plan.devices:
        return None
    planned = plan.devices[device]
    if change.removes:
        kind, _, name = change.place.removeprefix(f"{device} ").partition(" ")
        removals = (
            platform.removal_for(Place(device).child(kind, name), change.setting, change.value, planned)
            for platform in stack(plan, device)
            if platform.removal_for
        )
        return next((commands for commands in removals if commands is not None), None)
    for place, inner in iterate_entities(planned, Place(device)):
        if str(place) != change.place:
            continue
        paths = list_settings(type(inner))
        if change.setting not in paths and change.setting not in list_collections(type(inner)):
            continue
        value = _select_members(get(inner, change.setting), change.members)
        for platform in stack(plan, device) if value is not None else ():
            commands = platform.commands_for(place, change.setting, value, planned) if platform.commands_for else None
            if commands is not None:
                return commands
    return None


def _select_members(value: Any, members: tuple[int, ...]) -> Any:
    """For a set: map each changed member to its membership; any other value unchanged."""
    if not members or not isinstance(value, frozenset):
        return value
    return {member: member in value for member in members}
