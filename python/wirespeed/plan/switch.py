"""Every setting of a switch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wirespeed.catalogue.model import CableModel, QueueMap
from wirespeed.plan.bgp import Routing
from wirespeed.plan.chip import buffers, load_balancing
from wirespeed.plan.classes import check_strict_shares, full_maps, map_groups, priority_map, queue_maps
from wirespeed.plan.combination import parse_version
from wirespeed.plan.ecn import Thresholds, thresholds
from wirespeed.plan.fabric import Box
from wirespeed.plan.headroom import Headroom, headroom
from wirespeed.plan.problems import Problems
from wirespeed.plan.switch_release import list_oldest_releases
from wirespeed.settings import (
    Congestion,
    Discipline,
    Ecn,
    Link,
    Neighbour,
    Port,
    PortQos,
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
    """The use of a switch port."""

    port: str
    peer: str
    peer_port: str
    speed: Bandwidth
    address: str | None = None  # of a routed port, with prefix length
    vlan: int | None = None  # of a switched port
    length: Length | None = None  # of the cable
    training: bool | None = None  # whether the cable needs link training
    unnumbered: bool | None = None  # of a port to another switch


@dataclass(slots=True)
class SwitchKind:
    """The common settings of switches of one kind."""

    box: Box
    qos: PortQos
    poll: Duration
    classes: Mapping[str, TrafficClass]
    maps: Mapping[str, QueueMap]
    buffers: Buffers
    load_balancing: LoadBalancing
    congestion: Mapping[str, Congestion]  # by queue
    problems: Problems
    cable: CableModel | None = None  # of all cables
    marks: dict[Bandwidth, dict[str, Thresholds]] = field(default_factory=dict)
    queues: dict[Bandwidth, dict[str, Queue]] = field(default_factory=dict)
    links: dict[tuple[Bandwidth, int, str, bool | None], Link] = field(default_factory=dict)
    lengths: dict[Length, Length] = field(default_factory=dict)  # of cables, and those configured for them
    common_lengths: dict[Length, set[Length]] = field(default_factory=dict)  # of a switch, and those of its cables
    headrooms: dict[tuple[Bandwidth, Length, int], Headroom] = field(default_factory=dict)

    def switch(self, uses: Sequence[PortUse], vlans: Mapping[int, tuple[str, int]], routing: Routing) -> Switch:
        """A switch of this kind; ``vlans`` holds the address of each VLAN's routed interface, and its rail."""
        _check_ipv6_sessions(self.box, routing, self.problems)
        return Switch(
            model=self.box.spec.model,
            os=self.box.system_name,
            os_version=self.box.spec.part.os_version,
            chip=self.box.model.chip,
            routing=True,
            loopbacks=routing.loopbacks,
            bgp=routing.bgp,
            peers=routing.peers,
            lldp=True,
            pfc=True if self.box.system.pfc_switch and self.qos.pfc else None,
            watchdog_poll=self.poll if self.qos.watchdog.enabled else None,
            ecn_counters=self._has_ecn_counters() or None,
            class_mtu=self.box.system.class_mtu.value if self.box.system.class_mtu and self.qos.pfc else None,
            load_balancing=self.load_balancing,
            buffers=self.buffers,
            vlans={
                str(number): Vlan(addresses=(address,), mtu=self.mtu, description=f"rail {rail}")
                for number, (address, rail) in sorted(vlans.items())
            },
            ports={use.port: self._build_port(use, length) for use, length in self._list_lengths(uses)},
        )

    @property
    def mtu(self) -> int:
        """Default of the largest IP packet of its ports, in bytes."""
        return self.box.spec.part.mtu or self.box.system.mtu.value

    def port_mtu(self, port: str) -> int:
        """Largest IP packet of a port in bytes."""
        part = self.box.spec.part.ports.get(port)
        return (part and part.mtu) or self.mtu

    def marking(self, speed: Bandwidth | None) -> Mapping[str, Thresholds]:
        """Marking thresholds of a port's queues, by queue."""
        speed = speed or self.box.model.speed.value
        if speed not in self.marks:
            markings = {
                str(int(self.maps[name].queue)): thresholds(
                    self.box, name, traffic_class.congestion, speed, self.problems
                )
                for name, traffic_class in self.classes.items()
            }
            self.marks[speed] = {queue: marking for queue, marking in markings.items() if marking is not None}
        return self.marks[speed]

    def headroom(self, speed: Bandwidth | None, length: Length | None, mtu: int) -> Headroom | None:
        """Headroom of a lossless priority group of a port. None without lossless classes, and for an unknown cable."""
        lossless = len(self.qos.pfc or ())
        if not lossless or speed is None or length is None:
            return None
        key = (speed, length, mtu)
        if key not in self.headrooms:
            self.headrooms[key] = headroom(speed, length, mtu, lossless, self.box.chip, self.cable, self.box.latency)
        return self.headrooms[key]

    def _build_queues(self, speed: Bandwidth) -> Mapping[str, Queue]:
        if speed not in self.queues:
            counter = self.box.system.queue_ecn_counter
            is_counted = None if counter is None else counter.value
            self.queues[speed] = _build_queues(self.classes, self.maps, self.marking(speed), is_counted)
        return self.queues[speed]

    def _has_ecn_counters(self) -> bool:
        """Whether the counters of marked packets are enabled for the whole switch."""
        chips = self.box.system.ecn_counter_chips
        return chips is not None and self.box.model.chip in chips.value and bool(self.marking(None))

    def _build_port(self, use: PortUse, length: Length | None) -> Port:
        part = self.box.spec.part.ports.get(use.port)
        speed = (part and part.speed) or use.speed
        group = self.headroom(speed, length, self.port_mtu(use.port)) if self.box.system.group_profiles else None
        return Port(
            description=(part and part.description) or f"{use.peer} {use.peer_port}",
            link=self._build_link(
                speed,
                self.port_mtu(use.port),
                (part and part.fec) or "rs",
                use.training,
            ),
            breakout=None if self.box.system.speed_splits_ports else self.box.spec.part.breakout,
            cable_length=length,
            headroom=None if group is None else group.size,
            headroom_speed=None if group is None else speed,
            addresses=(use.address,) if use.address else None,
            vlan=use.vlan,
            unnumbered=use.unnumbered,
            signal_monitoring=self.box.system.signal_monitoring.value if self.box.system.signal_monitoring else None,
            qos=self.qos,
            queues=self._build_queues(speed),
            neighbour=Neighbour(use.peer, use.peer_port),
        )

    def _list_lengths(self, uses: Sequence[PortUse]) -> Iterator[tuple[PortUse, Length | None]]:
        """The cable length of each port, for which headroom is planned too."""
        lengths = {use.length for use in uses if use.length is not None}
        if self.box.system.common_cable_length is None or not lengths:
            yield from ((use, self._round_length(use)) for use in uses)
            return
        common = Length.from_unit(max(1, -(-max(lengths) // Length.from_unit(1, "m"))), "m")
        self.common_lengths.setdefault(common, set()).update(lengths)
        yield from ((use, None if use.length is None else common) for use in uses)

    def _round_length(self, use: PortUse) -> Length | None:
        """The next cable length that the system takes."""
        lengths = self.box.system.cable_lengths
        if use.length is None or lengths is None or self.box.model.chip in self.box.system.any_cable_length:
            return use.length
        if use.length not in self.lengths:
            longer = [length for length in sorted(lengths.value) if length >= use.length]
            if not longer:
                self.problems.refuse(
                    self.box.spec.path,
                    f"a cable of {use.length} on {use.port} with {self.box.system.title}",
                    f"at most {max(lengths.value)}",
                    lengths.source,
                )
            self.lengths[use.length] = longer[0] if longer else use.length
        return self.lengths[use.length]

    def _count_lanes(self, speed: Bandwidth) -> int | None:
        """Lanes of a port below the highest speed of the model, where the system configures them."""
        table = self.box.system.speed_lanes
        if table is None or self.box.model.lanes is None:
            return None
        maximum = self.box.model.lanes.value // (self.box.spec.part.breakout or 1)
        usual = table.value.get(speed.whole("Gb/s"))
        return None if usual is None else min(usual, maximum)

    def _build_link(self, speed: Bandwidth, mtu: int, fec: str, training: bool | None) -> Link:
        key = (speed, mtu, fec, training)
        if key not in self.links:
            pause = False if self.box.system.global_pause else None
            model = self.box.model
            full_lanes = model.lanes.value if model.lanes and speed == model.speed.value else self._count_lanes(speed)
            if self.box.system.speed_splits_ports and model.lanes and speed == self.box.speed:
                full_lanes = model.lanes.value // (self.box.spec.part.breakout or 1)
            self.links[key] = Link(
                speed=speed,
                lanes=self.box.fixed_lanes or full_lanes,
                enabled=True,
                up=True,
                mtu=mtu,
                fec=fec,
                training=training,
                pause_receive=pause,
                pause_send=pause,
            )
        return self.links[key]


def switch_kind(
    classes: Mapping[str, TrafficClass], box: Box, cable: CableModel | None, problems: Problems
) -> SwitchKind | None:
    """The common settings of switches with this spec. None, and problems are noted, if it is impossible.

    ``cable`` is the model of all cables, None if it is unknown.
    """
    maps = queue_maps(classes, box, problems)
    if len(maps) != len(classes):
        return None
    _check_image(classes, box, problems)
    check_strict_shares(classes, box, problems)
    dscp_tc, tc_queue, pfc_queue = full_maps(classes, maps)
    tc_pg, pfc_pg = map_groups(classes, maps)
    if not box.system.lossy_pauses:
        lossless_priorities = {traffic_class.priority for traffic_class in classes.values() if traffic_class.lossless}
        pfc_queue = {priority: queue for priority, queue in pfc_queue.items() if priority in lossless_priorities}
    lossless = any(traffic_class.lossless for traffic_class in classes.values())
    part, defaults = box.spec.part.watchdog, box.system.watchdog
    poll = part.poll if part.poll is not None else defaults.poll.value
    kind = SwitchKind(
        box=box,
        qos=PortQos(
            trust="dscp",
            dscp_tc=dscp_tc,
            dot1p_tc=priority_map(classes, maps),
            tc_queue=tc_queue,
            tc_pg=tc_pg,
            pfc_queue=pfc_queue,
            pfc_pg=pfc_pg,
            pfc=frozenset(traffic_class.priority for traffic_class in classes.values() if traffic_class.lossless),
            lossless_groups=frozenset((pfc_pg or {}).values()) or None if box.system.group_profiles else None,
            watchdog=_build_watchdog(box, poll, problems) if lossless else Watchdog(),
        ),
        poll=poll,
        classes=classes,
        maps=maps,
        buffers=buffers(box, lossless, problems),
        load_balancing=load_balancing(box),
        congestion={
            str(int(maps[name].queue)): traffic_class.congestion
            for name, traffic_class in classes.items()
            if traffic_class.congestion is not None
        },
        problems=problems,
        cable=cable,
    )
    kind.marking(None)  # refuses thresholds that are wrong at every speed
    return kind


def _build_watchdog(box: Box, poll: Duration, problems: Problems) -> Watchdog:
    """The watchdog that the cluster file and the defaults configure; none by default on a release that has none."""
    part, defaults = box.spec.part.watchdog, box.system.watchdog
    release, oldest = box.spec.part.os_version, defaults.oldest_release
    is_by_default = (part.action, part.detect, part.restore, part.poll) == (None, None, None, None)
    is_missing = release is not None and oldest is not None and parse_version(release) < parse_version(oldest.value)
    if is_by_default and is_missing and oldest is not None:
        problems.warn(
            (*box.spec.path, "os_version"),
            f"{box.system.title} {release}, without PFC watchdog: none is configured, a stuck queue stays paused",
            f"{oldest.value} or later",
            oldest.source,
        )
        return Watchdog()
    return Watchdog(
        enabled=True,
        action=part.action or defaults.action.value,
        detect=part.detect if part.detect is not None else defaults.detect.value,
        restore=part.restore if part.restore is not None else defaults.restore.value if defaults.restore else None,
        recovery=defaults.recovery.value if defaults.recovery else None,
        poll=poll if defaults.port_poll and defaults.port_poll.value else None,
    )


def _check_ipv6_sessions(box: Box, routing: Routing, problems: Problems) -> None:
    """Warn where earlier releases would load the files and exchange no IPv6 routes; the platform refuses known ones."""
    oldest = box.system.ipv6_session_release
    if box.spec.part.os_version is None and oldest is not None and any(peer.ipv6 for peer in routing.peers.values()):
        problems.warn(
            box.spec.path,
            f"no os_version: the BGP sessions exchange IPv6 routes from {box.system.title} {oldest.value} on only",
            "os_version, because earlier releases silently exchange no route",
            f"add the release that the switch runs, such as os_version: {oldest.value}; source: {oldest.source}",
        )


def _check_image(classes: Mapping[str, TrafficClass], box: Box, problems: Problems) -> None:
    """Refuse a release that is too old, warn of an unknown one, and refuse a lossless class without its buffers."""
    release = box.spec.part.os_version
    for name, oldest in list_oldest_releases(box.system, box.model, box.spec.model, box.system_name):
        if release is not None and parse_version(release) < parse_version(oldest.value):
            problems.refuse(
                (*box.spec.path, "os_version"),
                f"{box.system.title} {release}{name}",
                f"{oldest.value} or later",
                f"upgrade the switch, then write its release as os_version; source: {oldest.source}",
            )
            break
    unreleased = box.model.systems_without_image
    if unreleased is not None and box.system_name in unreleased.value:
        problems.warn(
            box.spec.path,
            f"{box.spec.model} with {box.system.title}: no public release supports this switch",
            "the image of the switch's vendor",
            f"compare its port names and lanes with `wirespeed plan --cables`; source: {unreleased.source}",
        )
    newest = box.system.newest_commands
    if release is None and newest is not None:
        problems.warn(
            box.spec.path,
            f"no os_version: the files have the commands of {box.system.title} {newest.value} or later",
            "os_version, because earlier releases have other commands",
            f"add the release that the switch runs, such as os_version: {newest.value}",
        )
    releases = box.system.known_releases
    if release is not None and releases is not None:
        first, last = releases.value
        if len(parse_version(release)) < len(parse_version(first)):
            problems.refuse(
                (*box.spec.path, "os_version"),
                f"{release}, which is no release of {box.system.title}",
                f"a release such as {last}",
                f"write the release as the switch prints it; range: {releases.source}",
            )
        elif not parse_version(first)[:2] <= parse_version(release)[:2] <= parse_version(last)[:2]:
            problems.warn(
                (*box.spec.path, "os_version"),
                f"{box.system.title} {release}, an unknown release: its commands are not checked",
                f"a release from {first} to {last}",
                f"compare the rendered commands with the switch's documentation; range: {releases.source}",
            )
    lossy, lossless = box.model.systems_without_lossless_buffers, [name for name in classes if classes[name].lossless]
    if lossless and lossy is not None and box.system_name not in box.model.lossless_systems:
        problems.refuse(
            box.spec.path,
            f"the lossless class {lossless[0]} on {box.spec.model} with {box.system.title}",
            "lossy classes: the image defines no lossless buffers for this switch, so packets would be lost",
            f"use another switch, or write `lossless: false`; source: {lossy.source}",
        )


def _build_queues(
    classes: Mapping[str, TrafficClass],
    maps: Mapping[str, QueueMap],
    markings: Mapping[str, Thresholds],
    ecn_counter: bool | None,
) -> dict[str, Queue]:
    """The queues that classes use, in their order; classes in one queue add their shares.

    ``ecn_counter`` is that of queues that mark.
    """
    shares: dict[int, int] = {}
    strict: set[int] = set()
    for name, traffic_class in classes.items():
        queue = int(maps[name].queue)
        shares[queue] = shares.get(queue, 0) + (traffic_class.share or 0)
        if traffic_class.strict:
            strict.add(queue)
    return {
        str(queue): Queue(
            discipline=Discipline.STRICT if queue in strict else Discipline.DWRR,
            weight=shares[queue] or None if queue in strict else shares[queue],
            ecn_counter=ecn_counter if str(queue) in markings else None,
            ecn=markings[str(queue)].effective if str(queue) in markings else Ecn(),
        )
        for queue in sorted(shares)
    }
