"""Finding platforms: a folder with a platform.yaml is one."""

from __future__ import annotations

import importlib
import importlib.util
import shlex
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import PurePosixPath
from typing import Any

import yaml

from wirespeed.platforms.model import Command, Counter, FileTemplate, Platform, Support

KINDS = ("switch", "host", "nic", "launcher")


@cache
def platforms() -> Mapping[tuple[str, str], Platform]:
    """Every platform by (kind, name)."""
    root = resources.files(__package__)
    found: dict[tuple[str, str], Platform] = {}
    for kind in KINDS:
        folder = root / kind
        if not folder.is_dir():
            continue
        for inner in sorted(folder.iterdir(), key=lambda entry: entry.name):
            if (inner / "platform.yaml").is_file():
                text = (inner / "platform.yaml").read_text(encoding="utf-8")
                found[kind, inner.name.replace("_", "-")] = _load(kind, inner.name, text)
    return found


def platform(kind: str, name: str) -> Platform:
    """One platform.

    Raises:
        KeyError: there is none of that kind and name.
    """
    return platforms()[kind, name]


def platform_of_system(kind: str, system: str) -> str | None:
    """Name of the platform that speaks for a switch's or host's operating system; None when there is none.

    Variants share one: ``ubuntu-22.04`` is spoken by the platform that lists ``ubuntu``.
    """
    for name in (system, system.partition("-")[0]):
        for (known, platform_name), found in platforms().items():
            if known == kind and name in found.systems:
                return platform_name
    return None


def platforms_of_launch(library: str | None, starter: str | None) -> tuple[str, ...]:
    """Names of the platforms of a job's library and of what starts it, each once; a library may start its own jobs."""
    found = [name for (kind, name), one in platforms().items() if kind == "launcher" and library in one.systems]
    found += [name for (kind, name), one in platforms().items() if kind == "launcher" and starter in one.systems]
    return tuple(dict.fromkeys(found))


def _load(kind: str, folder: str, text: str) -> Platform:
    data: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    include: str | None = data.get("include")
    shared = _shared(kind, include) if include else {}
    package = f"{__package__}.{kind}.{folder}"
    commands, view = _optional(f"{package}.commands"), _optional(f"{package}.view")
    job, mapping = _optional(f"{package}.job"), _optional(f"{package}.simulator_mapping")
    parse = _optional(f"{package}.parse") or importlib.import_module(f"{__package__}.{kind}.{include}.parse")
    return Platform(
        kind=kind,
        name=folder.replace("_", "-"),
        title=data["title"],
        folders=tuple(PurePosixPath(kind, name) for name in (folder, include) if name),
        commands=tuple(_command(entry) for one in (data, shared) for entry in one.get("commands", ())),
        settings={
            path: Support(**(entry or {})) for one in (shared, data) for path, entry in one.get("settings", {}).items()
        },
        files=tuple(_file(entry) for one in (data, shared) for entry in one.get("files", ())),
        parse=parse.parse,
        systems=tuple(data.get("systems", ())),
        drivers=tuple(data.get("drivers", ())),
        interfaces=tuple(data.get("interfaces", ())),
        counters={name: Counter(**entry) for name, entry in data.get("counters", {}).items()},
        limits=tuple(data.get("limits", ())),
        commands_for=commands.commands_for if commands else None,
        view=view.view if view else None,
        simulator_mapping=mapping.SIMULATOR_MAPPING if mapping else None,
        start=job.start if job else None,
    )


def _shared(kind: str, include: str) -> dict[str, Any]:
    """What several platforms of a kind have in common: ``shared.yaml`` of a folder that is none itself."""
    text = (resources.files(__package__) / kind / include / "shared.yaml").read_text(encoding="utf-8")
    shared: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return shared


def _optional(module: str) -> Any:
    return importlib.import_module(module) if importlib.util.find_spec(module) else None


def _file(entry: dict[str, Any]) -> FileTemplate:
    return FileTemplate(
        template=entry["template"],
        path=entry["path"],
        mode=int(str(entry.get("mode", "644")), 8),
        apply=tuple(entry.get("apply", ())),
        revert=tuple(entry.get("revert", entry.get("apply", ()))),
        consequence=entry.get("consequence"),
        per_nic=entry.get("per_nic", False),
    )


def _command(entry: dict[str, Any]) -> Command:
    return Command(
        id=entry["id"],
        run=tuple(shlex.split(entry["run"])),
        reads=tuple(entry.get("reads", ())),
        root=entry.get("root", False),
        timeout_s=entry.get("timeout_s", 10),
        per_nic=entry.get("per_nic", False),
        exits=tuple(entry.get("exits", (0,))),
        withheld={text: tuple(paths) for text, paths in entry.get("withheld", {}).items()},
        exclusive=entry.get("exclusive", False),
        fallback_for=entry.get("fallback_for"),
        verified=entry.get("verified", True),
        network=entry.get("network", False),
    )
