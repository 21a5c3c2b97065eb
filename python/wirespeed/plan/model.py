"""The plan: every intended setting, the cables, and the formula of each computed value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wirespeed.catalogue import Catalogue
from wirespeed.errors import Problem
from wirespeed.settings import Device, Host, Place, Switch, TrafficClass
from wirespeed.units import Bandwidth, Duration, Length, Size


@dataclass(frozen=True, slots=True, order=True)
class End:
    """One end of a cable."""

    device: str
    port: str


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable between two ports."""

    a: End
    b: End
    speed: Bandwidth
    length: Length | None = None
    rail: int | None = None
    cable: str | None = None  # model in the catalogue

    def other_end(self, device: str) -> End:
        """The end that is not on this device.

        Raises:
            ValueError: the cable does not end on the device.
        """
        if device == self.a.device:
            return self.b
        if device == self.b.device:
            return self.a
        raise ValueError(f"{device} is at neither end")


@dataclass(frozen=True, slots=True)
class ComputedValue:
    """A number that the plan computed: its name, value, formula with numbers, and the source of the formula.

    ``compared`` contains the values of vendors, if there are any.
    """

    name: str
    value: str
    formula: str
    source: str
    compared: str | None = None


def format_bytes(size: Size) -> str:
    """``225,044 B (225 kB)``."""
    return f"{int(size):,} B ({format_size(size)})"


def format_size(size: Size) -> str:
    """``32 MB``: in the decimal units of the other values, also a number of KiB, which some data sheets mean by kB."""
    units = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
    factor, unit = next(((factor, unit) for factor, unit in units if size >= factor), (1, "B"))
    return f"{size / factor:,.4g} {unit}"


@dataclass(frozen=True, slots=True)
class Latency:
    """Forwarding latency of an idle switch; None: not known. Not rendered."""

    whole: Duration | None = None
    """Time from the last bit of a frame in to its first bit out."""
    credit: Duration | None = None
    """Part of ``whole`` on switches with virtual output queues: from the credit for a frame to its arrival at the
    port."""
    source: str | None = None
    """The document with the latency. None: the cluster file."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The intended state of a cluster.

    ``requested`` contains, by place and setting path, values of the cluster file that the platform rounds (the device
    has the effective value). ``origins`` contains the cluster-file line of each device, ``classes_origin`` that of
    the traffic classes.
    """

    name: str
    hosts: Mapping[str, Host]
    switches: Mapping[str, Switch]
    roles: Mapping[str, str]  # device -> host, leaf, spine, …
    cables: tuple[Cable, ...]
    classes: Mapping[str, TrafficClass]
    hardware: Catalogue
    computed: tuple[ComputedValue, ...] = ()
    latencies: Mapping[str, Latency] = field(default_factory=dict)  # of switches
    requested: Mapping[tuple[Place, str], object] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    classes_origin: str | None = None
    warnings: tuple[Problem, ...] = ()

    @property
    def devices(self) -> Mapping[str, Device]:
        """All hosts and switches, hosts first, each in the order of the cluster file."""
        return {**self.hosts, **self.switches}
