"""A lab: the devices of a cluster as network namespaces on one machine, the cables between them, and how they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

KIND = "lab"
SCHEMA = 1


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

    ``expects`` is what its kernel has once it is configured: addresses, rules and routes, a line each.
    """

    name: str
    role: Role
    namespace: str
    daemons: tuple[str, ...] = ()
    expects: tuple[str, ...] = ()


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

    def other(self, device: str) -> LabEnd:
        """The end that is not on this device."""
        return self.b if device == self.a.device else self.a

    def end(self, device: str) -> LabEnd:
        """The end on this device."""
        return self.a if device == self.a.device else self.b


@dataclass(frozen=True, slots=True)
class LabState:
    """A lab as it was built. ``left_out`` says what was rendered and cannot be in it."""

    name: str
    cluster: str
    file: str
    started: str
    phase: Phase
    devices: tuple[LabDevice, ...]
    links: tuple[LabLink, ...]
    left_out: tuple[str, ...] = ()

    def of_role(self, role: Role) -> Sequence[LabDevice]:
        """Its hosts, or its switches."""
        return [device for device in self.devices if device.role is role]
