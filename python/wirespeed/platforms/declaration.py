"""``platform.yaml`` and ``shared.yaml``: what a platform declares, validated when it is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, ClassVar

from pydantic import ConfigDict

from wirespeed.data_files import read_yaml, validate
from wirespeed.errors import Problem, Refusal, did_you_mean
from wirespeed.platforms.model import ENTRY, Command, Counter, FileTemplate, Names, SettingEntry, Support, ValueRange
from wirespeed.platforms.setting_defaults import describe_default
from wirespeed.settings import ENTITIES, list_collections, list_setting_types, list_settings
from wirespeed.units import Duration, Length, Size

_PLACEHOLDER = re.compile(r"\{(\w*)\}")
_PLACEHOLDERS = ("interface", "rdma", "pcie", "function")
_SETTINGS = dict.fromkeys(path for entity in ENTITIES for path in list_settings(entity))
_TYPES = {path: kind for entity in ENTITIES for path, kind in list_setting_types(entity).items()}
_COLLECTIONS = dict.fromkeys(path for entity in ENTITIES for path in list_collections(entity))


@dataclass(frozen=True, slots=True)
class SharedFile:
    """``shared.yaml``: what several platforms of a kind include."""

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    files: tuple[FileTemplate, ...] = ()
    commands: tuple[Command, ...] = ()
    settings: Mapping[str, SettingEntry] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlatformFile:
    """``platform.yaml``."""

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    title: str
    include: str | None = None  # folder whose ``shared.yaml`` the platform has too
    systems: Names = ()
    releases: Names = ()
    drivers: Names = ()
    interfaces: Names = ()
    limits: Names = ()
    files: tuple[FileTemplate, ...] = ()
    commands: tuple[Command, ...] = ()
    settings: Mapping[str, SettingEntry] = field(default_factory=dict)
    counters: Mapping[str, Counter] = field(default_factory=dict)
    ranges: tuple[ValueRange, ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """A platform's file joined with the one it includes. Its own files and commands come first."""

    file: PlatformFile
    files: tuple[FileTemplate, ...]
    commands: tuple[Command, ...]
    settings: Mapping[str, Support]


@cache
def load_declaration(kind: str, folder: str) -> Declaration:
    """The declaration of the platform in a folder.

    Raises:
        Refusal: a file does not fit its model, or names a setting, command, template or folder that does not exist.
    """
    return read_declaration(resources.files(__package__) / kind, folder)


def read_declaration(root: Traversable, folder: str) -> Declaration:
    """See `load_declaration`; ``root`` holds the folders of one kind."""
    path = root / folder / "platform.yaml"
    file = validate(PlatformFile, read_yaml(path), f"{path}")
    folders, shared_file = [folder], SharedFile()
    if file.include is not None:
        included_file = root / file.include / "shared.yaml"
        if not included_file.is_file():
            raise Refusal([Problem(f"{path}: include", repr(file.include), "a folder with a shared.yaml")])
        shared_file = validate(SharedFile, read_yaml(included_file), f"{included_file}")
        folders.append(file.include)
    declared_settings = {**shared_file.settings, **file.settings}
    commands = (*file.commands, *shared_file.commands)
    read_paths = {path for command in commands for path in command.reads}
    settings = {
        path: Support(**asdict(declared_settings.get(path, SettingEntry())), read=path in read_paths)
        for path in _SETTINGS
        if path in declared_settings or path in read_paths
    }
    declaration = Declaration(file, (*file.files, *shared_file.files), commands, settings)
    problems = list(_find_problems(declaration, f"{path}", [root / name / "templates" for name in folders]))
    problems += [
        _describe_unknown(f"{path}: settings", f"the setting {name!r}", name, _SETTINGS)
        for name in (*declared_settings, *(path for entry in file.ranges for path in entry.settings))
        if name not in _SETTINGS
    ]
    if problems:
        raise Refusal(problems)
    return declaration


def list_declared_defaults(platform: str, *paths: str) -> dict[str, Any]:
    """Defaults of a platform (``switch/eos``) by setting path, as values: on/off, number, duration or size.

    Raises:
        KeyError: the platform does not declare one of the paths.
    """
    kind, _, folder = platform.partition("/")
    settings = load_declaration(kind, folder).settings
    return {path: parse_value(text) for path in paths if (text := settings[path].default) is not None}


def find_declared_default(platform: str, path: str) -> Any:
    """One of `list_declared_defaults`."""
    return list_declared_defaults(platform, path)[path]


def list_declared_cases(platform: str, path: str) -> dict[str, Any]:
    """The default of a setting that has several, by case: ``1500 routed, 9214 switched``."""
    text = find_declared_default(platform, path)
    cases = (part.rpartition(" ") for part in text.split(", "))
    return {case: parse_value(value) for value, _, case in cases}


def find_declared_polls(platform: str, path: str) -> int:
    """The default of a setting that is declared as a number of polling intervals: ``two polling intervals``."""
    return _NUMBERS_OF_POLLS[find_declared_default(platform, path).partition(" ")[0]]


_NUMBERS_OF_POLLS = {"one": 1, "two": 2, "three": 3, "ten": 10}


def list_declared_pairs(platform: str, path: str) -> dict[int, int]:
    """The default of a map that is declared in pairs of numbers or ranges: ``0-7 to 1, 8 to 0``."""
    pairs = re.findall(r"(\d+)(?:-(\d+))? to (\d+)", find_declared_default(platform, path))
    return {key: int(value) for first, last, value in pairs for key in range(int(first), int(last or first) + 1)}


def parse_value(text: str) -> Any:
    """A declared value: on/off, a number, a duration, a size, a length; else the text."""
    if text in ("on", "off"):
        return text == "on"
    if (number := text.removesuffix(" %")).isdecimal():
        return int(number)
    for quantity in (Duration, Size, Length):
        with suppress(ValueError):
            return quantity.parse(text)
    return text


def _find_problems(declaration: Declaration, location: str, templates: Sequence[Traversable]) -> Iterator[Problem]:
    ids = [command.id for command in declaration.commands]
    for name in sorted({name for name in ids if ids.count(name) > 1}):
        yield Problem(f"{location}: commands", f"the id {name!r} twice", "each id once")
    for command in declaration.commands:
        yield from _command_problems(command, f"{location}: commands.{command.id}", ids)
    for path, support in declaration.settings.items():
        if support.rendered and (support.automatic or support.instead):
            expected = "a setting that is rendered, automatic, or not supported"
            yield Problem(f"{location}: settings.{path}", "rendered beside automatic or instead", expected)
        if support.default is not None and (expected_default := describe_default(_TYPES[path], support.default)):
            yield Problem(f"{location}: settings.{path}.default", repr(support.default), expected_default)
    for release in declaration.file.releases:
        if not any(release.startswith(f"{system}-") for system in declaration.file.systems):
            systems = ", ".join(declaration.file.systems)
            yield Problem(
                f"{location}: releases", repr(release), f"a release of {systems}, as ubuntu-24.04 is of ubuntu"
            )
    paths = [file.path for file in declaration.files]
    for path in sorted({path for path in paths if paths.count(path) > 1}):
        yield Problem(f"{location}: files", f"the path {path!r} twice", "each path once")
    for name, counter in declaration.file.counters.items():
        if counter.command not in ids:
            yield _describe_unknown(
                f"{location}: counters.{name}", f"the command {counter.command!r}", counter.command, ids
            )
    for file in declaration.files:
        if not any((folder / file.template).is_file() for folder in templates):
            choices = sorted({entry.name for folder in templates if folder.is_dir() for entry in folder.iterdir()})
            yield _describe_unknown(f"{location}: files", f"the template {file.template!r}", file.template, choices)


def _command_problems(command: Command, location: str, ids: Sequence[str]) -> Iterator[Problem]:
    if command.fallback_for is not None and command.fallback_for not in set(ids) - {command.id}:
        yield _describe_unknown(location, f"fallback_for {command.fallback_for!r}", command.fallback_for, ids)
    choices = _SETTINGS | _COLLECTIONS
    for path in command.reads:
        if path not in choices:
            yield _describe_unknown(f"{location}: reads", f"the setting {path!r}", path, choices)
    for path in sorted({path for paths in command.withheld.values() for path in paths} - set(command.reads)):
        yield _describe_unknown(f"{location}: withheld", f"the setting {path!r}", path, command.reads)
    for name in [name for argument in command.run for name in _PLACEHOLDER.findall(argument)]:
        if name == "home":
            continue
        if not command.per_nic:
            yield Problem(f"{location}: run", f"{{{name}}}", "no placeholder but {home}, or per_nic: true")
        elif name not in _PLACEHOLDERS:
            yield _describe_unknown(f"{location}: run", f"the placeholder {name!r}", name, _PLACEHOLDERS)


def _describe_unknown(location: str, found: str, name: str, choices: Iterable[str]) -> Problem:
    names = sorted(choices)
    choice_text = f"one of {', '.join(names)}" if len(names) <= 20 else "one that exists"
    return Problem(location, found, choice_text, did_you_mean(name, names))
