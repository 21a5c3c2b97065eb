"""Finding platforms: a folder with a platform.yaml is one."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import PurePosixPath
from typing import Any

from wirespeed.errors import refuse
from wirespeed.platforms.declaration import load_declaration
from wirespeed.platforms.model import Platform

KINDS = ("switch", "host", "nic", "launcher")


@cache
def platforms() -> Mapping[tuple[str, str], Platform]:
    """Every platform by (kind, name)."""
    root = resources.files(__package__)
    all_platforms: dict[tuple[str, str], Platform] = {}
    for kind in KINDS:
        folder = root / kind
        if not folder.is_dir():
            continue
        for inner in sorted(folder.iterdir(), key=lambda entry: entry.name):
            if (inner / "platform.yaml").is_file():
                all_platforms[kind, inner.name.replace("_", "-")] = _load(kind, inner.name)
    _check_systems(all_platforms)
    return all_platforms


def _check_systems(all_platforms: Mapping[tuple[str, str], Platform]) -> None:
    """Raise if two platforms of a kind list the same operating system."""
    owners: dict[tuple[str, str], str] = {}
    for (kind, name), platform in all_platforms.items():
        for system in platform.systems:
            owner = owners.setdefault((kind, system), name)
            if owner != name:
                raise refuse(
                    f"{kind}/{name}: systems", f"{system!r}, which {kind}/{owner} lists too", "one platform for it"
                )


def platform(kind: str, name: str) -> Platform:
    """One platform.

    Raises:
        KeyError: no platform has this kind and name.
    """
    return platforms()[kind, name]


def platform_of_system(kind: str, system: str) -> str | None:
    """Name of the platform of a switch's or host's operating system. None if it is unknown.

    Variants share one: ``ubuntu-22.04`` belongs to the platform that lists ``ubuntu``.
    """
    for name in (system, system.partition("-")[0]):
        for (platform_kind, platform_name), all_platforms in platforms().items():
            if platform_kind == kind and name in all_platforms.systems:
                return platform_name
    return None


def platforms_of_launch(library: str | None, launcher: str | None) -> tuple[str, ...]:
    """Names of the platforms of a job's library and launcher, each once; a library may also be a launcher."""
    launchers = {name: platform for (kind, name), platform in platforms().items() if kind == "launcher"}
    names = [name for name, platform in launchers.items() if library in platform.systems]
    names += [name for name, platform in launchers.items() if launcher in platform.systems]
    return tuple(dict.fromkeys(names))


def _load(kind: str, folder: str) -> Platform:
    declaration = load_declaration(kind, folder)
    file = declaration.file
    package = f"{__package__}.{kind}.{folder}"
    commands, view = _import_optional(f"{package}.commands"), _import_optional(f"{package}.view")
    job, mapping = _import_optional(f"{package}.job"), _import_optional(f"{package}.simulator_mapping")
    parse = _import_optional(f"{package}.parse") or importlib.import_module(
        f"{__package__}.{kind}.{file.include}.parse"
    )
    return Platform(
        kind=kind,
        name=folder.replace("_", "-"),
        title=file.title,
        folders=tuple(PurePosixPath(kind, name) for name in (folder, file.include) if name),
        commands=declaration.commands,
        settings=declaration.settings,
        files=declaration.files,
        parse=parse.parse,
        systems=file.systems,
        releases=file.releases,
        drivers=file.drivers,
        interfaces=file.interfaces,
        counters=file.counters,
        limits=file.limits,
        ranges=file.ranges,
        commands_for=commands.commands_for if commands else None,
        removal_for=getattr(commands, "removal_for", None),
        view=view.view if view else None,
        simulator_mapping=mapping.SIMULATOR_MAPPING if mapping else None,
        start=job.start if job else None,
    )


def _import_optional(module: str) -> Any:
    return importlib.import_module(module) if importlib.util.find_spec(module) else None
