"""Writes synthetic bundles: of a cluster exactly as planned, or of other devices, as an example or reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import jinja2

from wirespeed.collect.bundle_writer import Writer
from wirespeed.collect.commands import Invocation, list_invocations, list_platforms, select_nics
from wirespeed.collect.manifest import Entry
from wirespeed.collect.simulated_addresses import assign_addresses, assign_guids
from wirespeed.errors import Problem, Refusal
from wirespeed.plan import Plan
from wirespeed.platforms import platform_of_system, platforms, platforms_of_launch
from wirespeed.platforms.templates import AnswerTemplates
from wirespeed.settings import Device, Host, Switch

_START_TIME = "2000-01-01T00:00:00.000Z"
"""Fixed time in a synthetic bundle, because no command was run."""

_HOME = "/home/jobs"
"""Home folder of the jobs' user in a synthetic bundle."""


def write_planned_bundle(plan: Plan, target: Path) -> None:
    """Write the bundle of a cluster that is exactly as planned.

    Raises:
        Refusal: no platform exists for a device's system, or the output path contains something other than a bundle.
    """
    write_simulated_bundle(plan.devices, plan.name, target)


def write_simulated_bundle(devices: Mapping[str, Device], cluster: str | None, target: Path) -> None:
    """Write the bundle of devices with these settings; PCIe functions without an address get one.

    Every command has the output of its platform's template. Without a template it is recorded as not applicable.

    Raises:
        Refusal: no platform exists for a device's system, or the output path contains something other than a bundle.
    """
    devices = {
        name: assign_addresses(device) if isinstance(device, Host) else device for name, device in devices.items()
    }
    devices = assign_guids(devices)
    stacks = {name: _select_platforms(device) for name, device in devices.items()}
    problems = [
        Problem(name, f"operating system {device.os!r}", f"one of {', '.join(_list_systems(device))}")
        for name, device in devices.items()
        if not stacks[name]
    ]
    if problems:
        raise Refusal(problems)
    with Writer(target, cluster) as writer:
        for name, device in devices.items():
            writer.add_device(name, stacks[name])
            for order, (entry, text) in enumerate(_iterate_answers(name, device, stacks[name])):
                writer.write_output(name, entry, None if text is None else text.encode(), order=order)


def _list_systems(device: Device) -> list[str]:
    return sorted(
        system for (kind, _), platform in platforms().items() if kind == device.kind for system in platform.systems
    )


def _select_platforms(device: Device) -> tuple[tuple[str, str], ...]:
    """The platforms of a device; empty when its operating system is unknown."""
    name = platform_of_system(device.kind, device.os or "")
    if name is None:
        return ()
    if isinstance(device, Switch):
        return (("switch", name),)
    keys = list_platforms(name, device.nics)
    # Only the launcher in use, if it is known: the files of other launchers do not exist.
    used = platforms_of_launch(device.launch.library, device.launch.launcher)
    return tuple(key for key in keys if key[0] != "launcher" or not used or key[1] in used)


def _iterate_answers(
    name: str, device: Device, platform_keys: tuple[tuple[str, str], ...]
) -> Iterator[tuple[Entry, str | None]]:
    for key in platform_keys:
        nics = select_nics(device, key) if isinstance(device, Host) else {}
        templates = AnswerTemplates(platforms()[key], name, device)
        for command in platforms()[key].commands:
            if command.fallback_for is not None:
                continue  # every command succeeds, so no fallback is run
            for invocation in list_invocations(command, nics, _HOME):
                yield _build_entry(device, key[1], templates, invocation)


def _build_entry(
    device: Device, platform: str, templates: AnswerTemplates, invocation: Invocation
) -> tuple[Entry, str | None]:
    if not invocation.arguments:
        return Entry(invocation.id, invocation.text, "not-applicable", None, detail=invocation.reason), None
    interface = invocation.id.partition("@")[2]
    extra = {"interface": interface, "nic": device.nics[interface]} if isinstance(device, Host) and interface else {}
    try:
        text = templates.fill(invocation.command.id, **extra)
    except jinja2.TemplateNotFound:
        reason = f"no output of {invocation.command.id} is known for {platform}"
        return Entry(invocation.id, invocation.text, "not-applicable", None, detail=reason), None
    # Commands with several exit codes use another than 0 for "none".
    exit_code = (
        0
        if text.strip() or 0 not in invocation.command.exits
        else invocation.command.exits[min(1, len(invocation.command.exits) - 1)]
    )
    return Entry(
        invocation.id, invocation.text, "ok", None, exit_code=exit_code, started=_START_TIME, duration_ms=0
    ), text
