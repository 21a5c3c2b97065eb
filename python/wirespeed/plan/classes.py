"""Traffic classes: what the cluster file names, and where NICs and switches put each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wirespeed.catalogue.model import NicModel, QueueMap
from wirespeed.cluster import Cluster
from wirespeed.cluster.model import NicClassPart
from wirespeed.cluster.ranges import format_names
from wirespeed.errors import format_choices
from wirespeed.plan.fabric import Box
from wirespeed.plan.problems import Problems
from wirespeed.settings import (
    Discipline,
    Dscp,
    NicCosQueue,
    NicQos,
    NicTrafficClass,
    Priority,
    PriorityGroup,
    SwitchQueue,
    SwitchTrafficClass,
    TrafficClass,
)

ROCE, CNP, DEFAULT = "roce", "cnp", "default"


def traffic_classes(cluster: Cluster, problems: Problems) -> dict[str, TrafficClass]:
    """The classes by name. The class `default` takes every DSCP that no other names, and the share that is left."""
    classes: dict[str, TrafficClass] = {}
    for name, part in cluster.classes.items():
        path = ("classes", name)
        if name != DEFAULT and not part.dscp:
            problems.refuse(path, f"no DSCP in class {name}", "the DSCP values that choose it")
        if part.strict and part.share is not None:
            problems.refuse(
                (*path, "share"), f"a share of {part.share}% and strict", "one of them", "strict priority has no share"
            )
        if part.strict and part.lossless:
            problems.refuse(
                path, f"class {name} both lossless and strict", "one of them", "paused strict traffic starves all"
            )
        classes[name] = TrafficClass(
            name, part.dscp or frozenset(), part.priority, part.lossless, part.strict, part.share, part.congestion
        )
    _check_apart(classes, problems)
    return _with_default(classes, cluster, problems)


def _with_default(classes: dict[str, TrafficClass], cluster: Cluster, problems: Problems) -> dict[str, TrafficClass]:
    given = sum(found.share or 0 for found in classes.values() if found.name != DEFAULT)
    unshared = [
        found for found in classes.values() if not found.strict and found.share is None and found.name != DEFAULT
    ]
    given_default = classes.get(DEFAULT)
    default_share = given_default.share if given_default else None
    total = given + (default_share or 0)
    if total > 100 or (default_share is not None and not unshared and total != 100):
        problems.refuse(("classes",), f"shares of {total}% in all", "100% in all")
    if unshared and default_share is None:
        problems.refuse(("classes", unshared[0].name), f"no share for class {unshared[0].name}", "share: a percentage")
    named = frozenset(dscp for found in classes.values() if found.name != DEFAULT for dscp in found.dscp)
    rest = frozenset(Dscp(value) for value in range(64)) - named
    default = TrafficClass(
        name=DEFAULT,
        dscp=given_default.dscp if given_default and given_default.dscp else rest,
        priority=given_default.priority if given_default else Priority(0),
        lossless=given_default.lossless if given_default else False,
        strict=given_default.strict if given_default else False,
        share=default_share if default_share is not None else 100 - given,
        congestion=given_default.congestion if given_default else None,
    )
    others = {name: found for name, found in classes.items() if name != DEFAULT}
    if default.priority in {found.priority for found in others.values()} and not given_default:
        problems.refuse(("classes",), "priority 0 in a class other than default", "priority 0 for everything else")
    return {**others, DEFAULT: default}


def _check_apart(classes: Mapping[str, TrafficClass], problems: Problems) -> None:
    checked: list[TrafficClass] = []
    for found in classes.values():
        for other in checked:
            shared = sorted(found.dscp & other.dscp)
            if shared:
                problems.refuse(
                    ("classes", found.name, "dscp"),
                    f"DSCP {shared[0]} in {other.name} and {found.name}",
                    "each DSCP once",
                )
            if found.priority == other.priority:
                problems.refuse(
                    ("classes", found.name, "priority"),
                    f"priority {found.priority} in {other.name} and {found.name}",
                    "each priority once",
                )
        checked.append(found)


def nic_qos(classes: Mapping[str, TrafficClass], cluster: Cluster, nic: NicModel, problems: Problems) -> NicQos:
    """What a NIC does with the classes; a priority of no class goes where the default class goes."""
    owners: dict[str, NicTrafficClass] = {}
    for name in classes:
        part = cluster.classes.get(name)
        given = part.nic.traffic_class if part else None
        data = nic.classes.get(name)
        if given is None and data is None:
            problems.refuse(
                ("classes", name),
                f"class {name}, which reaches no traffic class of the NIC",
                f"nic: {{traffic_class: N}}, or one of {', '.join(nic.classes)}",
            )
            continue
        owners[name] = given if given is not None else data.traffic_class if data else NicTrafficClass(0)
    if len(owners) != len(classes):
        return NicQos()
    _check_meeting(
        {name: int(number) for name, number in owners.items()}, classes, "NIC traffic class", ("classes",), problems
    )
    roce, cnp = classes.get(ROCE), classes.get(CNP)
    others = {Priority(value): owners[DEFAULT] for value in range(8)}
    return NicQos(
        priority_tc={**others, **{found.priority: owners[name] for name, found in classes.items()}},
        priority_cos=_cos_queues(classes, cluster, nic),
        tc_discipline={
            owners[name]: Discipline.STRICT if found.strict else Discipline.DWRR
            for name, found in sorted(classes.items(), key=lambda entry: owners[entry[0]])
        },
        tc_share={
            owners[name]: found.share
            for name, found in sorted(classes.items(), key=lambda entry: owners[entry[0]])
            if found.share is not None and not found.strict
        },
        pfc=frozenset(found.priority for found in classes.values() if found.lossless),
        dscp_priority={
            dscp: found.priority for found in classes.values() if found.name != DEFAULT for dscp in sorted(found.dscp)
        },
        roce_dscp=min(roce.dscp) if roce and roce.dscp else None,
        roce_priority=roce.priority if roce else None,
        cnp_dscp=min(cnp.dscp) if cnp and cnp.dscp else None,
        cnp_priority=cnp.priority if cnp else None,
        roce_share=roce.share if roce else None,
        congestion=roce.congestion if roce else None,
        ecn=roce.congestion is not None if roce else None,
        configure=True if roce and nic.qos_package else None,
        trust="dscp" if roce else None,  # RoCEv2 between routed ports carries no 802.1p priority
        willing=False if roce else None,
        **_nic_class_settings(classes, cluster, nic, problems),
    )


def _nic_class_settings(
    classes: Mapping[str, TrafficClass], cluster: Cluster, nic: NicModel, problems: Problems
) -> dict[str, Any]:
    """Settings that only some NICs have, and those of the cluster file for NICs beyond the classes."""
    parts = {name: cluster.classes[name].nic if name in cluster.classes else NicClassPart() for name in classes}
    for name, part in parts.items():
        if name != ROCE and (part.ect is not None or part.congestion_parameters is not None):
            problems.refuse(
                ("classes", name, "nic"),
                f"congestion control of class {name}",
                "ect and congestion_parameters of class roce alone",
                "NICs run congestion control for RDMA",
            )
    roce, configured = classes.get(ROCE), parts.get(ROCE, NicClassPart())
    if roce is None or roce.congestion is None:
        if configured.ect is not None or configured.congestion_parameters is not None:
            problems.refuse(
                ("classes", ROCE, "nic"),
                "ect or congestion_parameters",
                "class roce with congestion: dcqcn-p or dcqcn-d",
            )
        return _buffers(classes, parts, problems)
    return {
        "ect": configured.ect or (nic.ect.value if nic.ect else None),
        "congestion_parameters": configured.congestion_parameters,
        "ecn_priorities": frozenset({roce.priority}) if nic.congestion_by_priority else None,
        **_buffers(classes, parts, problems),
    }


_LAST_BUFFER = 7  # the kernel's DCB interface has eight receive buffers (struct dcbnl_buffer)


def _buffers(
    classes: Mapping[str, TrafficClass], parts: Mapping[str, NicClassPart], problems: Problems
) -> dict[str, Any]:
    """Receive buffers; nothing where the cluster file leaves them to the driver."""
    chosen = {name: part.buffer for name, part in parts.items() if part.buffer is not None}
    for name, part in parts.items():
        if part.buffer is not None and part.buffer > _LAST_BUFFER:
            problems.refuse(("classes", name, "nic", "buffer"), f"receive buffer {part.buffer}", f"0 to {_LAST_BUFFER}")
        if part.buffer_size is not None and part.buffer is None:
            problems.refuse(
                ("classes", name, "nic", "buffer_size"),
                "buffer_size without buffer",
                "buffer: the number of the buffer",
            )
    if not chosen:
        return {}
    others = {Priority(value): chosen.get(DEFAULT, 0) for value in range(8)}
    sizes = {part.buffer: part.buffer_size for part in parts.values() if part.buffer_size and part.buffer is not None}
    return {
        "priority_buffer": {**others, **{classes[name].priority: number for name, number in chosen.items()}},
        "buffer_size": sizes or None,
    }


def _cos_queues(
    classes: Mapping[str, TrafficClass], cluster: Cluster, nic: NicModel
) -> dict[Priority, NicCosQueue] | None:
    """Priorities to hardware queues; None where the NIC's data and the cluster file leave one open."""
    queues: dict[str, NicCosQueue] = {}
    for name in classes:
        part, data = cluster.classes.get(name), nic.classes.get(name)
        queue = part.nic.cos_queue if part else None
        if queue is None and data is not None:
            queue = data.cos_queue
        if queue is None:
            return None
        queues[name] = queue
    others = {Priority(value): queues[DEFAULT] for value in range(8)}
    return {**others, **{found.priority: queues[name] for name, found in classes.items()}}


def queue_maps(classes: Mapping[str, TrafficClass], box: Box, problems: Problems) -> dict[str, QueueMap]:
    """Traffic class, queue and priority group of each class on a switch, from its system and the cluster file."""
    found: dict[str, QueueMap] = {}
    for name in classes:
        part = box.spec.part.classes.get(name)
        data = box.system.classes.get(name)
        traffic_class = part.traffic_class if part else None
        queue = part.queue if part else None
        group = part.priority_group if part else None
        if data is not None:
            traffic_class = data.traffic_class if traffic_class is None else traffic_class
            queue = data.queue if queue is None else queue
            group = data.priority_group if group is None else group
        if traffic_class is None or queue is None or group is None:
            problems.refuse(
                ("classes", name),
                f"class {name}, which reaches no queue on {box.system.title}",
                "traffic_class, queue and priority_group",
                f"write them under `classes: {{{name}: …}}` of the switch",
            )
            continue
        found[name] = QueueMap(traffic_class=traffic_class, queue=queue, priority_group=group)
    for name in box.spec.part.classes:
        if name not in classes:
            problems.refuse((*box.spec.path, "classes", name), f"the class {name!r}", format_choices(classes))
    for kind, numbers in (
        ("switch traffic class", {name: int(at.traffic_class) for name, at in found.items()}),
        ("queue", {name: int(at.queue) for name, at in found.items()}),
    ):
        _check_meeting(numbers, classes, kind, (*box.spec.path, "classes"), problems)
    _check_groups(found, classes, box, problems)
    return found


def _check_meeting(
    numbers: Mapping[str, int],
    classes: Mapping[str, TrafficClass],
    kind: str,
    path: tuple[str | int, ...],
    problems: Problems,
) -> None:
    """Classes may share a queue only if none of them is lossless or strict."""
    owners: dict[int, str] = {}
    for name, number in numbers.items():
        other = owners.setdefault(number, name)
        if other == name:
            continue
        special = [found for found in (classes[other], classes[name]) if found.lossless or found.strict]
        if special:
            guarantee = "lossless" if special[0].lossless else "strict"
            problems.refuse(
                (*path, name),
                f"{other} and {name} in {kind} {number}",
                f"a separate {kind} for {special[0].name}, which is {guarantee}",
            )


def _check_groups(
    found: Mapping[str, QueueMap], classes: Mapping[str, TrafficClass], box: Box, problems: Problems
) -> None:
    """A lossless class has a separate ingress priority group: the headroom of the group protects it."""
    owners: dict[int, str] = {}
    for name, at in found.items():
        other = owners.setdefault(int(at.priority_group), name)
        lossless = next((class_name for class_name in (other, name) if classes[class_name].lossless), None)
        if other != name and lossless:
            problems.refuse(
                (*box.spec.path, "classes", name),
                f"{other} and {name} in priority group {at.priority_group}",
                f"a separate priority group for {lossless}, which is lossless",
            )


def check_paused_queues(
    classes: Mapping[str, TrafficClass],
    boxes: Mapping[str, Box],
    queues: Mapping[str, Mapping[str, QueueMap]],
    problems: Problems,
) -> None:
    """A lossless class is in the queue that its pauses stop; one problem for all switches with the same mistake."""
    switches: dict[tuple[str, int, str], list[str]] = {}
    for switch, maps in queues.items():
        system = boxes[switch].system
        for name, at in maps.items():
            wrong = classes[name].lossless and int(at.queue) != int(classes[name].priority)
            if system.pause_of_queue_number and wrong:
                switches.setdefault((name, int(at.queue), system.title), []).append(switch)
    for (name, queue, title), names in switches.items():
        number = int(classes[name].priority)
        numbers = f"{{traffic_class: {number}, queue: {number}, priority_group: {number}}}"
        problems.refuse(
            boxes[names[0]].spec.path,
            f"class {name} with priority {number} in queue {queue} of {format_names(names)}",
            f"queue {number}, the only one that a pause of priority {number} stops on {title}",
            f"write `classes: {{{name}: {numbers}}}` at {format_names(names)}",
        )


def full_maps(
    classes: Mapping[str, TrafficClass], at: Mapping[str, QueueMap]
) -> tuple[
    dict[Dscp, SwitchTrafficClass],
    dict[SwitchTrafficClass, SwitchQueue],
    dict[SwitchTrafficClass, PriorityGroup],
    dict[Priority, SwitchQueue],
]:
    """All 64 code points, all eight traffic classes and all eight PFC priorities, so that no default is relied on.

    A traffic class without a planned class goes to the queue of the same number and to the default's priority group;
    a PFC priority that is not lossless stops the queue of the same number (as Broadcom 957608-AN210, 2.5.2, has it).
    """
    dscp_tc = {dscp: at[name].traffic_class for name, found in classes.items() for dscp in found.dscp}
    rest = at[DEFAULT]
    for value in range(64):
        dscp_tc.setdefault(Dscp(value), rest.traffic_class)
    tc_queue = {SwitchTrafficClass(value): SwitchQueue(value) for value in range(8)}
    tc_pg = {SwitchTrafficClass(value): rest.priority_group for value in range(8)}
    pfc_queue = {Priority(value): SwitchQueue(value) for value in range(8)}
    for name, found in classes.items():
        tc_queue[at[name].traffic_class] = at[name].queue
        tc_pg[at[name].traffic_class] = at[name].priority_group
        if found.lossless:
            pfc_queue[found.priority] = at[name].queue
    return dict(sorted(dscp_tc.items())), tc_queue, tc_pg, pfc_queue
