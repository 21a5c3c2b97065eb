"""A lab: the devices of a cluster as network namespaces on one machine, the cables between them, and how they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

KIND = "lab"
SCHEMA = 1

_CLUSTER = "lab "
"""Before a lab's name: results of a lab are never those of a cluster, whose name has no space."""


def name_lab_cluster(lab: str) -> str:
    """The name of the cluster in results of a lab."""
    return f"{_CLUSTER}{lab}"


def is_lab(cluster: str | None) -> bool:
    """Whether results of this cluster are a lab's."""
    return cluster is not None and cluster.startswith(_CLUSTER)


class Role(StrEnum):
    """What a namespace stands for."""

    HOST = "host"
    SWITCH = "switch"


class Phase(StrEnum):
    """What was last done to a lab. One that stays in the first or the last was interrupted."""

    BUILDING = "building"
    UP = "up"
    LEAVING = "leaving"


@dataclass(frozen=True, slots=True)
class LabDevice:
    """A device and its namespace.

    ``expects`` is what its kernel has once it is configured: addresses, rules and routes, a line each. A ``machine`` is
    a virtual machine with a kernel of its own, and the namespace no more than what it is plugged into.
    """

    name: str
    role: Role
    namespace: str
    daemons: tuple[str, ...] = ()
    expects: tuple[str, ...] = ()
    machine: bool = False


@dataclass(frozen=True, slots=True)
class LabEnd:
    """One end of a cable: the port's planned name, and its name in the kernel, which has room for 15 letters."""

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
        """The end that is not on this device."""
        return self.b if device == self.a.device else self.a

    def end(self, device: str) -> LabEnd:
        """The end on this device."""
        return self.a if device == self.a.device else self.b


@dataclass(frozen=True, slots=True)
class LabAct:
    """A command inside a device, and the one that takes it back; () where nothing need be."""

    device: str
    do: tuple[str, ...]
    undo: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabFault:
    """Something that was broken on purpose, and what takes it back, in reverse order.

    ``mitigation`` applies the planned settings that prevent its effect, if they are not its removal; ``dead`` names
    devices that are off.
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
    """A lab as it was built. ``left_out`` lists rendered settings that a lab cannot have."""

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
        """Its hosts, or its switches."""
        return [device for device in self.devices if device.role is role]


@dataclass(frozen=True, slots=True)
class DaemonStatus:
    """A program that a device needs, and whether it runs."""

    name: str
    running: bool


@dataclass(frozen=True, slots=True)
class EndStatus:
    """An end of a cable: up, down, no carrier, or gone; None for the MTU of one that is gone."""

    device: str
    port: str
    interface: str
    state: str
    mtu: int | None


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """A cable as the kernel sees it now."""

    a: EndStatus
    b: EndStatus
    rail: int | None = None

    @property
    def up(self) -> bool:
        """Whether both ends are."""
        return self.a.state == self.b.state == UP


@dataclass(frozen=True, slots=True)
class DeviceStatus:
    """A device now. ``missing`` are those of the addresses, rules and routes it should have that it has not."""

    name: str
    role: Role
    namespace: str
    exists: bool
    daemons: tuple[DaemonStatus, ...]
    expected: int
    missing: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether it is there, all runs, and nothing is missing."""
        return self.exists and not self.missing and all(daemon.running for daemon in self.daemons)


@dataclass(frozen=True, slots=True)
class LabStatus:
    """A lab now."""

    name: str
    cluster: str
    file: str
    started: str
    phase: Phase
    devices: tuple[DeviceStatus, ...]
    links: tuple[LinkStatus, ...]
    faults: tuple[str, ...] = ()  # that were made on purpose, by their titles

    @property
    def whole(self) -> bool:
        """Whether it is as it was built."""
        parts = (*(device.whole for device in self.devices), *(link.up for link in self.links))
        return self.phase is Phase.UP and all(parts)


UP = "up"
