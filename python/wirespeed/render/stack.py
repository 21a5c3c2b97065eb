"""Which platforms a device is a stack of. Every setting has exactly one owner in it."""

from __future__ import annotations

from wirespeed.errors import Problem, Refused, did_you_mean
from wirespeed.plan import Plan
from wirespeed.platforms import Platform, platforms
from wirespeed.settings import Host, Switch


def stack(plan: Plan, device: str) -> tuple[Platform, ...]:
    """The platforms of a planned device: host, NICs, launcher; or the switch's one.

    Raises:
        Refused: the device runs a system that wirespeed has no platform for.
    """
    thing = plan.devices[device]
    keys = _switch(plan, thing) if isinstance(thing, Switch) else _host(plan, thing)
    known = platforms()
    problems = [
        Problem(
            f"{plan.origins.get(device, plan.name)}: {device}",
            f"the {kind} platform {name!r}",
            _known(kind),
            did_you_mean(name, [other for other_kind, other in known if other_kind == kind]),
        )
        for kind, name in keys
        if (kind, name) not in known
    ]
    if problems:
        raise Refused(problems)
    return tuple(known[key] for key in keys)


def _switch(plan: Plan, switch: Switch) -> list[tuple[str, str]]:
    system = plan.hardware.switch_systems.get(switch.os or "")
    return [("switch", system.platform if system else switch.os or "unknown")]


def _host(plan: Plan, host: Host) -> list[tuple[str, str]]:
    # Variants of one system are not platforms of their own: ubuntu-22.04 is ubuntu.
    keys = [("host", (host.os or "unknown").partition("-")[0])]
    for nic in host.nics.values():
        model = plan.hardware.nics.get(nic.model or "")
        key = ("nic", model.system if model else nic.model or "unknown")
        if key not in keys:
            keys.append(key)
    library = plan.hardware.collectives.get(host.launch.library or "")
    if host.launch.hosts and library:
        keys.append(("launcher", library.launcher))
    return keys


def _known(kind: str) -> str:
    names = sorted(name for known, name in platforms() if known == kind)
    return f"one of {', '.join(names)}" if names else f"a {kind} platform"
