"""Observations, readings and gaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from functools import cached_property
from typing import Any, Final

from wirespeed.errors import format_first
from wirespeed.settings import Device, Host, Place

NOT_SHOWN = "the collected output does not contain its value"
"""Why a setting was not read although its device was collected."""

NOT_IN_EFFECT = "only the configured value was read, not the value in effect"
"""Why a setting that `Facts.lacks_running_value` is not known."""

_LISTED = ("nic.controller", "nic.mac", "nic.addresses", "nic.link.up", "nic.link.mtu")
"""Settings that the list of a host's interfaces shows of each."""

COMPLETE: Final = "complete"
"""Value of an observation at a collection path (``host.rules``): every existing member was observed.

Without it a member that was not observed is unknown; with it, it is absent.
"""


class State(IntEnum):
    """State of a device that a reading shows; a check uses the highest one."""

    ASSUMED = -1  # not printed by the device: the default, not verified
    PERSISTENT = 0  # in effect after the next reboot or reset
    CONFIGURED = 1  # in a configuration file
    RUNNING = 2  # in effect now


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """Where a value was read: a line of a command's recorded output."""

    device: str
    command: str
    file: str
    line: int | None = None
    members: tuple[tuple[str, Source], ...] = ()  # of a mapping, where it was read in several lines: of each key

    def __str__(self) -> str:
        return f"{self.command} ({self.file}:{self.line})" if self.line else f"{self.command} ({self.file})"


@dataclass(frozen=True, slots=True)
class Observation:
    """One value read from a device; ``COMPLETE`` at a collection's path."""

    place: Place
    path: str
    value: Any
    source: Source
    state: State = State.RUNNING
    is_default: bool = False  # known of the program; the source does not set it


@dataclass(frozen=True, slots=True)
class Reading:
    """A value with its source and state."""

    value: Any
    source: Source
    state: State
    is_default: bool = False


class GapKind(StrEnum):
    """How a command failed to show a setting."""

    NOT_RUN = "not run"
    NO_PROGRAM = "program not installed"
    NO_PERMISSION = "permission denied"
    TIMEOUT = "timeout"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"
    EMPTY = "output empty"
    ABSENT_FILE = "configuration file absent"
    NOT_IN_OUTPUT = "not in the output"
    NOT_TEXT = "output not text"
    NO_FILE = "output not in the bundle"
    PARSER_FAILED = "parser failed"
    NOT_IN_EARLIER = "not in the earlier bundle"
    DIFFERENT_VALUES = "different values"


@dataclass(frozen=True, slots=True)
class Gap:
    """Why a setting was not read: the command that shows it, and how that failed.

    ``files`` are those of its outputs. ``line`` is its command line. ``needs_root``: the command shows everything to
    root only. ``launchers``: libraries and launchers of jobs whose settings it shows; empty for any other command.
    ``needs_job``: it shows processes of running jobs only. ``is_host_file``: it shows the host file of a launcher.
    ``absent_files`` are the configuration files that it prints, none of which exists.
    """

    command: str
    reason: str
    kind: GapKind = GapKind.FAILED
    files: tuple[Source, ...] = ()
    line: str = ""
    needs_root: bool = False
    launchers: tuple[str, ...] = ()
    needs_job: bool = False
    is_host_file: bool = False
    absent_files: tuple[str, ...] = ()

    @property
    def empty_files(self) -> tuple[Source, ...]:
        """Its outputs that are empty."""
        return self.files if self.kind is GapKind.EMPTY else ()

    def __str__(self) -> str:
        files = f" ({format_first([source.file for source in self.empty_files], 3)})" if self.empty_files else ""
        if self.line and self.reason == f"{self.line.split()[0]} is not installed":
            return self.reason
        return f"{self.command}: {self.reason}{files}"


@dataclass(frozen=True)
class Facts:
    """Everything observed in a cluster.

    ``gaps`` is keyed by (device, path): the reasons why readings of that path are missing on that device.
    ``unverified`` holds the (device, path) whose output format is known from memory only. ``counted_since`` is the time
    of the earlier bundle that was subtracted from counters; None: they count since the port came up. ``automatic``
    holds the (device, path) that the device sets without configuration and that no command that was run shows.
    """

    devices: Mapping[str, Device]
    readings: Mapping[tuple[Place, str], tuple[Reading, ...]] = field(default_factory=dict)
    gaps: Mapping[tuple[str, str], tuple[Gap, ...]] = field(default_factory=dict)
    unverified: frozenset[tuple[str, str]] = frozenset()
    counted_since: str | None = None
    automatic: frozenset[tuple[str, str]] = frozenset()

    def reading(self, place: Place, path: str) -> Reading | None:
        """The reading a check uses: running before configured before persistent; None when not read."""
        readings = self.readings.get((place, path))
        return readings[0] if readings else None

    def value(self, place: Place, path: str) -> Any:
        """The value a check uses, None when not read."""
        reading = self.reading(place, path)
        return None if reading is None else reading.value

    def complete(self, place: Place, path: str) -> bool:
        """Whether the collection at this path (``host.rules``) was read completely."""
        return (place, path) in self.readings

    def is_unlisted_nic(self, place: Place) -> bool:
        """Whether the complete list of the host's interfaces lacks it, although the output of another command names it.

        A file or a tool may still show what no longer exists.
        """
        if place.kind != "nic":
            return False
        lists = {reading.source.command for reading in self.readings.get((place.outer, "host.nics"), ())}
        readings = (reading for path in _LISTED for reading in self.readings.get((place, path), ()))
        return bool(lists) and lists.isdisjoint(reading.source.command for reading in readings)

    def lacks_running_value(self, place: Place, path: str) -> bool:
        """Whether only the configured value of a switch port was read, although a command shows the value in effect.

        The command failed, or shows the value in effect of another port.
        """
        readings = self.readings.get((place, path), ())
        if not readings or readings[0].state is not State.CONFIGURED or place.kind != "port":
            return False
        return bool(self.list_gaps(place, path)) or self.find_running_source(place, path) is not None

    def find_running_source(self, place: Place, path: str) -> Source | None:
        """An output of the device that shows values in effect of this setting."""
        return self._running_sources.get((place.device, path))

    @cached_property
    def _running_sources(self) -> Mapping[tuple[str, str], Source]:
        """An output with values in effect, by device and setting."""
        return {
            (place.device, path): readings[0].source
            for (place, path), readings in self.readings.items()
            if readings[0].state is State.RUNNING
        }

    @cached_property
    def neighbour_entries(self) -> Mapping[str, tuple[Place, ...]]:
        """The entries of the neighbour tables of all hosts, by IP address."""
        places_by_address: dict[str, list[Place]] = {}
        for name, device in self.devices.items():
            for entry in device.neighbours if isinstance(device, Host) else ():
                places_by_address.setdefault(entry.partition(" ")[2], []).append(Place(name).child("neighbour", entry))
        return {address: tuple(places) for address, places in places_by_address.items()}

    @cached_property
    def node_guids(self) -> Mapping[str, tuple[Place, ...]]:
        """The NIC ports of all hosts by the node GUID of their RDMA device."""
        places_by_guid: dict[str, list[Place]] = {}
        for name, device in self.devices.items():
            for interface, nic in device.nics.items() if isinstance(device, Host) else ():
                if nic.node_guid is not None:
                    places_by_guid.setdefault(nic.node_guid, []).append(Place(name).child("nic", interface))
        return {guid: tuple(places) for guid, places in places_by_guid.items()}

    def list_gaps(self, place: Place, path: str) -> tuple[Gap, ...]:
        """The failed commands that would show a value."""
        return self.gaps.get((place.device, path), ())

    def list_absent_files(self, place: Place, path: str, intended: Any) -> tuple[str, ...]:
        """The configuration files that would contain a value that was not read, if none of them exists.

        Empty if one exists or could not be read. Running processes are no configuration. Of the
        ``intended`` host the files of the planned library and launcher count, not those of a launcher's own library.
        """
        gaps = [gap for gap in self.list_gaps(place, path) if gap.absent_files or not gap.needs_job]
        if isinstance(intended, Host):
            library, launcher = intended.launch.library, intended.launch.launcher
            gaps = [gap for gap in gaps if library in gap.launchers or gap.launchers == (launcher,)] or gaps
        if self.readings.get((place, path)) or not all(gap.absent_files for gap in gaps):
            return ()
        return tuple(dict.fromkeys(file for gap in gaps for file in gap.absent_files))

    def find_missing_reason(self, place: Place, path: str) -> str:
        """Why a value was not read, as text."""
        gaps = self.list_gaps(place, path)
        if gaps:
            return "; ".join(str(gap) for gap in gaps)
        if place.device not in self.devices:
            return f"nothing was collected from {place.device}"
        return NOT_SHOWN
