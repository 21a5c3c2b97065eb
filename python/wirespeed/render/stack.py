"""The platforms of a device. Every setting belongs to exactly one of them."""

from __future__ import annotations

from wirespeed.errors import Problem, Refusal, did_you_mean, format_choices
from wirespeed.plan import Plan
from wirespeed.platforms import Platform, platform_of_system, platforms, platforms_of_launch
from wirespeed.settings import Host, Switch


def stack(plan: Plan, device: str) -> tuple[Platform, ...]:
    """The platforms of a planned device: host, NICs, launcher; or the switch OS.

    Raises:
        Refusal: the device runs a system that wirespeed has no platform for.
    """
    settings = plan.devices[device]
    keys = _list_switch_platforms(settings) if isinstance(settings, Switch) else _list_host_platforms(plan, settings)
    all_platforms = platforms()
    problems = [_describe_unknown(device, kind, name) for kind, name in keys if (kind, name) not in all_platforms]
    if not problems and not all_platforms[keys[0]].supports_release(settings.os or ""):
        problems = [_describe_unknown(device, settings.kind, settings.os or "")]
    if problems:
        raise Refusal(problems)
    return tuple(all_platforms[key] for key in keys)


def _list_switch_platforms(switch: Switch) -> list[tuple[str, str]]:
    return [("switch", _find_platform_name("switch", switch.os))]


def _list_host_platforms(plan: Plan, host: Host) -> list[tuple[str, str]]:
    keys = [("host", _find_platform_name("host", host.os))]
    for nic in host.nics.values():
        if nic.model is None:  # an interface that the host's system configures completely
            continue
        model = plan.hardware.nics.get(nic.model or "")
        key = ("nic", model.system if model else nic.model or "unknown")
        if key not in keys:
            keys.append(key)
    if host.launch.hosts:
        launchers = platforms_of_launch(host.launch.library, host.launch.launcher)
        keys += [("launcher", name) for name in launchers or (host.launch.library or "unknown",)]
    return keys


def _find_platform_name(kind: str, system: str | None) -> str:
    return platform_of_system(kind, system or "") or system or "unknown"


def _describe_unknown(device: str, kind: str, name: str) -> Problem:
    names = _list_names(kind)
    family = [candidate for candidate in names if candidate.partition("-")[0] == name.partition("-")[0]]
    subject = f"the operating system {name!r}" if kind in ("host", "switch") else f"the {kind} platform {name!r}"
    expected = format_choices(family or names) or f"a {kind} platform"
    return Problem(device, subject, expected, did_you_mean(name, family or names))


def _list_names(kind: str) -> list[str]:
    """The names that a cluster file or the catalogue may contain: releases, systems, or platforms."""
    return [
        name
        for (platform_kind, platform_name), platform in platforms().items()
        if platform_kind == kind
        for name in platform.releases or platform.systems or (platform_name,)
    ]
