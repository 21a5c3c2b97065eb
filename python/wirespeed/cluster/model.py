"""The model of the cluster file. The description of an optional field states its default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import Field

from wirespeed.cluster.addresses import AddressPart, RoutingPart
from wirespeed.cluster.fabric import CablingPart, FabricPart, LinkPart, Pattern
from wirespeed.cluster.fields import (
    DscpNumber,
    Dscps,
    Flag,
    ModelCount,
    NicCosQueueNumber,
    NicTrafficClassNumber,
    PriorityNumber,
    Share,
    SizeText,
    VariableName,
    Whole,
)
from wirespeed.cluster.hardware import HardwarePart
from wirespeed.cluster.host import HostPart, LoanPart
from wirespeed.cluster.launch import LaunchPart
from wirespeed.cluster.part import Part
from wirespeed.cluster.switch import SwitchPart
from wirespeed.settings import Congestion, Dscp, Ect, Priority
from wirespeed.units import Length


class NicClassPart(Part):
    """Traffic class of one class on the NICs; overrides the data of the NIC model."""

    dscp: DscpNumber | None = Field(
        default=None, description="DSCP that NICs send; default: the lowest of the class; classes roce and cnp only"
    )
    traffic_class: NicTrafficClassNumber | None = Field(default=None, description="NIC traffic class")
    cos_queue: NicCosQueueNumber | None = Field(default=None, description="NIC class-of-service queue")
    ect: Ect | None = Field(default=None, description="ECN code point of RoCE data that the NICs send; class roce only")
    congestion_parameters: dict[VariableName, Whole] | None = Field(
        default=None,
        description="parameters of the NICs' congestion control, as the driver names them; class roce only",
    )
    buffer: Whole | None = Field(default=None, description="receive buffer of the NICs, 0 to 7")
    buffer_size: SizeText | None = Field(default=None, description="size of that receive buffer", examples=["256 KiB"])


class ClassPart(Part):
    """One traffic class of the whole cluster."""

    dscp: Dscps | None = Field(default=None, description="DSCP values; the class `default` takes all others")
    priority: PriorityNumber = Field(description="802.1p and PFC priority")
    lossless: Flag = Field(default=False, description="whether PFC protects the class")
    strict: Flag = Field(default=False, description="whether the class has strict priority")
    share: Share | None = Field(
        default=None,
        description="share of the bandwidth that strict classes leave; the class `default` has the rest of 100%",
    )
    congestion: Congestion | None = Field(
        default=None,
        description="congestion control (DCQCN) and marking with ECN: dcqcn-p, with a probability that grows from one "
        "threshold to another (NVIDIA NICs, and Broadcom's DCQCN-P); dcqcn-d, all packets above one threshold "
        "(Broadcom's DCQCN-D); default: neither",
    )
    dot1p: Flag = Field(
        default=False,
        description="whether switches assign tagged frames without DSCP to the class by its 802.1p priority (PCP)",
    )
    nic: NicClassPart = Field(
        default_factory=NicClassPart,
        description="settings of the class on NICs; without this key, a class that the NICs' default QoS configuration "
        "does not contain is configured on switches only",
    )


class ClusterFile(Part):
    """The whole file."""

    version: Whole = Field(description="version of this format: 1")
    name: str = Field(description="name of the cluster")
    hosts: dict[str, HostPart] = Field(description="hosts by node range, such as node[001-128,130]")
    switches: dict[str, SwitchPart] = Field(description="switches by range, such as leaf[1-4]")
    links: list[LinkPart] = Field(default_factory=list, description="cables between switches")
    fabric: FabricPart | None = Field(default=None, description="a fabric by its pattern, instead of links")
    cabling: CablingPart = Field(
        default_factory=lambda: CablingPart(pattern=Pattern.BY_HOST), description="cables between hosts and leaves"
    )
    addresses: AddressPart = Field(description="addresses of the RDMA NICs")
    routing: RoutingPart = Field(default_factory=RoutingPart, description="routing between switches")
    classes: dict[str, ClassPart] = Field(
        default_factory=lambda: dict(DEFAULT_CLASSES), description="traffic classes by name"
    )
    lending: list[LoanPart] = Field(default_factory=list, description="PCIe devices that hosts lend each other")
    hardware: HardwarePart = Field(
        default_factory=HardwarePart, description="servers, GPUs and NICs that are not in the catalogue"
    )
    launch: LaunchPart = Field(default_factory=LaunchPart, description="launch of jobs")


DEFAULT_CLASSES: Mapping[str, ClassPart] = {
    "roce": ClassPart(
        dscp=frozenset({Dscp(26)}), priority=Priority(3), lossless=True, share=50, congestion=Congestion.DCQCN_P
    ),
    "cnp": ClassPart(dscp=frozenset({Dscp(48)}), priority=Priority(7), strict=True),
}
"""Default traffic classes; source: Broadcom 957608-AN210, section 2.5."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The line of each part of a cluster file."""

    file: str
    lines: Mapping[tuple[str | int, ...], int] = field(default_factory=dict)

    def locate(self, *path: str | int) -> str:
        """``file:line`` of a part, or of the nearest enclosing part that is in the file."""
        for end in range(len(path), -1, -1):
            line = self.lines.get(path[:end])
            if line is not None:
                return f"{self.file}:{line}"
        return self.file


@dataclass(frozen=True, slots=True)
class HostSpec:
    """One host after the expansion of ranges and exceptions. Hosts of one range share everything but the name."""

    part: HostPart
    model: str
    os: str
    nics: ModelCount
    path: tuple[str | int, ...]  # its path in the file


@dataclass(frozen=True, slots=True)
class SwitchSpec:
    """One switch after the expansion of ranges and exceptions."""

    part: SwitchPart
    model: str
    os: str | None
    role: str
    path: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class CableRow:
    """One line of a cabling file."""

    a: tuple[str, str]
    b: tuple[str, str]
    location: str
    length: Length | None = None
    cable: str | None = None  # model


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster file that was read: well formed, names unique, ranges expanded."""

    name: str
    hosts: Mapping[str, HostSpec]
    switches: Mapping[str, SwitchSpec]
    links: tuple[tuple[LinkPart, tuple[str, ...], tuple[str, ...]], ...]
    fabric: FabricPart | None
    cabling: CablingPart
    addresses: AddressPart
    routing: RoutingPart
    classes: Mapping[str, ClassPart]
    launch: LaunchPart
    origin: Origin
    rows: tuple[CableRow, ...] = ()
    lending: tuple[LoanPart, ...] = ()
    hardware: HardwarePart = field(default_factory=HardwarePart)
