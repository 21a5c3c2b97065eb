"""Commands run on a device: those of its platforms, once or once per NIC."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wirespeed.platforms import Command, Platform, platforms
from wirespeed.settings import Host, Nic

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_ABSENCE_REASONS = {"rdma": "no RDMA device", "pcie": "no PCIe address", "function": "no PCIe address"}


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command with its arguments. Without arguments it is not applicable; ``reason`` states why."""

    id: str  # ``name@interface`` when run per NIC
    command: Command
    arguments: tuple[str, ...]
    reason: str | None = None

    @property
    def fallback_for(self) -> str | None:
        """The id of the command that this one replaces after a failure, on the same NIC."""
        name = self.command.fallback_for
        _, separator, interface = self.id.partition("@")
        return None if name is None else f"{name}{separator}{interface}"

    @property
    def text(self) -> str:
        """The command line."""
        return " ".join(_quote_argument(argument) for argument in self.arguments or self.command.run)


def list_invocations(command: Command, nics: Mapping[str, Nic], home: str | None = None) -> Iterator[Invocation]:
    """The invocations of a command: one, or one for each NIC. ``home`` is the home folder of the jobs' user."""
    if not command.per_nic:
        if "home" not in list_needs(command):
            yield Invocation(command.id, command, command.run)
        elif home is None:
            yield Invocation(command.id, command, (), "the home folder of the jobs' user is not known")
        else:
            arguments = tuple(argument.replace("{home}", home) for argument in command.run)
            yield Invocation(command.id, command, arguments)
        return
    for interface, nic in nics.items():
        yield _build_invocation(command, interface, nic)


def list_needs(command: Command) -> set[str]:
    """What the command needs: home, or of a NIC interface, rdma, pcie, function."""
    return {name for argument in command.run for name in _PLACEHOLDER.findall(argument)}


def _build_invocation(command: Command, interface: str, nic: Nic) -> Invocation:
    properties = {
        "interface": interface,
        "rdma": nic.rdma_device,
        "pcie": nic.pcie,
        "function": nic.pcie[-1] if nic.pcie else None,
    }
    unknown_property = next((name for name in sorted(list_needs(command)) if not properties[name]), None)
    if unknown_property is not None:
        return Invocation(
            f"{command.id}@{interface}", command, (), f"{interface} has {_ABSENCE_REASONS[unknown_property]}"
        )
    arguments = tuple(_PLACEHOLDER.sub(lambda match: str(properties[match[1]]), argument) for argument in command.run)
    return Invocation(f"{command.id}@{interface}", command, arguments)


def list_platforms(host_platform: str, nics: Mapping[str, Nic]) -> tuple[tuple[str, str], ...]:
    """The platforms of a host: its operating system, its NICs' by driver or name, and the launchers."""
    of_nics = [key for key, platform in platforms().items() if key[0] == "nic" and _select_nics(platform, nics)]
    launchers = [key for key in platforms() if key[0] == "launcher"]
    return (("host", host_platform), *of_nics, *launchers)


def select_nics(host: Host, platform: tuple[str, str]) -> Mapping[str, Nic]:
    """The NICs for the per-NIC commands of a platform: all for an operating system, those of the driver for a NIC
    platform."""
    if platform[0] != "nic":
        return host.nics
    return _select_nics(platforms()[platform], host.nics)


def _select_nics(platform: Platform, nics: Mapping[str, Nic]) -> dict[str, Nic]:
    """The NICs that a NIC platform supports."""
    return {
        name: nic
        for name, nic in nics.items()
        if nic.driver.name in platform.drivers or (platform.interfaces and name.startswith(platform.interfaces))
    }


@dataclass(frozen=True, slots=True)
class PublishedCommand:
    """A published command. Collecting runs only published commands; none of them changes a device."""

    platform: str  # kind and names, ``host rhel, ubuntu``
    title: str
    id: str
    run: str  # with the placeholders {home}, {interface}, {rdma}, {pcie} and {function}
    root: bool  # whether it needs root to show everything
    per_nic: bool
    reads: tuple[str, ...]


def list_published_commands() -> tuple[PublishedCommand, ...]:
    """Every command of every platform; one shared by several platforms is listed once."""
    speakers: dict[tuple[str, str], list[Platform]] = {}
    commands: dict[tuple[str, str], Command] = {}
    for (kind, _), platform in platforms().items():
        for command in platform.commands:
            key = (kind, repr(command))
            commands[key] = command
            speakers.setdefault(key, []).append(platform)
    return tuple(
        PublishedCommand(
            f"{kind} {', '.join(speaker.name for speaker in speakers[kind, text])}",
            "; ".join(speaker.title for speaker in speakers[kind, text]),
            command.id,
            " ".join(_quote_argument(argument) for argument in command.run),
            command.root,
            command.per_nic,
            command.reads,
        )
        for (kind, text), command in commands.items()
    )


def _quote_argument(argument: str) -> str:
    """A quoted argument. Placeholders and the pipes and semicolons of switch CLIs need no quotes."""
    is_literal = argument in ("|", ";") or (_PLACEHOLDER.search(argument) and " " not in argument)
    return argument if is_literal else shlex.quote(argument)
