"""Support of each setting on each platform: rendered, read back, both, or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from wirespeed.platforms import Platform, platform_of_system, platforms
from wirespeed.platforms.forms import load_forms
from wirespeed.platforms.host.linux.parse_rdma import COUNTERS
from wirespeed.settings import Compare, Host, Nic, Switch, list_collections, list_settings

_OUTER: Mapping[str, type] = {"switch": Switch, "host": Host, "nic": Nic, "launcher": Host}
_LAUNCH = "host.launch."


class State(StrEnum):
    """Support of a setting by a platform."""

    RENDERED_AND_READ = "rendered and read back"
    RENDERED = "rendered"
    READ = "read back"
    AUTOMATIC = "automatic"  # set without configuration
    BY_HOST = "by host OS"  # a setting of a NIC that the platforms of hosts support
    NONE = "not supported"


@dataclass(frozen=True, slots=True)
class SettingSupport:
    """One setting on one platform."""

    setting: str
    state: State
    verified: bool  # False: the format was not verified on a device; a check only warns
    default: str | None = None
    automatic: str | None = None
    instead: str | None = None


@dataclass(frozen=True, slots=True)
class PlatformSupport:
    """One platform."""

    kind: str
    name: str
    title: str
    systems: tuple[str, ...]
    drivers: tuple[str, ...]
    commands: int
    files: tuple[str, ...]
    settings: tuple[SettingSupport, ...]
    forms: int = 0  # of the lines that it renders
    unverified_forms: tuple[tuple[str, str], ...] = ()  # (form, what no source confirms)
    file_sources: tuple[tuple[str, str], ...] = ()  # (file, the authority of its form)

    def count_settings(self, state: State) -> int:
        """The number of settings in a state."""
        return sum(support.state is state for support in self.settings)


def counter_names(setting: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Drivers, and the names of their counters for a setting; several counters are added."""
    return tuple(COUNTERS.get(setting, {}).items())


def reading_commands(setting: str) -> Mapping[str, tuple[str, ...]]:
    """The commands that read a setting, and the platforms that have them."""
    names: dict[str, tuple[str, ...]] = {}
    for platform in platforms().values():
        for command in platform.commands:
            if setting in command.reads:
                line = " ".join(command.run)
                names[line] = (*names.get(line, ()), platform.name)
    return names


def platform_support() -> tuple[PlatformSupport, ...]:
    """Every platform with every setting of its kind of device."""
    return tuple(_list_support(platform) for platform in platforms().values())


def list_supports(kind: str, system: str) -> tuple[SettingSupport, ...]:
    """Support of each setting on an operating system or NIC platform; empty when no platform is for it."""
    name = platform_of_system(kind, system) or system
    platform = platforms().get((kind, name))
    return _list_support(platform).settings if platform else ()


def _list_support(platform: Platform) -> PlatformSupport:
    table = load_forms(platform)
    forms = table.forms if table else ()
    paths = [
        path
        for entity in _iterate_classes(_OUTER[platform.kind])
        for path, setting in list_settings(entity).items()
        if setting.compare is not Compare.NONE or path in platform.settings  # identity and evidence are not configured
    ]
    paths += [path for path in platform.settings if path not in paths]  # the platform of a bridge has loans, not NICs
    return PlatformSupport(
        kind=platform.kind,
        name=platform.name,
        title=platform.title,
        systems=platform.systems,
        drivers=platform.drivers,
        commands=len(platform.commands),
        files=tuple(file.path for file in platform.files),
        settings=tuple(
            _read_support(platform, path) for path in paths if path.startswith(_LAUNCH) is (platform.kind == "launcher")
        ),
        forms=len(forms),
        unverified_forms=(
            *((form.line, form.doubt or "") for form in forms if form.source is None),
            *((f"{path} in {file.path}", file.doubt or "") for file in platform.files for path in file.unverified),
        ),
        file_sources=tuple((file.path, file.source) for file in platform.files if file.source),
    )


def _iterate_classes(outer: type) -> Iterator[type]:
    """A class of entities, and the classes of the entities in it."""
    yield outer
    for members in list_collections(outer).values():
        yield from _iterate_classes(members)


def _read_support(platform: Platform, path: str) -> SettingSupport:
    support = platform.support(path)
    if support.rendered and support.read:
        state = State.RENDERED_AND_READ
    elif support.rendered:
        state = State.RENDERED
    elif support.read:
        state = State.READ
    elif support.automatic:
        state = State.AUTOMATIC
    elif platform.kind == "nic" and path in _host_settings():
        state = State.BY_HOST
    else:
        state = State.NONE
    verified = support.verified if state not in (State.NONE, State.BY_HOST) else True
    return SettingSupport(path, state, verified, support.default, support.automatic, support.instead)


@cache
def _host_settings() -> frozenset[str]:
    """Settings that the platform of some host OS renders or reads."""
    return frozenset(
        path
        for (kind, _), platform in platforms().items()
        if kind == "host"
        for path in platform.settings
        if platform.support(path).rendered or platform.support(path).read
    )
