"""A lab: the devices of a cluster as network namespaces on one machine, the cables between them, and their state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

KIND = "lab"
SCHEMA = 1

_CLUSTER = "lab "
"""Prefix of a lab's name in results: the name of a real cluster contains no space."""


def name_lab_cluster(lab: str) -> str:
    """The cluster name in results of a lab."""
    return f"{_CLUSTER}{lab}"


def is_lab(cluster: str | None) -> bool:
    """Whether results of this cluster are from a lab."""
    return cluster is not None and cluster.startswith(_CLUSTER)


class Role(StrEnum):
    """The role of a device."""

    HOST = "host"
    SWITCH = "switch"


class Phase(StrEnum):
    """The last operation on a lab. A lab that stays in the first or last phase was interrupted."""

    BUILDING = "building"
    UP = "up"
    LEAVING = "leaving"


@dataclass(frozen=True, slots=True)
class LabDevice:
    """A device and its namespace.

    ``expects`` are the addresses, rules and routes of its kernel after configuration, one line each. A ``machine`` is
    a virtual machine with a separate kernel, and its namespace only contains its ports.
    """

    name: str
    role: Role
    namespace: str
    daemons: tuple[str, ...] = ()
    expects: tuple[str, ...] = ()
    machine: bool = False


@dataclass(frozen=True, slots=True)
class LabEnd:
    """One end of a cable: the planned name of the port, and its name in the kernel, which allows 15 characters."""

    device: str
    port: str
    interface: str
    mac: str


@dataclass(frozen=True, slots=True)
class LabLink:
    """A cable."""

    a: LabEnd
    b: LabEnd
    rail: int | None = None

    def opposite_end(self, device: str) -> LabEnd:
        """The end on the other device."""
        return self.b if device == self.a.device else self.a

    def end(self, device: str) -> LabEnd:
        """The end on this device."""
        return self.a if device == self.a.device else self.b


@dataclass(frozen=True, slots=True)
class LabAct:
    """A command inside a device, and the command that undoes it; () if nothing must be undone."""

    device: str
    do: tuple[str, ...]
    undo: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabFault:
    """An injected fault, and the commands that undo it, in reverse order.

    ``mitigation`` applies planned settings that prevent the effect, if this is not the removal of the fault; ``dead``
    lists devices that are off.
    """

    kind: str
    place: str
    effect: str
    acts: tuple[LabAct, ...]
    mitigation: tuple[LabAct, ...] = ()
    dead: tuple[str, ...] = ()
    mitigated: bool = False

    @property
    def title(self) -> str:
        """``mtu on leaf1 Eth1/3``."""
        return f"{self.kind} on {self.place}" + ("; mitigated" if self.mitigated else "")


@dataclass(frozen=True, slots=True)
class LabState:
    """A lab after its construction. ``left_out`` lists rendered settings that a lab cannot have."""

    name: str
    cluster: str
    file: str
    started: str
    phase: Phase
    devices: tuple[LabDevice, ...]
    links: tuple[LabLink, ...]
    left_out: tuple[str, ...] = ()
    faults: tuple[LabFault, ...] = ()

    def of_role(self, role: Role) -> Sequence[LabDevice]:
        """The hosts, or the switches."""
        return [device for device in self.devices if device.role is role]


@dataclass(frozen=True, slots=True)
class DaemonStatus:
    """A program that a device needs, and whether it runs."""

    name: str
    running: bool


@dataclass(frozen=True, slots=True)
class EndStatus:
    """An end of a cable: up, down, no carrier, or gone; the MTU of an end that is gone is None."""

    device: str
    port: str
    interface: str
    state: str
    mtu: int | None


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """The current state of a cable in the kernel."""

    a: EndStatus
    b: EndStatus
    rail: int | None = None

    @property
    def up(self) -> bool:
        """Whether both ends are up."""
        return self.a.state == self.b.state == UP


@dataclass(frozen=True, slots=True)
class DeviceStatus:
    """The current state of a device. ``missing`` are its planned addresses, rules and routes that are absent."""

    name: str
    role: Role
    namespace: str
    exists: bool
    daemons: tuple[DaemonStatus, ...]
    expected: int
    missing: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether the device exists, all its daemons run, and nothing is missing."""
        return self.exists and not self.missing and all(daemon.running for daemon in self.daemons)


@dataclass(frozen=True, slots=True)
class LabStatus:
    """The current state of a lab."""

    name: str
    cluster: str
    file: str
    started: str
    phase: Phase
    devices: tuple[DeviceStatus, ...]
    links: tuple[LinkStatus, ...]
    faults: tuple[str, ...] = ()  # titles of injected faults

    @property
    def whole(self) -> bool:
        """Whether the lab is in the state after its construction."""
        parts = (*(device.whole for device in self.devices), *(link.up for link in self.links))
        return self.phase is Phase.UP and all(parts)


UP = "up"
