"""Cluster and catalogue to plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirespeed.catalogue import Catalogue, load
from wirespeed.cluster import Cluster, SwitchSpec
from wirespeed.errors import did_you_mean
from wirespeed.plan import headroom
from wirespeed.plan.addressing import NicAddress, fabric_addresses, nic_addresses
from wirespeed.plan.affinity import Chassis, chassis_of
from wirespeed.plan.cabling_file import cables_of_file
from wirespeed.plan.classes import traffic_classes
from wirespeed.plan.fabric import Box, HostCable, patterned_cables
from wirespeed.plan.host import HostKind, host_kind
from wirespeed.plan.model import Cable, Computed, Plan
from wirespeed.plan.ports import check_cables, check_mtus, port_uses, vlans_of
from wirespeed.plan.problems import Problems
from wirespeed.plan.switch import PortUse, SwitchKind, switch_kind
from wirespeed.plan.uplinks import switch_cables
from wirespeed.settings import Host, Place, Switch, TrafficClass


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
    lay = patterned_cables if cluster.cabling.file is None else cables_of_file
    cables = lay(cluster, chassis, boxes, problems)
    check_cables(cluster, catalogue, problems)
    problems.stop()
    addresses = nic_addresses(cluster, cables, problems)
    between = switch_cables(cluster, boxes, {cable.cable.b for cable in cables}, problems)
    problems.stop()
    check_mtus(cluster, cables, switch_kinds, boxes, problems)
    all_cables = (*(cable.cable for cable in cables), *between)
    hosts = _hosts(cluster, cables, addresses, host_kinds)
    uses = port_uses(
        cluster, boxes, cables, between, addresses, fabric_addresses(cluster, between, problems), catalogue
    )
    switches = _switches(boxes, uses, vlans_of(boxes, cables, addresses), switch_kinds)
    problems.stop()
    return Plan(
        name=cluster.name,
        hosts=hosts,
        switches=switches,
        roles={**dict.fromkeys(hosts, "host"), **{name: box.spec.role for name, box in boxes.items()}},
        cables=all_cables,
        classes=classes,
        hardware=catalogue,
        computed=_computed(cluster, all_cables, catalogue, boxes, switch_kinds),
        asked=_asked(boxes, switches, switch_kinds),
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
        problems.refuse(
            (*spec.path, "os"), found, f"one of {', '.join(model.systems)}", did_you_mean(name or "", model.systems)
        )
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
    for port, part in spec.part.ports.items():
        if part.speed is not None and part.speed > model.speed.value:
            problems.refuse(
                (*spec.path, "ports", port, "speed"),
                f"{part.speed}",
                f"at most {model.speed.value}, the speed of {spec.model}",
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
    boxes: Mapping[str, Box],
    uses: Mapping[str, Sequence[PortUse]],
    vlans: Mapping[str, Mapping[int, tuple[str, int]]],
    kinds: Mapping[int, SwitchKind],
) -> dict[str, Switch]:
    return {name: kinds[id(box.spec.part)].switch(uses[name], vlans[name]) for name, box in boxes.items()}


def _asked(
    boxes: Mapping[str, Box], switches: Mapping[str, Switch], kinds: Mapping[int, SwitchKind]
) -> dict[tuple[Place, str], object]:
    """Thresholds that the switch can only say rounded, as they were asked for."""
    found: dict[tuple[Place, str], object] = {}
    for name, switch in switches.items():
        for queue, marking in kinds[id(boxes[name].spec.part)].ecn.items():
            for path, value in marking.rounded():
                for port in switch.ports:
                    found[Place(name, (("port", port), ("queue", queue))), path] = value
    return found


def _computed(
    cluster: Cluster,
    cables: Sequence[Cable],
    catalogue: Catalogue,
    boxes: Mapping[str, Box],
    kinds: Mapping[int, SwitchKind],
) -> tuple[Computed, ...]:
    """Every number that a formula gave, each once."""
    found: dict[Computed, None] = {}
    cable_model = catalogue.cables.get(cluster.cabling.cable or "")
    for cable in cables:
        if cable.length is not None:
            found.setdefault(headroom.computed(cable.speed, cable.length, cable_model))
    for name, box in boxes.items():
        for queue, marking in kinds[id(box.spec.part)].ecn.items():
            first = next(other for other in boxes if boxes[other].spec.part is box.spec.part)
            if first == name:
                for entry in marking.computed(box, name, queue):
                    found.setdefault(entry)
    return tuple(found)
