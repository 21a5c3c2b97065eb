"""The switches in the cluster file."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from wirespeed.cluster.fields import (
    BandwidthText,
    DurationText,
    Line,
    ModelName,
    OptionalPercent,
    OptionalWhole,
    Percent,
    PortName,
    Positive,
    PriorityGroupNumber,
    ReleaseText,
    SizeText,
    SwitchQueueNumber,
    SwitchTrafficClassNumber,
)
from wirespeed.cluster.part import Part
from wirespeed.settings import WatchdogAction


class BalancingMode(StrEnum):
    """Mode of load balancing over equal-cost paths."""

    STATIC = "static"
    FLOWLET = "flowlet"
    PER_PACKET = "per-packet"
    ASSIGNED_FLOW = "assigned-flow"


class EcnPart(Part):
    """Marking thresholds."""

    minimum: SizeText | None = Field(default=None, description="queue depth where marking starts", examples=["1000 kB"])
    maximum: SizeText | None = Field(
        default=None, description="queue depth from which every packet is marked", examples=["2000 kB"]
    )
    probability: Percent | None = Field(default=None, description="marking probability at the maximum")
    minimum_fill: Percent | None = Field(
        default=None,
        description="Junos only, instead of `minimum`: fill level where marking starts, in percent of the queue's "
        "buffer",
    )
    maximum_fill: Percent | None = Field(
        default=None,
        description="Junos only, instead of `maximum`: fill level with the full marking probability, in percent of the "
        "queue's buffer",
    )


class BuffersPart(Part):
    """Division of the packet buffer of a switch."""

    lossless_share: Percent | None = Field(default=None, description="share of the ingress buffer for lossless traffic")
    headroom_share: Percent | None = Field(
        default=None, description="share of the ingress buffer for lossless headroom"
    )
    lossy_share: Percent | None = Field(default=None, description="share of the ingress buffer for lossy traffic")
    shared_headroom: SizeText | None = Field(
        default=None,
        description="headroom that all lossless priority groups share, instead of separate headroom for each",
        examples=["4 MiB"],
    )
    egress_lossless_share: Percent | None = Field(
        default=None, description="share of the egress buffer for lossless traffic"
    )
    egress_lossy_share: Percent | None = Field(default=None, description="share of the egress buffer for lossy traffic")
    dedicated_ingress: OptionalPercent | None = Field(
        default=None,
        description="dedicated ingress buffer per port; Junos only: at least 15%; none: not configured",
    )
    dedicated_egress: OptionalPercent | None = Field(
        default=None,
        description="dedicated egress buffer per port; Junos only: at least 15%; none: not configured",
    )
    dynamic_threshold: OptionalWhole | None = Field(
        default=None,
        description="alpha: a lossless priority group may use at most alpha times the free buffer; Junos only: 0 to "
        "10, on the chip's scale of 1/128, 1/64, … 8; none: not configured",
    )


class LoadBalancingPart(Part):
    """Load balancing over equal-cost paths."""

    mode: BalancingMode | None = Field(default=None, description="static, flowlet, per-packet or assigned-flow")
    flowlet_gap: DurationText | None = Field(
        default=None, examples=["50 us"], description="pause in a flow after which it may change its path"
    )
    flowlet_table: Positive | None = Field(default=None, description="number of tracked flowlets")


class QueuePart(Part):
    """Traffic class, queue and priority group of one class on a switch; overrides the data of its operating system."""

    traffic_class: SwitchTrafficClassNumber | None = Field(default=None, description="internal traffic class")
    queue: SwitchQueueNumber | None = Field(default=None, description="egress queue")
    priority_group: PriorityGroupNumber | None = Field(
        default=None, description="ingress priority group; only for a switch OS with this setting, such as SONiC"
    )
    ecn: EcnPart = Field(default_factory=EcnPart, description="marking thresholds of the queue")


class WatchdogPart(Part):
    """PFC watchdog."""

    action: WatchdogAction | None = Field(
        default=None,
        description="action for a stuck queue: drop, forward, alert or errdisable, as the switch OS supports",
    )
    detect: DurationText | None = Field(default=None, description="pause time after which a queue is stuck")
    restore: DurationText | None = Field(default=None, description="pause-free time after which the queue is restored")
    poll: DurationText | None = Field(default=None, description="polling interval of the watchdog")


class PortPart(Part):
    """Settings of one switch port."""

    mtu: Positive | None = Field(default=None, description="largest IP packet in bytes")
    speed: BandwidthText | None = Field(default=None, description="link speed")
    fec: ModelName | None = Field(default=None, description="forward error correction: rs, fc or none")
    description: Line | None = Field(
        default=None, description="description of the port; default: the device and port at the other end"
    )


class SwitchPart(Part):
    """One switch, or every switch of a range."""

    model: ModelName | None = Field(default=None, description="switch model: `wirespeed list switches`")
    os: ModelName | None = Field(
        default=None, description="operating system; optional if the switch model has only one"
    )
    os_version: ReleaseText | None = Field(
        default=None,
        examples=["202505"],
        description="release of the operating system; without it: the syntax of the newest release (Cumulus Linux: "
        "of 5.15 or later), and only values that every release accepts",
    )
    role: ModelName | None = Field(
        default=None,
        description="leaf connects hosts; with `fabric`: leaf, spine or core; without `fabric`: any name",
    )
    mtu: Positive | None = Field(default=None, description="largest IP packet on every port, in bytes")
    breakout: Positive | None = Field(default=None, description="number of ports per front-panel port")
    classes: dict[str, QueuePart] = Field(
        default_factory=dict, description="traffic class, queue and priority group of each class"
    )
    ecn: EcnPart = Field(default_factory=EcnPart, description="marking thresholds of every marked queue")
    watchdog: WatchdogPart = Field(default_factory=WatchdogPart, description="PFC watchdog")
    buffers: BuffersPart = Field(default_factory=BuffersPart, description="division of the packet buffer")
    load_balancing: LoadBalancingPart = Field(
        default_factory=LoadBalancingPart, description="load balancing over equal-cost paths"
    )
    latency: DurationText | None = Field(
        default=None,
        examples=["700 ns"],
        description="latency of the idle switch, last bit in to first bit out, for headroom, ECN and simulator; "
        "not rendered",
    )
    credit_latency: DurationText | None = Field(
        default=None,
        examples=["2 us"],
        description="part of the latency for a credit of a virtual output queue, for the simulator",
    )
    ports: dict[PortName, PortPart] = Field(default_factory=dict, description="settings of single ports")
    exceptions: dict[str, SwitchPart] = Field(
        default_factory=dict, alias="except", description="settings of some switches of the range"
    )
