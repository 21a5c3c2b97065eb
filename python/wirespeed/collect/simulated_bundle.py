"""Synthetic bundles: of a cluster exactly as planned, or of any other devices, as an example or reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import jinja2

from wirespeed.collect.bundle_writer import Writer
from wirespeed.collect.commands import Invocation, invocations, nics_of, stack
from wirespeed.collect.manifest import Entry
from wirespeed.errors import Problem, Refusal
from wirespeed.plan import Plan
from wirespeed.platforms import platform_of_system, platforms, platforms_of_launch
from wirespeed.platforms.templates import fill_answer
from wirespeed.settings import Device, Host, Switch

_STARTED = "2000-01-01T00:00:00.000Z"
"""Time in a synthetic bundle, always the same: nothing was run."""


def write_planned_bundle(plan: Plan, out: Path) -> None:
    """Write the bundle of a cluster that is exactly as planned.

    Raises:
        Refusal: no platform exists for a device's system, or the output path holds something else than a bundle.
    """
    write_simulated_bundle(plan.devices, plan.name, out)


def write_simulated_bundle(devices: Mapping[str, Device], cluster: str | None, out: Path) -> None:
    """Write the bundle of devices with these settings.

    Every command gets the output that its platform gives such a device; one without is recorded as not applicable.

    Raises:
        Refusal: no platform exists for a device's system, or the output path holds something else than a bundle.
    """
    stacks = {name: _stack(device) for name, device in devices.items()}
    problems = [
        Problem(name, f"operating system {device.os!r}", f"one of {', '.join(_systems(device))}")
        for name, device in devices.items()
        if not stacks[name]
    ]
    if problems:
        raise Refusal(problems)
    with Writer(out, cluster) as writer:
        for name, device in devices.items():
            writer.device(name, stacks[name])
            for order, (entry, text) in enumerate(_answers(name, device, stacks[name])):
                writer.output(name, entry, None if text is None else text.encode(), order=order)


def _systems(device: Device) -> list[str]:
    return sorted(
        system for (kind, _), platform in platforms().items() if kind == device.kind for system in platform.systems
    )


def _stack(device: Device) -> tuple[tuple[str, str], ...]:
    """The platforms of a device; empty when its operating system is unknown."""
    name = platform_of_system(device.kind, device.os or "")
    if name is None:
        return ()
    if isinstance(device, Switch):
        return (("switch", name),)
    keys = stack(name, device.nics)
    # Only the launcher in use, where it is known: the files of others do not exist.
    used = platforms_of_launch(device.launch.library, device.launch.starter)
    return tuple(key for key in keys if key[0] != "launcher" or not used or key[1] in used)


def _answers(name: str, device: Device, stacked: tuple[tuple[str, str], ...]) -> Iterator[tuple[Entry, str | None]]:
    for key in stacked:
        nics = nics_of(device, key) if isinstance(device, Host) else {}
        for command in platforms()[key].commands:
            if command.fallback_for is not None:
                continue  # every command succeeds, so no fallback is run
            for invocation in invocations(command, nics):
                yield _answer(name, device, key, invocation)


def _answer(name: str, device: Device, key: tuple[str, str], invocation: Invocation) -> tuple[Entry, str | None]:
    if not invocation.arguments:
        return Entry(invocation.id, invocation.text, "not-applicable", None, detail=invocation.reason), None
    interface = invocation.id.partition("@")[2]
    extra = {"interface": interface, "nic": device.nics[interface]} if isinstance(device, Host) and interface else {}
    try:
        text = fill_answer(platforms()[key], invocation.command.id, name, device, **extra)
    except jinja2.TemplateNotFound:
        reason = f"no output of {invocation.command.id} is known for {key[1]}"
        return Entry(invocation.id, invocation.text, "not-applicable", None, detail=reason), None
    # Commands with several exit codes use another than 0 for "none".
    exit_code = (
        0
        if text.strip() or 0 not in invocation.command.exits
        else invocation.command.exits[min(1, len(invocation.command.exits) - 1)]
    )
    return Entry(invocation.id, invocation.text, "ok", None, exit_code=exit_code, started=_STARTED, duration_ms=0), text
