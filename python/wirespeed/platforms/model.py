"""The parts of a platform. `Command`, `Support`, `Counter` and `FileTemplate` are entries of ``platform.yaml``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, Strict

from wirespeed.facts import Observation, Source
from wirespeed.settings import Congestion, Device, Host, Place

ENTRY = ConfigDict(extra="forbid")
"""Validation of entries of a YAML file: unknown keys are refused."""

Flag = Annotated[bool, Strict()]
Number = Annotated[int, Strict()]
"""Not converted: neither 1 nor "yes" is true, and "10" is no number."""


_T = TypeVar("_T")


def _check_unique(entries: tuple[_T, ...]) -> tuple[_T, ...]:
    repeated = next((entry for index, entry in enumerate(entries) if entry in entries[:index]), None)
    if repeated is not None:
        raise ValueError(f"expected each entry once ({repeated!r} is repeated)")
    return entries


def _check_id(text: str) -> str:
    if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", text) is None:
        raise ValueError("expected small letters, digits and single hyphens: the id names the file of the output")
    return text


def _check_path(text: str) -> str:
    """A path beginning with a slash, or a file name: the file is run from the rendered folder."""
    parts = text.removeprefix("/").split("/")
    if {"", ".", ".."} & set(parts) or (not text.startswith("/") and len(parts) > 1):
        raise ValueError("expected an absolute path without . and .., or a file name for a file that stays rendered")
    return text


Names = Annotated[tuple[str, ...], AfterValidator(_check_unique)]
"""Names of a list, each once."""


def _split_arguments(line: Any) -> Any:
    if line == "":
        raise ValueError("expected a command line")
    try:
        return tuple(shlex.split(line)) if isinstance(line, str) else line
    except ValueError:
        raise ValueError("expected a command line whose quotes are closed") from None


def _parse_mode(mode: Any) -> int:
    """755 as written in a file; YAML reads it as a decimal number."""
    if type(mode) is not int or re.fullmatch(r"[0-7]{3}", str(mode)) is None:
        raise ValueError("expected three octal digits without quotes, such as 644")
    return int(str(mode), 8)


Exits = Annotated[
    tuple[Annotated[Number, Field(ge=0, le=255)], ...], Field(min_length=1), AfterValidator(_check_unique)
]

_ENDLESS_NUMBER = re.compile(r"\d{41}")  # 2^128 has 39 digits


@dataclass(frozen=True, slots=True)
class Command:
    """A read-only command of a platform. Its id names the file its output is stored in."""

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    id: Annotated[str, AfterValidator(_check_id)]
    run: Annotated[tuple[str, ...], BeforeValidator(_split_arguments), Field(min_length=1)]  # arguments; no shell
    reads: Names = ()  # paths of the settings and collections that its output shows
    root: Flag = False  # whether it shows everything to root only
    job: Flag = False  # whether it shows processes of running jobs only
    host_file: Flag = False  # whether it shows the host file of a launcher; Slurm, which selects hosts itself, has none
    timeout_s: Annotated[Number, Field(gt=0)] = 10
    per_nic: Flag = False  # run once per NIC, with {interface}, {rdma}, {pcie} and {function} filled in
    # {home} in any command is the home folder of the jobs' user.
    exits: Exits = (0,)  # exit codes of a successful run: grep exits with 1 for "no match"
    withheld: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # text of its output that hides these paths
    exclusive: Flag = False  # two runs of the tool at a time fail
    fallback_for: str | None = None  # command that shows the same; this one is run only if that one fails
    verified: Flag = True  # False: the format of its output is known from memory only; see Support
    network: Flag = False  # its output is about the network namespace it runs in, not about the machine
    module: str | None = None  # kernel module of the devices that its tool is for, if the host may lack them
    # Shell commands for a person, if it shows something on a prepared host only: before and after it is collected.
    by_hand: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class SettingEntry:
    """The declaration of one setting in ``platform.yaml``."""

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    rendered: Flag = False
    verified: Flag = True  # False: the format is known from memory only; a check then warns and never fails
    default: str | None = None  # value in effect without configuration
    automatic: str | None = None  # why no configuration is needed: another setting or the system sets it
    instead: str | None = None  # alternative if the platform cannot configure the setting


@dataclass(frozen=True, slots=True)
class Support(SettingEntry):
    """Support of one setting by a platform. A setting is read if a command shows it."""

    read: bool = False


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter in a command's output, under the device's name for it."""

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    command: str  # command id
    meaning: str


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Values that a vendor's model or documentation states for settings, in releases from ``since`` to ``until``."""

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    settings: Names
    source: str
    values: Names = ()  # each of them; or from ``first`` to ``last``
    first: str | None = None
    last: str | None = None
    step: str | None = None
    since: str | None = None
    until: str | None = None  # with its maintenance releases


@dataclass(frozen=True, slots=True)
class FileTemplate:
    """A file the platform renders: template name, path it is installed at, mode. A file without text is not written.

    ``apply`` and ``rollback`` are the commands that activate the file, and that reactivate the one before it. ``stop``
    is run before the file is removed or restored. They, the path and ``consequence`` may hold Jinja, filled in as the
    template is; each line of the result is a command. ``unverified`` are the settings that it contains in a form that
    no public source confirms, and ``doubt`` is what is not known of them: a file with a planned one names them.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ENTRY

    template: str
    path: Annotated[str, AfterValidator(_check_path)]
    mode: Annotated[Number, BeforeValidator(_parse_mode)] = 0o644
    apply: tuple[str, ...] = ()
    rollback: tuple[str, ...] | None = None  # None: the same as ``apply``
    stop: tuple[str, ...] = ()
    consequence: str | None = None  # interruption by apply or rollback: reboot, link flap, …
    interrupts: Flag = False  # whether the consequence stops or disturbs running traffic
    after_reboot: Flag = False  # whether the file, and its removal, take effect only after a reboot
    rollback_after_reboot: Flag = False  # whether the earlier state returns only after a reboot
    per_nic: Flag = False  # one for each NIC, which the template sees as ``nic``, its name as ``interface``
    source: str | None = None  # authority of its form; a switch's configuration has ``forms.yaml`` instead
    unverified: Names = ()
    doubt: str | None = None

    def __post_init__(self) -> None:
        if bool(self.unverified) is not (self.doubt is not None):
            raise ValueError("expected unverified and doubt, or none of them")


@dataclass(frozen=True, slots=True)
class Output:
    """Recorded output of one command."""

    command: str  # command id
    text: str
    source: Source
    exit_code: int = 0
    errors: str = ""  # its standard error

    def __post_init__(self) -> None:
        """Read a line with a number that no device prints as an empty one: Python converts no number of any length."""
        if _ENDLESS_NUMBER.search(self.text):
            lines = ("" if _ENDLESS_NUMBER.search(line) else line for line in self.text.split("\n"))
            object.__setattr__(self, "text", "\n".join(lines))

    def source_of_line(self, line: int) -> Source:
        """The source of a value on this line, counted from 1."""
        return Source(self.source.device, self.source.command, self.source.file, line)


@dataclass(frozen=True, slots=True)
class Outputs:
    """All recorded outputs of one device that this platform's commands gave, by command id.

    A per-NIC command's outputs carry the id ``command@interface``.
    """

    device: str
    outputs: Mapping[str, Output]

    def get(self, command: str) -> Output | None:
        """The output of a command that was run once; None when it was not recorded or did not succeed."""
        return self.outputs.get(command)

    def per_nic(self, command: str) -> Iterator[tuple[str, Output]]:
        """(interface, output) of a per-NIC command, in the order recorded."""
        for key, output in self.outputs.items():
            name, _, interface = key.partition("@")
            if name == command and interface:
                yield interface, output


@dataclass(frozen=True, slots=True)
class CommandSession:
    """Beginning and end of a platform's commands, and their dependence on earlier lines.

    ``lines``: each is complete. In the other grammars ``interface NAME`` begins a block, and shared lines come before
    it: in ``blocks`` the first closing command and the last opening one leave it; ``ranges-of-names`` and
    ``ranges-of-numbers`` accept several interfaces (``Ethernet1/1-16,Ethernet1/49-64``, ``Ethernet1-16,49-64``).
    """

    opening: tuple[str, ...]
    closing: tuple[str, ...]
    grammar: Literal["lines", "blocks", "ranges-of-names", "ranges-of-numbers"]

    def commands_for(self, lines: Iterable[str], consequence: str | None = None) -> SettingCommands:
        """The commands of one session that contains these lines."""
        return SettingCommands((*self.opening, *lines, *self.closing), consequence, self)


@dataclass(frozen=True, slots=True)
class SettingCommands:
    """Commands that change a setting, in order, and their effect on traffic."""

    commands: tuple[str, ...]
    consequence: str | None = None  # link flap, service restart, reboot; None: nothing is interrupted
    session: CommandSession | None = None
    alternatives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The same with other programs, by the beginning of the ids of the platform's commands that run that program."""

    def select(self, readers: Iterable[str]) -> tuple[str, ...]:
        """The commands for the program that showed the setting; ``readers``: ids of the commands that were read."""
        ids = tuple(readers)
        matches = (self.alternatives[start] for start in self.alternatives for name in ids if name.startswith(start))
        return next(matches, self.commands)


@dataclass(frozen=True, slots=True)
class Job:
    """A program to start on hosts: ranks per host, and the launch settings of the first host."""

    hosts: tuple[str, ...]
    ranks_per_host: int
    program: tuple[str, ...]
    host: Host
    bound: bool = False  # whether the number of ranks is the planned one, so that they run on their planned cores


@dataclass(frozen=True, slots=True)
class SimulatorMapping:
    """The simulator's equivalent of a NIC's driver: algorithm, and names of parameters."""

    algorithms: Mapping[Congestion, str]  # to the simulator's name
    parameters: Mapping[str, str]  # of these: the driver's name to the simulator's, which has the unit behind it
    flags: frozenset[str] = frozenset()  # of the simulator's names: true or false
    cnp_interval: str | None = None  # the driver's name of the least time between two CNPs, microseconds


Start = Callable[[Job], tuple[str, ...]]
"""The command that starts a job, typed on its first host."""

RemovalFor = Callable[[Place, str, str, Device], SettingCommands | None]
"""(place of an entity that is not planned, a setting of it, its value as text, device) to commands that remove it."""
CommandsFor = Callable[[Place, str, Any, Device], SettingCommands | None]
"""(place, setting path, value, device with its other settings) to commands; None: the platform has none for it.

Of a set, the value may be a mapping of the members that change to whether they are to be in it.
"""


@dataclass(frozen=True, slots=True)
class Platform:
    """One platform, as loaded from its folder."""

    kind: str  # switch, host, nic, launcher
    name: str
    title: str
    folders: tuple[PurePosixPath, ...]  # of the platform and of the included file
    commands: tuple[Command, ...]
    settings: Mapping[str, Support]
    files: tuple[FileTemplate, ...]
    parse: Callable[[Outputs], Iterator[Observation]]
    systems: tuple[str, ...] = ()  # supported operating systems: dell-sonic, supermicro-sonic
    releases: tuple[str, ...] = ()  # of the systems, with their name: ubuntu-24.04; rhel-9 includes rhel-9.6
    drivers: tuple[str, ...] = ()  # kernel drivers of the supported NICs
    interfaces: tuple[str, ...] = ()  # prefixes of their interfaces' names, if the driver is not shown
    counters: Mapping[str, Counter] = field(default_factory=dict)
    limits: tuple[str, ...] = ()  # limits of the read-back, for the reference page
    ranges: tuple[ValueRange, ...] = ()  # values outside them are refused
    commands_for: CommandsFor | None = None  # ``commands.py`` of the folder, if it exists
    removal_for: RemovalFor | None = None  # of the same file, if it has one
    view: Callable[[str, Device], Mapping[str, Any]] | None = None  # ``view.py``: values for its templates
    simulator_mapping: SimulatorMapping | None = None  # ``simulator_mapping.py`` of a NIC: its driver in the simulator
    start: Start | None = None  # ``job.py``: start of a job, if supported

    @property
    def folder(self) -> PurePosixPath:
        """The folder of the platform."""
        return self.folders[0]

    def supports_release(self, system: str) -> bool:
        """Whether a system is a listed release, one of its minor releases, or a system without its release."""
        known_values = (*self.systems, *self.releases)
        minor = any(system.startswith(f"{release}.") for release in self.releases)
        return not self.releases or minor or system in known_values

    def support(self, path: str) -> Support:
        """The declared support of a setting. An undeclared setting is neither rendered nor read."""
        return self.settings.get(path, Support())
