"""Every setting of a switch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wirespeed.catalogue.model import QueueMap
from wirespeed.plan.bgp import Routing
from wirespeed.plan.chip import buffers, load_balancing
from wirespeed.plan.classes import full_maps, queue_maps
from wirespeed.plan.ecn import Thresholds, thresholds
from wirespeed.plan.fabric import Box
from wirespeed.plan.problems import Problems
from wirespeed.settings import (
    Congestion,
    Discipline,
    Ecn,
    Link,
    Neighbour,
    Port,
    PortQos,
    Priority,
    PriorityGroup,
    Queue,
    Switch,
    TrafficClass,
    Vlan,
    Watchdog,
)
from wirespeed.settings.fabric import Buffers, LoadBalancing
from wirespeed.units import Bandwidth, Duration, Length


@dataclass(frozen=True, slots=True)
class PortUse:
    """What a port is used for."""

    port: str
    peer: str
    peer_port: str
    speed: Bandwidth
    address: str | None = None  # of a routed port, with prefix length
    vlan: int | None = None  # of a switched port
    length: Length | None = None  # of the cable
    training: bool | None = None  # whether the cable needs it
    unnumbered: bool | None = None  # of a port to another switch


@dataclass(slots=True)
class SwitchKind:
    """All that switches of one kind share."""

    box: Box
    qos: PortQos
    poll: Duration
    classes: Mapping[str, TrafficClass]
    at: Mapping[str, QueueMap]
    buffers: Buffers
    load_balancing: LoadBalancing
    congestion: Mapping[str, Congestion]  # by queue
    problems: Problems
    marks: dict[Bandwidth, dict[str, Thresholds]] = field(default_factory=dict)
    queues: dict[Bandwidth, dict[str, Queue]] = field(default_factory=dict)
    links: dict[tuple[Bandwidth, int, str, bool | None], Link] = field(default_factory=dict)

    def switch(self, uses: Sequence[PortUse], vlans: Mapping[int, tuple[str, int]], routing: Routing) -> Switch:
        """A switch of this kind; ``vlans`` holds the address of each VLAN's routed interface, and its rail."""
        return Switch(
            model=self.box.spec.model,
            os=self.box.system_name,
            chip=self.box.model.chip,
            routing=True,
            loopbacks=routing.loopbacks,
            bgp=routing.bgp,
            peers=routing.peers,
            lldp=True,
            pfc=True if self.box.system.pfc_switch and self.qos.pfc else None,
            watchdog_poll=self.poll if self.qos.pfc else None,
            load_balancing=self.load_balancing,
            buffers=self.buffers,
            vlans={
                str(number): Vlan(addresses=(address,), mtu=self.mtu, description=f"rail {rail}")
                for number, (address, rail) in sorted(vlans.items())
            },
            ports={use.port: self._port(use) for use in uses},
        )

    @property
    def mtu(self) -> int:
        """Largest IP packet of its ports in bytes, unless the cluster file sets a port's own."""
        return self.box.spec.part.mtu or self.box.system.mtu.value

    def port_mtu(self, port: str) -> int:
        """Largest IP packet of a port in bytes."""
        part = self.box.spec.part.ports.get(port)
        return (part and part.mtu) or self.mtu

    def marking(self, speed: Bandwidth | None) -> Mapping[str, Thresholds]:
        """Marking thresholds of a port's queues, by queue."""
        speed = speed or self.box.model.speed.value
        if speed not in self.marks:
            found = {
                str(int(self.at[name].queue)): thresholds(
                    self.box, name, traffic_class.congestion, speed, self.problems
                )
                for name, traffic_class in self.classes.items()
            }
            self.marks[speed] = {queue: marking for queue, marking in found.items() if marking is not None}
        return self.marks[speed]

    def _queues(self, speed: Bandwidth) -> Mapping[str, Queue]:
        if speed not in self.queues:
            self.queues[speed] = _queues(self.classes, self.at, self.marking(speed))
        return self.queues[speed]

    def _port(self, use: PortUse) -> Port:
        part = self.box.spec.part.ports.get(use.port)
        speed = (part and part.speed) or use.speed
        return Port(
            description=(part and part.description) or f"{use.peer} {use.peer_port}",
            link=self._link(
                speed,
                self.port_mtu(use.port),
                (part and part.fec) or "rs",
                use.training,
            ),
            breakout=self.box.spec.part.breakout,
            cable_length=use.length,
            addresses=(use.address,) if use.address else None,
            vlan=use.vlan,
            unnumbered=use.unnumbered,
            qos=self.qos,
            queues=self._queues(speed),
            neighbour=Neighbour(use.peer, use.peer_port),
        )

    def _link(self, speed: Bandwidth, mtu: int, fec: str, training: bool | None) -> Link:
        key = (speed, mtu, fec, training)
        if key not in self.links:
            pause = False if self.box.system.global_pause else None
            model = self.box.model
            self.links[key] = Link(
                speed=speed,
                lanes=model.lanes.value if model.lanes and speed == model.speed.value else None,
                enabled=True,
                up=True,
                mtu=mtu,
                fec=fec,
                training=training,
                pause_receive=pause,
                pause_send=pause,
            )
        return self.links[key]


def _pfc_groups(classes: Mapping[str, TrafficClass], at: Mapping[str, QueueMap]) -> dict[Priority, PriorityGroup]:
    return {found.priority: at[name].priority_group for name, found in classes.items() if found.lossless}


def switch_kind(classes: Mapping[str, TrafficClass], box: Box, problems: Problems) -> SwitchKind | None:
    """What switches with this spec share; None, with the reasons among the problems, when it is impossible."""
    at = queue_maps(classes, box, problems)
    if len(at) != len(classes):
        return None
    dscp_tc, tc_queue, tc_pg, pfc_queue = full_maps(classes, at)
    part, defaults = box.spec.part.watchdog, box.system.watchdog
    if not box.system.lossy_pauses:
        lossless_ones = {found.priority for found in classes.values() if found.lossless}
        pfc_queue = {priority: queue for priority, queue in pfc_queue.items() if priority in lossless_ones}
    lossless = any(found.lossless for found in classes.values())
    watchdog = Watchdog(
        enabled=True,
        action=part.action or defaults.action.value,
        detect=part.detect if part.detect is not None else defaults.detect.value,
        restore=part.restore if part.restore is not None else defaults.restore.value if defaults.restore else None,
    )
    poll = part.poll if part.poll is not None else defaults.poll.value
    kind = SwitchKind(
        box=box,
        qos=PortQos(
            trust="dscp",
            dscp_tc=dscp_tc,
            tc_queue=tc_queue,
            tc_pg=tc_pg if box.system.priority_groups else None,
            pfc_queue=pfc_queue,
            pfc_pg=_pfc_groups(classes, at) if box.system.priority_groups else None,
            pfc=frozenset(found.priority for found in classes.values() if found.lossless),
            watchdog=watchdog if lossless else Watchdog(),
        ),
        poll=poll,
        classes=classes,
        at=at,
        buffers=buffers(box, lossless, problems),
        load_balancing=load_balancing(box),
        congestion={
            str(int(at[name].queue)): traffic_class.congestion
            for name, traffic_class in classes.items()
            if traffic_class.congestion is not None
        },
        problems=problems,
    )
    kind.marking(None)  # refuses what no speed makes possible
    return kind


def _queues(
    classes: Mapping[str, TrafficClass], at: Mapping[str, QueueMap], marked: Mapping[str, Thresholds]
) -> dict[str, Queue]:
    """The queues that classes use, in their order; classes in one queue add their shares."""
    shares: dict[int, int] = {}
    strict: set[int] = set()
    for name, found in classes.items():
        queue = int(at[name].queue)
        shares[queue] = shares.get(queue, 0) + (found.share or 0)
        if found.strict:
            strict.add(queue)
    return {
        str(queue): Queue(
            discipline=Discipline.STRICT if queue in strict else Discipline.DWRR,
            weight=None if queue in strict else shares[queue],
            ecn=marked[str(queue)].effective if str(queue) in marked else Ecn(),
        )
        for queue in sorted(shares)
    }
