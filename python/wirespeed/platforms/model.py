"""What a platform is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from wirespeed.facts import Observation, Source
from wirespeed.settings import Congestion, Device, Host, Place


@dataclass(frozen=True, slots=True)
class Command:
    """A read-only command a platform answers. Its id names the file its output is kept in."""

    id: str
    run: tuple[str, ...]  # argument vector; no shell
    reads: tuple[str, ...]  # setting and collection paths that its output shows
    root: bool = False  # whether it needs root to show all it can
    timeout_s: int = 10
    per_nic: bool = False  # run once per NIC, with {interface}, {rdma}, {pcie} and {function} filled in
    exits: tuple[int, ...] = (0,)  # exit codes with which the output is an answer: grep says "none" with 1
    withheld: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # text that says these paths were kept back
    exclusive: bool = False  # the tool does not bear to run twice at a time
    fallback_for: str | None = None  # command that shows the same: this one is run only where that one did not answer
    verified: bool = True  # False: the form of its answer is known from memory only; see Support
    network: bool = False  # what it shows is of the network namespace it is run in, not of the machine around that


@dataclass(frozen=True, slots=True)
class Support:
    """What a platform can do with one setting."""

    rendered: bool = False
    read: bool = False
    verified: bool = True  # False: the format is known from memory only; a check may then say warn at worst
    default: str | None = None  # value in effect when the device says nothing
    automatic: str | None = None  # why nothing need be said: another setting or the system itself brings it about
    instead: str | None = None  # what to do where the platform cannot say it


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter a command prints, under the device's own name."""

    command: str  # command id
    meaning: str


@dataclass(frozen=True, slots=True)
class FileTemplate:
    """A file the platform renders: template name, path it is installed at, mode. An empty text is no file.

    ``apply`` and ``revert`` are command lines that make the device obey the file, and obey the one before it again.
    They and the path may hold Jinja, filled in as the template is; a line of the outcome is a command.
    """

    template: str
    path: str
    mode: int = 0o644
    apply: tuple[str, ...] = ()
    revert: tuple[str, ...] = ()
    consequence: str | None = None  # what applying or reverting interrupts: reboot, link flap, …
    per_nic: bool = False  # one for each NIC, which the template sees as ``nic``, its name as ``interface``


@dataclass(frozen=True, slots=True)
class Output:
    """Recorded output of one command."""

    command: str  # command id
    text: str
    source: Source
    exit_code: int = 0
    errors: str = ""  # what it wrote to standard error

    def at(self, line: int) -> Source:
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
class SettingCommands:
    """A change in a device's own words: what to type, in order, and what typing it does to traffic."""

    commands: tuple[str, ...]
    consequence: str | None = None  # link flap, service restart, reboot; None: nothing is interrupted


@dataclass(frozen=True, slots=True)
class Job:
    """A program to start on hosts: so many ranks on each, told what the settings of the first one say."""

    hosts: tuple[str, ...]
    ranks_per_host: int
    program: tuple[str, ...]
    host: Host
    bound: bool = False  # whether the ranks are the cluster's own, so that they run on the cores planned for them


@dataclass(frozen=True, slots=True)
class SimulatorMapping:
    """What a NIC's driver runs, and how it calls what the simulator has."""

    algorithms: Mapping[Congestion, str]  # to the simulator's name
    parameters: Mapping[str, str]  # of these: the driver's name to the simulator's, which has the unit behind it
    flags: frozenset[str] = frozenset()  # of the simulator's names: true or false
    cnp_interval: str | None = None  # the driver's name of the least time between two CNPs, microseconds


Start = Callable[[Job], tuple[str, ...]]
"""The command that starts a job, typed on its first host."""

CommandsFor = Callable[[Place, str, Any, Device], SettingCommands | None]
"""(place, setting path, value, device with its other settings) to words; None: the platform has none for it.

Of a set, the value may be a mapping of the members that change to whether they are to be in it.
"""


@dataclass(frozen=True, slots=True)
class Platform:
    """One platform, as loaded from its folder."""

    kind: str  # switch, host, nic, launcher
    name: str
    title: str
    folders: tuple[PurePosixPath, ...]  # its own, and what it includes
    commands: tuple[Command, ...]
    settings: Mapping[str, Support]
    files: tuple[FileTemplate, ...]
    parse: Callable[[Outputs], Iterator[Observation]]
    systems: tuple[str, ...] = ()  # operating systems it is for: dell-sonic, supermicro-sonic
    drivers: tuple[str, ...] = ()  # kernel drivers of the NICs it is for
    interfaces: tuple[str, ...] = ()  # what the names of their interfaces begin with, where the driver does not tell
    counters: Mapping[str, Counter] = field(default_factory=dict)
    limits: tuple[str, ...] = ()  # what reading it back cannot tell, for its page in the reference
    commands_for: CommandsFor | None = None  # ``commands.py`` of the folder, where there is one
    view: Callable[[str, Device], Mapping[str, Any]] | None = None  # ``view.py``: what its templates need computed
    simulator_mapping: SimulatorMapping | None = None  # ``simulator_mapping.py`` of a NIC: its driver in the simulator
    start: Start | None = None  # ``job.py``: how it starts a job, where it can

    @property
    def folder(self) -> PurePosixPath:
        """The platform's own folder."""
        return self.folders[0]

    def support(self, path: str) -> Support:
        """What the platform declares of a setting; an undeclared one is neither rendered nor read."""
        return self.settings.get(path, Support())
