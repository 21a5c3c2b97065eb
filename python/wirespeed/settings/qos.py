"""Quality of service. A traffic class has seven numbers, each with a separate type, so that they are not confused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, ClassVar, Self

from wirespeed.settings.model import Compare, Setting
from wirespeed.units import Bandwidth, Duration, Size, TypedInteger


class Number(TypedInteger):
    """A small number of one numbering space. Creating one checks its range.

    ``space`` is the name of the numbering space, ``noun`` that of one of its numbers where the device is known.
    """

    space: ClassVar[str] = "number"
    noun: ClassVar[str] = "number"
    last: ClassVar[int] = 7

    def __new__(cls, value: int) -> Self:
        if not 0 <= value <= cls.last:
            raise ValueError(f"{cls.space} {value} is not in 0-{cls.last}")
        return super().__new__(cls, value)

    def __str__(self) -> str:
        return str(int(self))


class Dscp(Number):
    """Differentiated services code point in the IP header (RFC 2474). All devices must use the same one."""

    space = "DSCP"
    noun = "DSCP"
    last = 63

    @property
    def tos(self) -> int:
        """The IPv4 ToS byte, or IPv6 traffic class, that carries this code point with ECN bits 00."""
        return int(self) << 2


class Priority(Number):
    """802.1p priority, which a PFC frame pauses (IEEE 802.1Q). Both ends of a link must use the same one."""

    space = "802.1p priority"
    noun = "priority"


class NicTrafficClass(Number):
    """Traffic class of a NIC. ETS shares bandwidth between them (IEEE 802.1Q clause 37)."""

    space = "NIC traffic class"
    noun = "traffic class"


class NicCosQueue(Number):
    """Hardware class-of-service queue of a NIC, device-specific."""

    space = "NIC CoS queue"
    noun = "CoS queue"


class SwitchTrafficClass(Number):
    """Internal traffic class that a switch assigns to an arriving packet."""

    space = "switch traffic class"
    noun = "traffic class"


class SwitchQueue(Number):
    """Egress queue of a switch port."""

    space = "switch queue"
    noun = "queue"


class PriorityGroup(Number):
    """Ingress priority group of a switch port. Buffer and headroom are accounted per group."""

    space = "priority group"
    noun = "priority group"


class Congestion(StrEnum):
    """Congestion control of a traffic class."""

    DCQCN_P = "dcqcn-p"  # probabilistic marking: a slope
    DCQCN_D = "dcqcn-d"  # deterministic marking: a step


class Ect(StrEnum):
    """ECN field of a packet that was not marked (RFC 3168, section 5)."""

    NOT_ECT = "not-ect"  # the switch drops it where it would mark an ECN-capable packet
    ECT1 = "ect1"
    ECT0 = "ect0"

    @property
    def bits(self) -> int:
        """The two low bits of the ToS byte."""
        return {Ect.NOT_ECT: 0, Ect.ECT1: 1, Ect.ECT0: 2}[self]


class Discipline(StrEnum):
    """Scheduling discipline of a queue."""

    STRICT = "strict"
    DWRR = "dwrr"


class WatchdogAction(StrEnum):
    """Action of a PFC watchdog for a stuck queue."""

    DROP = "drop"
    FORWARD = "forward"  # pauses are ignored, packets are sent
    ALERT = "alert"  # only reported
    ERRDISABLE = "errdisable"  # the port is switched off


class WatchdogRecovery(StrEnum):
    """What a PFC watchdog restores a stuck queue after."""

    AUTO = "auto"  # the recovery time without pauses
    FORCED = "forced"  # the recovery time, whether pauses still arrive or not


@dataclass(frozen=True, slots=True)
class Ecn:
    """WRED marking of ECN-capable packets on one egress queue."""

    enabled: Annotated[bool | None, Setting("ECN marking of the queue")] = None
    minimum: Annotated[
        Size | None,
        Setting("queue depth at which marking starts (minimum threshold, Kmin)", "bytes", Compare.WITHIN_3_PERCENT),
    ] = None
    maximum: Annotated[
        Size | None,
        Setting(
            "queue depth above which every packet is marked (maximum threshold, Kmax)",
            "bytes",
            Compare.WITHIN_3_PERCENT,
        ),
    ] = None
    minimum_fill: Annotated[int | None, Setting("start of marking as a share of the queue's buffer", "percent")] = None
    maximum_fill: Annotated[
        int | None, Setting("marking of every packet as a share of the queue's buffer", "percent")
    ] = None
    probability: Annotated[int | None, Setting("marking probability at the maximum threshold (Pmax)", "percent")] = None


@dataclass(frozen=True, slots=True)
class Queue:
    """One egress queue of a switch port."""

    kind: ClassVar[str] = "queue"

    discipline: Annotated[Discipline | None, Setting("scheduling of the queue")] = None
    weight: Annotated[int | None, Setting("share of the bandwidth after strict queues", "percent")] = None
    guaranteed: Annotated[int | None, Setting("guaranteed share of the line rate", "percent")] = None
    shape: Annotated[Bandwidth | None, Setting("largest sending rate of the queue; 0: no shaper", "b/s")] = None
    ecn_counter: Annotated[bool | None, Setting("counter of the packets that the queue marks (ECN)")] = None
    ecn: Ecn = field(default_factory=Ecn)


@dataclass(frozen=True, slots=True)
class Watchdog:
    """PFC watchdog of a switch port."""

    enabled: Annotated[bool | None, Setting("PFC watchdog of the port")] = None
    action: Annotated[WatchdogAction | None, Setting("action for a stuck queue")] = None
    detect: Annotated[Duration | None, Setting("pause duration for the detection of a stuck queue", "ps")] = None
    restore: Annotated[Duration | None, Setting("pause-free time before restoration", "ps")] = None
    recovery: Annotated[
        WatchdogRecovery | None,
        Setting("restoration after a time without pauses (auto), or even with them (forced)"),
    ] = None
    poll: Annotated[
        Duration | None, Setting("polling interval of the port, on a system that has one for each port", "ps")
    ] = None
    active: Annotated[
        bool | None, Setting("whether the watchdog is active on a queue of the port now", compare=Compare.NONE)
    ] = None
    stuck_queues: Annotated[
        frozenset[SwitchQueue] | None, Setting("queues on which the watchdog is active now", compare=Compare.NONE)
    ] = None
    priorities: Annotated[
        frozenset[Priority] | None,
        Setting("priorities with watchdog, on a switch that configures them separately from PFC", compare=Compare.NONE),
    ] = None


@dataclass(frozen=True, slots=True)
class PortQos:
    """Traffic classes of a switch port. The maps are those in effect on the port."""

    trust: Annotated[str | None, Setting("header field for classification: dscp, dot1p or both")] = None
    dscp_tc: Annotated[
        Mapping[Dscp, SwitchTrafficClass] | None,
        Setting("classification: DSCP to switch traffic class", compare=Compare.CONTAINS),
    ] = None
    tc_queue: Annotated[
        Mapping[SwitchTrafficClass, SwitchQueue] | None,
        Setting("switch traffic class to egress queue", compare=Compare.CONTAINS),
    ] = None
    tc_pg: Annotated[
        Mapping[SwitchTrafficClass, PriorityGroup] | None,
        Setting("map of the switch traffic class to its ingress priority group", compare=Compare.CONTAINS),
    ] = None
    pfc_queue: Annotated[
        Mapping[Priority, SwitchQueue] | None,
        Setting(
            "map of the PFC priority of a received pause to the egress queue that it pauses", compare=Compare.CONTAINS
        ),
    ] = None
    pfc_pg: Annotated[
        Mapping[Priority, PriorityGroup] | None,
        Setting("map of the PFC priority of a sent pause to its ingress priority group", compare=Compare.CONTAINS),
    ] = None
    dot1p_tc: Annotated[
        Mapping[Priority, SwitchTrafficClass] | None,
        Setting("classification: 802.1p priority to switch traffic class", compare=Compare.CONTAINS),
    ] = None
    tc_dscp: Annotated[
        Mapping[SwitchTrafficClass, Dscp] | None,
        Setting("rewriting: switch traffic class to DSCP of outgoing packets"),
    ] = None
    undefined_maps: Annotated[
        tuple[str, ...] | None,
        Setting("maps that the port uses and the configuration does not define", compare=Compare.NONE),
    ] = None
    pfc: Annotated[frozenset[Priority] | None, Setting("lossless priorities (PFC)")] = None
    lossless_groups: Annotated[
        frozenset[PriorityGroup] | None,
        Setting("ingress priority groups with a lossless buffer profile", compare=Compare.CONTAINS, observed=True),
    ] = None
    pfc_active: Annotated[bool | None, Setting("whether PFC is active on the port now", compare=Compare.NONE)] = None
    watchdog: Watchdog = field(default_factory=Watchdog)


@dataclass(frozen=True, slots=True)
class NicQos:
    """Traffic classes of a NIC."""

    trust: Annotated[str | None, Setting("header field for classification: dscp or dot1p")] = None
    willing: Annotated[bool | None, Setting("QoS configuration received from the switch (DCBX willing)")] = None
    priority_tc: Annotated[
        Mapping[Priority, NicTrafficClass] | None, Setting("802.1p priority to NIC traffic class")
    ] = None
    priority_cos: Annotated[
        Mapping[Priority, NicCosQueue] | None,
        Setting("802.1p priority to hardware class-of-service queue of the NIC", compare=Compare.CONTAINS),
    ] = None
    tc_discipline: Annotated[
        Mapping[NicTrafficClass, Discipline] | None,
        Setting("scheduling of each NIC traffic class", compare=Compare.CONTAINS),
    ] = None
    tc_share: Annotated[
        Mapping[NicTrafficClass, int] | None,
        Setting("ETS bandwidth of each NIC traffic class", "percent", Compare.CONTAINS),
    ] = None
    tc_rate_limit: Annotated[
        Mapping[NicTrafficClass, int] | None,
        Setting("largest sending rate of each NIC traffic class, of the line rate", "percent", Compare.CONTAINS),
    ] = None
    pfc: Annotated[frozenset[Priority] | None, Setting("lossless priorities (PFC)")] = None
    dscp_priority: Annotated[
        Mapping[Dscp, Priority] | None, Setting("DSCP to 802.1p priority", compare=Compare.CONTAINS)
    ] = None
    roce_dscp: Annotated[Dscp | None, Setting("DSCP of sent RoCEv2 data")] = None
    connection_dscp: Annotated[
        Dscp | None,
        Setting("default DSCP of connections; 0: the driver selects it", compare=Compare.NONE, observed=True),
    ] = None
    roce_priority: Annotated[Priority | None, Setting("priority of sent RoCEv2 data")] = None
    cnp_dscp: Annotated[Dscp | None, Setting("DSCP of sent congestion notification packets (CNPs)")] = None
    cnp_priority: Annotated[Priority | None, Setting("priority of sent congestion notification packets (CNPs)")] = None
    roce_share: Annotated[int | None, Setting("ETS bandwidth of the RoCE traffic class", "percent")] = None
    congestion: Annotated[Congestion | None, Setting("congestion control algorithm of the NIC")] = None
    ecn: Annotated[bool | None, Setting("congestion control of the NIC")] = None
    ecn_priorities: Annotated[frozenset[Priority] | None, Setting("priorities under congestion control of the NIC")] = (
        None
    )
    ect: Annotated[Ect | None, Setting("ECN code point of sent RoCEv2 data")] = None
    congestion_parameters: Annotated[
        Mapping[str, int] | None,
        Setting("parameters of the NIC's congestion control, as its driver names them", compare=Compare.CONTAINS),
    ] = None
    priority_buffer: Annotated[
        Mapping[Priority, int] | None, Setting("802.1p priority to receive buffer of the NIC", compare=Compare.CONTAINS)
    ] = None
    buffer_size: Annotated[
        Mapping[int, Size] | None, Setting("size of each receive buffer of the NIC", "bytes", Compare.CONTAINS)
    ] = None
    configure: Annotated[bool | None, Setting("RoCE QoS configuration at driver load")] = None
    package_functions: Annotated[
        frozenset[str] | None,
        Setting(
            "functions that the file of the QoS package enables at driver load: pfc, congestion-control",
            compare=Compare.NONE,
            observed=True,
        ),
    ] = None
    absent_file: Annotated[
        str | None,
        Setting("configuration file of the QoS package that does not exist", compare=Compare.NONE, observed=True),
    ] = None
    override: Annotated[
        bool | None,
        Setting("the configuration file of the QoS package contains `OVERRIDE=1`", compare=Compare.NONE, observed=True),
    ] = None
    cnp_class: Annotated[
        bool | None,
        Setting("the firmware supports a traffic class for CNPs", compare=Compare.NONE, observed=True),
    ] = None


@dataclass(frozen=True, slots=True)
class TrafficClass:
    """One traffic class of the cluster with its seven numbers.

    The cluster file sets DSCP and priority. The other numbers come from the data of NIC and switch OS.
    """

    name: str
    dscp: frozenset[Dscp]
    priority: Priority
    lossless: bool
    strict: bool
    share: int | None  # percent of the bandwidth; None for a strict class
    congestion: Congestion | None
    sent_dscp: Dscp | None = None  # of packets that NICs send; None: the lowest of the class
    by_priority: bool = False  # whether switches assign tagged frames without an IP header by their 802.1p priority

    @property
    def nic_dscp(self) -> Dscp | None:
        """The DSCP of packets that NICs send. None for a class without DSCPs."""
        return self.sent_dscp if self.sent_dscp is not None else min(self.dscp, default=None)
