"""Computes the plan from cluster and catalogue."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from wirespeed.catalogue import Catalogue, load
from wirespeed.cluster import Cluster, Pattern, SwitchSpec
from wirespeed.errors import did_you_mean, format_choices
from wirespeed.plan.addresses import NicAddress, fabric_addresses, nic_addresses
from wirespeed.plan.affinity import build_chassis
from wirespeed.plan.back_to_back import back_to_back
from wirespeed.plan.bgp import plan_routing
from wirespeed.plan.cabling_file import cables_of_file
from wirespeed.plan.classes import check_paused_queues, traffic_classes
from wirespeed.plan.computed_values import list_computed_values
from wirespeed.plan.control_loop import loop
from wirespeed.plan.fabric import Box, HostCable, build_pattern_cables, list_domains, port_names
from wirespeed.plan.hardware import add_hardware
from wirespeed.plan.host import HostKind, host_kind
from wirespeed.plan.latency import check_latency, find_latency
from wirespeed.plan.launch_differences import mark_host_settings
from wirespeed.plan.memory import combine_chips
from wirespeed.plan.model import Plan
from wirespeed.plan.pattern import check_roles, list_bundles
from wirespeed.plan.ports import check_cable_speeds, check_cables, check_lanes, check_mtus, list_vlans, port_uses
from wirespeed.plan.problems import Problems, sort_by_line
from wirespeed.plan.routing import find_covering_network
from wirespeed.plan.switch import SwitchKind, switch_kind
from wirespeed.plan.tiers import check_connections, check_uplinks
from wirespeed.plan.uplinks import count_uplinks, switch_cables
from wirespeed.settings import Host, Place, Switch


def build(cluster: Cluster, catalogue: Catalogue | None = None) -> Plan:
    """The plan of a cluster.

    Raises:
        Refusal: the cluster is impossible. Each problem names its line of the cluster file.
    """
    plan = _build_plan(cluster, catalogue)
    if not cluster.addresses.names:
        return plan
    names = tuple(" ".join((str(address), *names)) for address, names in cluster.addresses.names.items())
    hosts = {name: replace(host, resolver=replace(host.resolver, names=names)) for name, host in plan.hosts.items()}
    return replace(plan, hosts=hosts)


def _build_plan(cluster: Cluster, catalogue: Catalogue | None) -> Plan:
    problems = Problems(cluster.origin)
    catalogue = add_hardware(cluster, load() if catalogue is None else catalogue, problems)
    problems.stop()
    classes = traffic_classes(cluster, problems)
    chassis = _build_each(cluster.hosts, lambda _, spec: build_chassis(spec, catalogue, problems))
    boxes = _build_each(cluster.switches, lambda _, spec: _find_box(spec, catalogue, problems))
    if cluster.cabling.file is None and cluster.cabling.pattern is not Pattern.BACK_TO_BACK:
        check_roles(cluster, problems)
    problems.stop()
    if cluster.cabling.pattern is Pattern.BACK_TO_BACK:
        return back_to_back(cluster, catalogue, chassis, classes, problems)
    host_kinds = _build_each(
        cluster.hosts, lambda name, spec: host_kind(cluster, spec, chassis[name], classes, catalogue, problems)
    )
    cable = catalogue.cables.get(cluster.cabling.cable or "")
    switch_kinds = _build_each(cluster.switches, lambda name, _: switch_kind(classes, boxes[name], cable, problems))
    check_paused_queues(classes, boxes, {name: kind.maps for name, kind in switch_kinds.items()}, problems)
    domains = list_domains(cluster, chassis, boxes)
    bundles = list_bundles(cluster, domains, boxes, problems)
    check_cables(cluster, catalogue, problems)
    problems.stop()
    if cluster.cabling.file is None:
        cables = build_pattern_cables(cluster, chassis, boxes, domains, count_uplinks(bundles), problems)
    else:
        cables = cables_of_file(cluster, chassis, boxes, problems)
    problems.stop()
    addresses = nic_addresses(cluster, cables, problems)
    fabric_cables = switch_cables(cluster, bundles, boxes, [cable.cable.b for cable in cables], problems)
    problems.stop()
    check_connections(cluster, (*(host_cable.cable for host_cable in cables), *fabric_cables), problems)
    check_uplinks(cluster, fabric_cables, problems)
    check_cable_speeds(cluster, cables, bundles, fabric_cables, catalogue, problems)
    check_mtus(cluster, cables, switch_kinds, boxes, problems)
    all_cables = (*(host_cable.cable for host_cable in cables), *fabric_cables)
    hosts = mark_host_settings(_plan_hosts(cluster, cables, addresses, host_kinds), catalogue, problems)
    fabric = fabric_addresses(cluster, fabric_cables, problems)
    routing = plan_routing(cluster, boxes, cables, fabric_cables, addresses, fabric, problems)
    uses = port_uses(cluster, boxes, cables, fabric_cables, addresses, fabric, routing, catalogue)
    check_lanes(boxes, uses, problems)
    vlans = list_vlans(boxes, cables, addresses)
    switches = {name: kind.switch(uses[name], vlans[name], routing[name]) for name, kind in switch_kinds.items()}
    roles = {**dict.fromkeys(hosts, "host"), **{name: box.spec.role for name, box in boxes.items()}}
    latencies = {name: find_latency(box) for name, box in boxes.items()}
    numbers = list_computed_values(switches, switch_kinds, loop(all_cables, roles, cable, latencies), problems)
    problems.stop()
    return Plan(
        name=cluster.name,
        hosts=hosts,
        switches=switches,
        roles=roles,
        cables=all_cables,
        classes=classes,
        hardware=catalogue,
        computed=numbers,
        latencies=latencies,
        requested=_read_requested_thresholds(switches, switch_kinds),
        origins={
            **{name: cluster.origin.locate(*spec.path) for name, spec in cluster.hosts.items()},
            **{name: cluster.origin.locate(*spec.path) for name, spec in cluster.switches.items()},
        },
        classes_origin=cluster.origin.locate("classes"),
        warnings=tuple(sort_by_line(problems.warned)),
    )


class _Spec(Protocol):
    """The common interface of host and switch specifications."""

    @property
    def path(self) -> tuple[str | int, ...]:
        """The path of the part of the cluster file that defines them."""


_S = TypeVar("_S", bound=_Spec)
_Kind = TypeVar("_Kind")


def _build_each(specs: Mapping[str, _S], make: Callable[[str, _S], _Kind | None]) -> dict[str, _Kind]:
    """Call ``make`` for each spec, once per part of the cluster file. The results by name, without those that are
    None."""
    kinds_by_path: dict[tuple[str | int, ...], _Kind | None] = {}
    kinds: dict[str, _Kind] = {}
    for name, spec in specs.items():
        if spec.path not in kinds_by_path:
            kinds_by_path[spec.path] = make(name, spec)
        result = kinds_by_path[spec.path]
        if result is not None:
            kinds[name] = result
    return kinds


_RELEASE = re.compile(r"[-_. ]?[0-9].*")


def _suggest_system(name: str, systems: Sequence[str]) -> str | None:
    """A hint with the most similar system; a release behind its name belongs to another key."""
    without_release = _RELEASE.sub("", name)
    hint = did_you_mean(without_release, systems)
    return f"{hint} its release is `os_version`" if hint and without_release != name else hint


def _refuse_model(spec: SwitchSpec, catalogue: Catalogue, problems: Problems) -> None:
    """Refuse a model that the catalogue lacks, or that it knows not to be plannable: with or without the vendor."""
    name = spec.model.lower()
    path = (*spec.path, "model")
    for key, entry in catalogue.unplanned_switches.items():
        if key == name or key.endswith(f"-{name}"):
            model_text = f"the switch model {spec.model!r}, {entry.reason.value}"
            problems.refuse(path, model_text, "a switch of the catalogue", f"{entry.instead}; {entry.reason.source}")
            return
    problems.refuse_unknown(path, "switch model", spec.model, catalogue.switches)


def _find_box(spec: SwitchSpec, catalogue: Catalogue, problems: Problems) -> Box | None:
    model = catalogue.switches.get(spec.model)
    if model is None:
        _refuse_model(spec, catalogue, problems)
        return None
    name = spec.os or (model.systems[0] if len(model.systems) == 1 else None)
    system = catalogue.switch_systems.get(name) if name in model.systems and name else None
    if name is None or system is None:
        problem = f"the operating system {name!r} on {spec.model}" if name else f"no 'os' for {spec.model}"
        qualifier = "" if len(model.systems) > 1 else f", the only system of {spec.model}"
        choices = format_choices(model.systems) + qualifier
        problems.refuse((*spec.path, "os"), problem, choices, _suggest_system(name or "", model.systems))
        return None
    split = spec.part.breakout
    breakouts = model.breakouts.value if model.breakouts and system.sub_port_name else []
    if split is not None and split not in breakouts:
        unknown = "breakouts of this model" if system.sub_port_name else f"names of split ports of {system.title}"
        problems.refuse(
            (*spec.path, "breakout"),
            f"a breakout of {split} on {spec.model}",
            format_choices(breakouts) if breakouts else f"no breakout: the catalogue does not contain the {unknown}",
            None if breakouts else "remove `breakout`; `wirespeed list switches` lists the breakouts of each model",
        )
        return None
    if (
        split is not None
        and model.systems_without_breakout is not None
        and name in model.systems_without_breakout.value
    ):
        lanes = "all" if model.lanes is None else model.lanes.value
        problems.warn(
            (*spec.path, "breakout"),
            f"a breakout of {split} on {spec.model}: public releases of {system.title} cannot split its ports",
            "an image of the switch's vendor with dynamic port breakout",
            f"use such an image; a port that is not split needs NICs with {lanes} lanes; "
            f"source: {model.systems_without_breakout.source}",
        )
    ports = port_names(model, system, split)
    if not ports:
        problems.refuse(
            (*spec.path, "os"),
            f"{name} on the modular {spec.model}",
            "a system whose names of line-card ports are known",
        )
        return None
    for port in spec.part.ports:
        if port not in ports:
            problems.refuse(
                (*spec.path, "ports", port),
                f"the port {port!r}",
                f"a port from {ports[0]} to {ports[-1]}",
                did_you_mean(port, ports),
            )
    box = Box(spec, model, system, name, ports, combine_chips(model, catalogue.chips.get(model.chip)))
    check_latency(box, problems)
    for port, part in spec.part.ports.items():
        if part.speed is not None and part.speed > box.speed:
            problems.refuse(
                (*spec.path, "ports", port, "speed"), f"{part.speed}", f"at most {box.speed}, the speed of {spec.model}"
            )
    return box


def _plan_hosts(
    cluster: Cluster,
    cables: Sequence[HostCable],
    addresses: Mapping[tuple[str, str], NicAddress],
    kinds: Mapping[str, HostKind],
) -> dict[str, Host]:
    cables_of_host: dict[str, list[HostCable]] = {}
    for cable in cables:
        cables_of_host.setdefault(cable.host, []).append(cable)
    is_per_link = cluster.addresses.scheme.shape == "link"
    every_nic = find_covering_network(addresses.values()) if is_per_link else None
    return {
        name: kinds[name].host(
            [addresses[name, cable.host_port.interface] for cable in cables_of_host[name]],
            [cable.cable.speed for cable in cables_of_host[name]],
            [cable.cable.length for cable in cables_of_host[name]],
            every_nic,
        )
        for name in cluster.hosts
    }


def _read_requested_thresholds(
    switches: Mapping[str, Switch], kinds: Mapping[str, SwitchKind]
) -> dict[tuple[Place, str], object]:
    """Values of the cluster file that the switch rounds, by place and setting path."""
    thresholds: dict[tuple[Place, str], object] = {}
    for name, switch in switches.items():
        for port, settings in switch.ports.items():
            for queue, marking in kinds[name].marking(settings.link.speed).items():
                for path, value in marking.round_thresholds():
                    thresholds[Place(name, (("port", port), ("queue", queue))), path] = value
    return thresholds
