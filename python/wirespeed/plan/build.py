"""Cluster and catalogue to plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirespeed.catalogue import Catalogue, load
from wirespeed.cluster import Cluster, Scheme, SwitchSpec
from wirespeed.errors import did_you_mean
from wirespeed.plan import headroom
from wirespeed.plan.addressing import NicAddress, nic_addresses
from wirespeed.plan.affinity import Chassis, chassis_of
from wirespeed.plan.classes import traffic_classes
from wirespeed.plan.fabric import Box, HostCable, doubled_ends, host_cables, switch_cables
from wirespeed.plan.host import HostKind, host_kind
from wirespeed.plan.model import Cable, Computed, Plan
from wirespeed.plan.problems import Problems
from wirespeed.plan.switch import PortUse, SwitchKind, switch_kind
from wirespeed.settings import Host, Place, Switch, TrafficClass, Vlan


def build(cluster: Cluster, catalogue: Catalogue | None = None) -> Plan:
    """The plan of a cluster.

    Raises:
        Refused: the cluster is impossible; every reason with its line of the cluster file.
    """
    catalogue = catalogue or load()
    problems = Problems(cluster.origin)
    classes = traffic_classes(cluster, problems)
    chassis = _chassis(cluster, catalogue, problems)
    boxes = _boxes(cluster, catalogue, problems)
    problems.stop()
    host_kinds = _host_kinds(cluster, chassis, classes, catalogue, problems)
    switch_kinds = _switch_kinds(classes, boxes, problems)
    cables = host_cables(cluster, chassis, boxes, problems)
    problems.stop()
    addresses = nic_addresses(cluster, cables, problems)
    between = switch_cables(cluster, boxes, {cable.cable.b for cable in cables}, problems)
    problems.stop()
    all_cables = (*(cable.cable for cable in cables), *between)
    for end in doubled_ends(all_cables):
        problems.refuse(("cabling",), f"two cables in {end.device} {end.port}", "one cable in a port")
    problems.stop()
    hosts = _hosts(cluster, cables, addresses, host_kinds)
    switches = _switches(cluster, boxes, cables, between, addresses, switch_kinds)
    return Plan(
        name=cluster.name,
        hosts=hosts,
        switches=switches,
        roles={**dict.fromkeys(hosts, "host"), **{name: box.spec.role for name, box in boxes.items()}},
        cables=all_cables,
        classes=classes,
        hardware=catalogue,
        computed=_computed(all_cables, switch_kinds),
        asked=_asked(switches, switch_kinds),
        origins={
            **{name: cluster.origin.at(*spec.path) for name, spec in cluster.hosts.items()},
            **{name: cluster.origin.at(*spec.path) for name, spec in cluster.switches.items()},
        },
        warnings=tuple(problems.warned),
    )


def _chassis(cluster: Cluster, catalogue: Catalogue, problems: Problems) -> dict[str, Chassis]:
    """By host; hosts of one spec share one chassis."""
    made: dict[int, Chassis | None] = {}
    found: dict[str, Chassis] = {}
    for name, spec in cluster.hosts.items():
        if id(spec.part) not in made:
            made[id(spec.part)] = chassis_of(spec, catalogue, problems)
        chassis = made[id(spec.part)]
        if chassis is not None:
            found[name] = chassis
    return found


def _boxes(cluster: Cluster, catalogue: Catalogue, problems: Problems) -> dict[str, Box]:
    made: dict[int, Box | None] = {}
    found: dict[str, Box] = {}
    for name, spec in cluster.switches.items():
        if id(spec.part) not in made:
            made[id(spec.part)] = _box(spec, catalogue, problems)
        box = made[id(spec.part)]
        if box is not None:
            found[name] = box
    return found


def _box(spec: SwitchSpec, catalogue: Catalogue, problems: Problems) -> Box | None:
    model = catalogue.switches.get(spec.model)
    if model is None:
        known = sorted(catalogue.switches)
        problems.refuse(
            (*spec.path, "model"),
            f"the switch model {spec.model!r}",
            f"one of {', '.join(known)}",
            did_you_mean(spec.model, known),
        )
        return None
    name = spec.os or (model.systems[0] if len(model.systems) == 1 else None)
    system = catalogue.switch_systems.get(name) if name in model.systems and name else None
    if name is None or system is None:
        found = f"the operating system {name!r} on {spec.model}" if name else f"no 'os' for {spec.model}"
        problems.refuse((*spec.path, "os"), found, f"one of {', '.join(model.systems)}")
        return None
    ports = tuple(system.port_name.format(port=number) for number in range(1, model.ports.value + 1))
    for port in spec.part.ports:
        if port not in ports:
            problems.refuse(
                (*spec.path, "ports", port),
                f"the port {port!r}",
                f"a port from {ports[0]} to {ports[-1]}",
                did_you_mean(port, ports),
            )
    return Box(spec, model, system, name, ports)


def _host_kinds(
    cluster: Cluster,
    chassis: Mapping[str, Chassis],
    classes: dict[str, TrafficClass],
    catalogue: Catalogue,
    problems: Problems,
) -> dict[int, HostKind]:
    kinds: dict[int, HostKind] = {}
    for name, found in chassis.items():
        spec = cluster.hosts[name]
        if id(spec.part) not in kinds:
            kind = host_kind(cluster, spec, found, classes, catalogue, problems)
            if kind is not None:
                kinds[id(spec.part)] = kind
    return kinds


def _switch_kinds(
    classes: Mapping[str, TrafficClass], boxes: Mapping[str, Box], problems: Problems
) -> dict[int, SwitchKind]:
    kinds: dict[int, SwitchKind] = {}
    for box in boxes.values():
        if id(box.spec.part) not in kinds:
            kind = switch_kind(classes, box, problems)
            if kind is not None:
                kinds[id(box.spec.part)] = kind
    return kinds


def _hosts(
    cluster: Cluster,
    cables: Sequence[HostCable],
    addresses: Mapping[tuple[str, str], NicAddress],
    kinds: Mapping[int, HostKind],
) -> dict[str, Host]:
    of: dict[str, list[HostCable]] = {}
    for cable in cables:
        of.setdefault(cable.host, []).append(cable)
    return {
        name: kinds[id(spec.part)].host(
            [addresses[name, cable.seat.interface] for cable in of[name]], [cable.cable.speed for cable in of[name]]
        )
        for name, spec in cluster.hosts.items()
    }


def _switches(
    cluster: Cluster,
    boxes: Mapping[str, Box],
    cables: Sequence[HostCable],
    between: Sequence[Cable],
    addresses: Mapping[tuple[str, str], NicAddress],
    kinds: Mapping[int, SwitchKind],
) -> dict[str, Switch]:
    uses: dict[str, list[PortUse]] = {name: [] for name in boxes}
    vlans: dict[str, dict[int, tuple[str, int]]] = {name: {} for name in boxes}
    for cable in cables:
        at = addresses[cable.host, cable.seat.interface]
        routed = cluster.addresses.scheme is Scheme.LINK_31
        uses[cable.switch].append(
            PortUse(
                port=cable.port,
                peer=cable.host,
                peer_port=cable.seat.interface,
                speed=cable.cable.speed,
                address=at.gateway_with_prefix if routed else None,
                vlan=at.vlan,
            )
        )
        if at.vlan is not None:
            vlans[cable.switch][at.vlan] = (at.gateway_with_prefix, cable.seat.rail)
    for link in between:
        for end in (link.a, link.b):
            other = link.other(end.device)
            uses[end.device].append(PortUse(end.port, other.device, other.port, link.speed))
    switches: dict[str, Switch] = {}
    for name, box in boxes.items():
        kind = kinds[id(box.spec.part)]
        order = {port: index for index, port in enumerate(box.ports)}
        switches[name] = kind.switch(
            sorted(uses[name], key=lambda use: order[use.port]),
            {
                str(number): Vlan(addresses=(address,), mtu=kind.mtu, description=f"rail {rail}")
                for number, (address, rail) in sorted(vlans[name].items())
            },
        )
    return switches


def _asked(switches: Mapping[str, Switch], kinds: Mapping[int, SwitchKind]) -> dict[tuple[Place, str], object]:
    return {}


def _computed(cables: Sequence[Cable], kinds: Mapping[int, SwitchKind]) -> tuple[Computed, ...]:
    found: dict[Computed, None] = {}
    for cable in cables:
        if cable.length is not None:
            found.setdefault(headroom.computed(cable.speed, cable.length))
    return tuple(found)
