"""Traffic classes of the cluster file, and their queues on NICs and switches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wirespeed.catalogue.model import NicModel, QueueMap, SwitchSystem
from wirespeed.cluster import Cluster
from wirespeed.cluster.model import NicClassPart
from wirespeed.cluster.ranges import format_names
from wirespeed.errors import format_choices
from wirespeed.number_ranges import format_ranges
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
_UNLIMITED = 100  # percent of the line rate that a NIC traffic class may send; source: Broadcom 957608-AN210, 2.2.1.3


def traffic_classes(cluster: Cluster, problems: Problems) -> dict[str, TrafficClass]:
    """The classes by name. The class `default` has every DSCP without a class, and the remaining share."""
    classes: dict[str, TrafficClass] = {}
    for name, part in cluster.classes.items():
        path = ("classes", name)
        if name != DEFAULT and not part.dscp:
            problems.refuse(path, f"no DSCP in class {name}", "the DSCP values that choose it")
        if part.strict and part.lossless:
            problems.refuse(
                path, f"class {name} both lossless and strict", "one of them", "paused strict traffic starves all"
            )
        classes[name] = TrafficClass(
            name,
            part.dscp or frozenset(),
            part.priority,
            part.lossless,
            part.strict,
            part.share,
            part.congestion,
            part.nic.dscp,
            part.dot1p,
        )
        _check_sent_dscp(classes[name], problems)
    _check_congestion(classes, problems)
    _check_overlaps(classes, problems)
    return _add_default_class(classes, cluster, problems)


def _check_congestion(classes: Mapping[str, TrafficClass], problems: Problems) -> None:
    """Warn if lossless classes are paused, and no class has congestion control."""
    lossless = [name for name, traffic_class in classes.items() if traffic_class.lossless]
    if lossless and all(traffic_class.congestion is None for traffic_class in classes.values()):
        problems.warn(
            ("classes", lossless[0]),
            f"no `congestion` for the lossless class {lossless[0]}: no queue marks its packets, only PFC slows senders",
            "congestion: dcqcn-p or dcqcn-d",
        )


def _check_sent_dscp(traffic_class: TrafficClass, problems: Problems) -> None:
    dscp = traffic_class.sent_dscp
    path = ("classes", traffic_class.name, "nic", "dscp")
    if dscp is not None and traffic_class.name not in (ROCE, CNP):
        problems.refuse(
            path,
            f"a DSCP that NICs send in class {traffic_class.name}",
            "one of roce or cnp",
            "NICs send no other class",
        )
    elif dscp is not None and dscp not in traffic_class.dscp:
        values = ", ".join(format_ranges(traffic_class.dscp))
        problems.refuse(path, f"nic.dscp {dscp}", f"a DSCP of class {traffic_class.name}: {values}")


def _add_default_class(
    classes: dict[str, TrafficClass], cluster: Cluster, problems: Problems
) -> dict[str, TrafficClass]:
    total_share = sum(traffic_class.share or 0 for traffic_class in classes.values() if traffic_class.name != DEFAULT)
    classes_without_share = [
        traffic_class
        for traffic_class in classes.values()
        if not traffic_class.strict and traffic_class.share is None and traffic_class.name != DEFAULT
    ]
    given_default = classes.get(DEFAULT)
    default_share = given_default.share if given_default else None
    total = total_share + (default_share or 0)
    if total > 100 or (default_share is not None and not classes_without_share and total != 100):
        problems.refuse(("classes",), f"shares of {total}% in all", "100% in all")
    elif default_share is None and total == 100 and not (given_default and given_default.strict):
        problems.refuse(
            ("classes",),
            "shares of 100% in all without class default, which has the rest",
            "at most 99% in all: a queue without a share sends nothing",
            "lower a share",
        )
    if classes_without_share and default_share is None:
        problems.refuse(
            ("classes", classes_without_share[0].name),
            f"no share for class {classes_without_share[0].name}",
            "share: a percentage",
        )
    used_dscps = frozenset(
        dscp for traffic_class in classes.values() if traffic_class.name != DEFAULT for dscp in traffic_class.dscp
    )
    remaining_dscps = frozenset(Dscp(value) for value in range(64)) - used_dscps
    default = TrafficClass(
        name=DEFAULT,
        dscp=given_default.dscp if given_default and given_default.dscp else remaining_dscps,
        priority=given_default.priority if given_default else Priority(0),
        lossless=given_default.lossless if given_default else False,
        strict=given_default.strict if given_default else False,
        share=default_share if default_share is not None else 100 - total_share,
        congestion=given_default.congestion if given_default else None,
        by_priority=given_default.by_priority if given_default else False,
    )
    other_classes = {name: traffic_class for name, traffic_class in classes.items() if name != DEFAULT}
    if default.priority in {traffic_class.priority for traffic_class in other_classes.values()} and not given_default:
        problems.refuse(("classes",), "priority 0 in a class other than default", "priority 0 for everything else")
    return {**other_classes, DEFAULT: default}


def _check_overlaps(classes: Mapping[str, TrafficClass], problems: Problems) -> None:
    checked_classes: list[TrafficClass] = []
    for traffic_class in classes.values():
        for earlier in checked_classes:
            common = sorted(traffic_class.dscp & earlier.dscp)
            if common:
                problems.refuse(
                    ("classes", traffic_class.name, "dscp"),
                    f"DSCP {common[0]} in {earlier.name} and {traffic_class.name}",
                    "each DSCP once",
                )
            if traffic_class.priority == earlier.priority:
                problems.refuse(
                    ("classes", traffic_class.name, "priority"),
                    f"priority {traffic_class.priority} in {earlier.name} and {traffic_class.name}",
                    "each priority once",
                )
        checked_classes.append(traffic_class)


def nic_qos(classes: Mapping[str, TrafficClass], cluster: Cluster, nic: NicModel, problems: Problems) -> NicQos:
    """QoS settings of a NIC. A priority without a class uses the traffic class of the default class."""
    switch_classes = _find_switch_classes(classes, cluster, nic, problems)
    classes = {name: traffic_class for name, traffic_class in classes.items() if name not in switch_classes}
    shares = {name: traffic_class.share for name, traffic_class in classes.items() if not traffic_class.strict}
    if shares.get(DEFAULT) is not None:
        shares[DEFAULT] = 100 - sum(share or 0 for name, share in shares.items() if name != DEFAULT)
    owners: dict[str, NicTrafficClass] = {}
    used = [data.traffic_class for data in nic.classes.values()]
    used += [part.nic.traffic_class for part in cluster.classes.values() if part.nic.traffic_class is not None]
    for name in classes:
        part = cluster.classes.get(name)
        configured = part.nic.traffic_class if part else None
        data = nic.classes.get(name)
        if configured is None and data is None:
            problems.refuse(
                ("classes", name),
                f"class {name} without a traffic class of the NIC",
                f"a NIC traffic class; only {', '.join(nic.classes)} have a default",
                f"add `nic: {{traffic_class: N}}` to the class; N is {_list_free(range(8), used)}",
            )
            continue
        owners[name] = configured if configured is not None else data.traffic_class if data else NicTrafficClass(0)
    if len(owners) != len(classes):
        return NicQos()
    _check_shared_queues(
        {name: int(number) for name, number in owners.items()},
        classes,
        "NIC traffic class",
        ("classes",),
        problems,
        range(8),
    )
    roce, cnp = classes.get(ROCE), classes.get(CNP)
    traffic_class_numbers = {Priority(value): owners[DEFAULT] for value in range(8)}
    return NicQos(
        priority_tc={
            **traffic_class_numbers,
            **{traffic_class.priority: owners[name] for name, traffic_class in classes.items()},
        },
        priority_cos=_cos_queues(classes, cluster, nic),
        tc_discipline={
            owners[name]: Discipline.STRICT if traffic_class.strict else Discipline.DWRR
            for name, traffic_class in sorted(classes.items(), key=lambda entry: owners[entry[0]])
        },
        tc_share={
            owners[name]: share
            for name, share in sorted(shares.items(), key=lambda entry: owners[entry[0]])
            if share is not None
        },
        tc_rate_limit=dict.fromkeys(sorted(set(owners.values())), _UNLIMITED) if nic.qos_package else None,
        pfc=frozenset(traffic_class.priority for traffic_class in classes.values() if traffic_class.lossless),
        dscp_priority={
            dscp: traffic_class.priority
            for traffic_class in classes.values()
            if traffic_class.name != DEFAULT
            for dscp in sorted(traffic_class.dscp)
        },
        roce_dscp=roce.nic_dscp if roce else None,
        connection_dscp=roce.nic_dscp if roce and nic.qos_package else None,
        roce_priority=roce.priority if roce else None,
        cnp_dscp=cnp.nic_dscp if cnp else None,
        cnp_priority=cnp.priority if cnp else None,
        roce_share=roce.share if roce else None,
        congestion=roce.congestion if roce else None,
        ecn=_plan_congestion_control(roce, nic),
        configure=True if roce and nic.qos_package else None,
        trust="dscp" if roce else None,  # RoCEv2 between routed ports carries no 802.1p priority
        willing=False if roce else None,
        **_nic_class_settings(classes, cluster, nic, problems),
    )


def _find_switch_classes(
    classes: Mapping[str, TrafficClass], cluster: Cluster, nic: NicModel, problems: Problems
) -> frozenset[str]:
    """Classes that switches alone configure: the vendor's package of the NIC sets a fixed list of classes.

    The NIC sends their DSCPs in its default class, with the share that they have on switches.
    """
    names = [
        name
        for name in classes
        if nic.qos_package
        and name not in nic.classes
        and (name not in cluster.classes or cluster.classes[name].nic == NicClassPart())
    ]
    for name in names:
        priority = classes[name].priority
        problems.warn(
            ("classes", name),
            f"class {name} on switches only",
            _format_package_classes(nic),
            f"these NICs ignore pauses of priority {priority}, and packets can be lost: write `lossless: false`, or "
            f"send class {name} only from hosts with other NICs"
            if classes[name].lossless
            else f"these NICs send DSCP {', '.join(format_ranges(classes[name].dscp))} in their default class; no "
            f"action if class {name} needs no separate queue on NICs",
        )
    return frozenset(names)


def _format_package_classes(nic: NicModel) -> str:
    """The classes of the vendor's package, as an expectation."""
    return f"one of {', '.join(nic.classes)}, which {nic.title.partition(',')[0]} NICs support"


def _plan_congestion_control(roce: TrafficClass | None, nic: NicModel) -> bool | None:
    """Whether NICs react to marks. None where the driver decides: a NIC without a known code point of its data."""
    if roce is None or (roce.congestion is None and nic.ect is None):
        return None
    return roce.congestion is not None


def _nic_class_settings(
    classes: Mapping[str, TrafficClass], cluster: Cluster, nic: NicModel, problems: Problems
) -> dict[str, Any]:
    """Settings that only some NICs have, and settings of the cluster file for NICs."""
    parts = {name: cluster.classes[name].nic if name in cluster.classes else NicClassPart() for name in classes}
    for name, part in parts.items():
        if nic.qos_package and ROCE in classes and name not in nic.classes and part != NicClassPart():
            problems.refuse(
                ("classes", name, "nic"),
                f"class {name} on NICs",
                _format_package_classes(nic),
                f"remove `nic` from class {name}: then only switches configure it; or put its DSCPs into class roce",
            )
        if name != ROCE and (part.ect is not None or part.congestion_parameters is not None):
            problems.refuse(
                ("classes", name, "nic"),
                f"congestion control of class {name}",
                "ect and congestion_parameters of class roce alone",
                "NICs run congestion control for RDMA",
            )
    roce, roce_part = classes.get(ROCE), parts.get(ROCE, NicClassPart())
    if roce is None or roce.congestion is None:
        if roce_part.ect is not None or roce_part.congestion_parameters is not None:
            problems.refuse(
                ("classes", ROCE, "nic"),
                "ect or congestion_parameters",
                "class roce with congestion: dcqcn-p or dcqcn-d",
            )
        return _plan_buffers(classes, parts, problems)
    return {
        "ect": roce_part.ect or (nic.ect.value if nic.ect else None),
        "congestion_parameters": roce_part.congestion_parameters,
        "ecn_priorities": frozenset({roce.priority}) if nic.congestion_by_priority else None,
        **_plan_buffers(classes, parts, problems),
    }


_LAST_BUFFER = 7  # the kernel's DCB interface has eight receive buffers (struct dcbnl_buffer)


def _plan_buffers(
    classes: Mapping[str, TrafficClass], parts: Mapping[str, NicClassPart], problems: Problems
) -> dict[str, Any]:
    """Receive buffers. Empty if the cluster file does not set them."""
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
    buffers = {Priority(value): chosen.get(DEFAULT, 0) for value in range(8)}
    sizes = {part.buffer: part.buffer_size for part in parts.values() if part.buffer_size and part.buffer is not None}
    return {
        "priority_buffer": {**buffers, **{classes[name].priority: number for name, number in chosen.items()}},
        "buffer_size": sizes or None,
    }


def _cos_queues(
    classes: Mapping[str, TrafficClass], cluster: Cluster, nic: NicModel
) -> dict[Priority, NicCosQueue] | None:
    """The hardware queue of each priority. None if the queue of a class is unknown."""
    queues: dict[str, NicCosQueue] = {}
    for name in classes:
        part, data = cluster.classes.get(name), nic.classes.get(name)
        queue = part.nic.cos_queue if part else None
        if queue is None and data is not None:
            queue = data.cos_queue
        if queue is None:
            return None
        queues[name] = queue
    queue_numbers = {Priority(value): queues[DEFAULT] for value in range(8)}
    return {**queue_numbers, **{traffic_class.priority: queues[name] for name, traffic_class in classes.items()}}


def check_strict_shares(classes: Mapping[str, TrafficClass], box: Box, problems: Problems) -> None:
    """Refuse a share of a strict class where the system has no rate for strict queues."""
    if box.system.strict_share is not None and box.system.strict_share.value:
        return
    for name, traffic_class in classes.items():
        if traffic_class.strict and traffic_class.share is not None:
            problems.refuse(
                ("classes", name, "share"),
                f"a share of {traffic_class.share}% and strict",
                "one of them",
                f"a strict queue of {box.system.title} has no share",
            )


def queue_maps(classes: Mapping[str, TrafficClass], box: Box, problems: Problems) -> dict[str, QueueMap]:
    """Traffic class, queue and priority group of each class on a switch, from its system and the cluster file.

    A system without a setting for priority groups has none in its maps, and refuses the key.
    """
    maps: dict[str, QueueMap] = {}
    keys = _list_map_keys(box.system)
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
        if group is not None and not box.system.priority_groups:
            problems.refuse(
                (*box.spec.path, "classes", name, "priority_group"),
                f"priority_group of class {name} on {box.system.title}",
                f"no priority_group: {box.system.title} has no setting for it",
                "remove the key",
            )
            group = None
        if traffic_class is None or queue is None or (group is None and box.system.priority_groups):
            problems.refuse(
                ("classes", name),
                f"class {name} without a queue on {box.system.title}",
                f"{', '.join(keys[:-1])} and {keys[-1]}",
                _suggest_queue(classes[name], classes.values(), box),
            )
            continue
        maps[name] = QueueMap(traffic_class=traffic_class, queue=queue, priority_group=group)
    for name in box.spec.part.classes:
        if name not in classes:
            problems.refuse((*box.spec.path, "classes", name), f"the class {name!r}", format_choices(classes))
    for kind, numbers in (
        ("switch traffic class", {name: int(queue_map.traffic_class) for name, queue_map in maps.items()}),
        ("queue", {name: int(queue_map.queue) for name, queue_map in maps.items()}),
    ):
        _check_shared_queues(numbers, classes, kind, (*box.spec.path, "classes"), problems, _NUMBERS)
    _check_groups(maps, classes, box, problems)
    return maps


def _check_shared_queues(
    numbers: Mapping[str, int],
    classes: Mapping[str, TrafficClass],
    kind: str,
    path: tuple[str | int, ...],
    problems: Problems,
    choices: Sequence[int],
) -> None:
    """Classes may share a queue only if none of them is lossless or strict."""
    owners: dict[int, str] = {}
    for name, number in numbers.items():
        owner = owners.setdefault(number, name)
        if owner == name:
            continue
        special = [
            traffic_class
            for traffic_class in (classes[owner], classes[name])
            if traffic_class.lossless or traffic_class.strict
        ]
        if special:
            guarantee = "lossless" if special[0].lossless else "strict"
            problems.refuse(
                (*path, name),
                f"{owner} and {name} in {kind} {number}",
                f"a separate {kind} for {special[0].name}, which is {guarantee}",
                f"use {_list_free(choices, numbers.values())} for {name}",
            )


_NUMBERS = range(8)  # of switch traffic classes, queues and priority groups


def _list_map_keys(system: SwitchSystem) -> list[str]:
    """Keys of the cluster file for the queue of a class on a switch. Some systems have no setting for the group."""
    return [key for key in QueueMap.model_fields if key != "priority_group" or system.priority_groups]


def _format_map(keys: Sequence[str], number: object) -> str:
    """Keys with one number, as the cluster file has them."""
    return f"{{{', '.join(f'{key}: {number}' for key in keys)}}}"


def _list_free(choices: Sequence[int], used: Iterable[int]) -> str:
    """The numbers that no class uses, for a hint."""
    used_numbers = {int(number) for number in used}
    return format_choices(number for number in choices if number not in used_numbers)


def _suggest_queue(traffic_class: TrafficClass, classes: Iterable[TrafficClass], box: Box) -> str:
    """A queue for a class without one. Pauses that stop the queue of their number fix that of a lossless class."""
    keys, name = _list_map_keys(box.system), traffic_class.name
    lossless = [planned for planned in classes if planned.lossless] if box.system.pause_of_queue_number else []
    paused = [int(planned.priority) for planned in lossless]
    if traffic_class.lossless and paused:
        number = int(traffic_class.priority)
        numbers = _format_map(keys, number)
        return (
            f"add `classes: {{{name}: {numbers}}}` to the switch: pauses of priority {number} stop queue {number} only"
        )
    free = _list_free(_NUMBERS, [*_list_used_queues(box), *paused])
    return f"add `classes: {{{name}: {_format_map(keys, 'N')}}}` to the switch; N is {free}"


def _list_used_queues(box: Box) -> list[int]:
    """Traffic classes, queues and priority groups that classes of a switch use."""
    maps = [(data.traffic_class, data.queue, data.priority_group) for data in box.system.classes.values()]
    parts = box.spec.part.classes.values()
    numbers = [*maps, *((part.traffic_class, part.queue, part.priority_group) for part in parts)]
    return [int(number) for row in numbers for number in row if number is not None]


def _check_groups(
    maps: Mapping[str, QueueMap], classes: Mapping[str, TrafficClass], box: Box, problems: Problems
) -> None:
    """A lossless class has a separate ingress priority group: the headroom of the group protects it."""
    owners: dict[int, str] = {}
    for name, queue_map in maps.items():
        if queue_map.priority_group is None:
            continue
        owner = owners.setdefault(int(queue_map.priority_group), name)
        lossless = next((class_name for class_name in (owner, name) if classes[class_name].lossless), None)
        if owner != name and lossless:
            problems.refuse(
                (*box.spec.path, "classes", name),
                f"{owner} and {name} in priority group {queue_map.priority_group}",
                f"a separate priority group for {lossless}, which is lossless",
            )


def check_paused_queues(
    classes: Mapping[str, TrafficClass],
    boxes: Mapping[str, Box],
    queues: Mapping[str, Mapping[str, QueueMap]],
    problems: Problems,
) -> None:
    """Refuse a lossless class outside the queue that its pauses stop. Switches with the same mistake make one
    problem."""
    switches: dict[tuple[str, int, str], list[str]] = {}
    for switch, maps in queues.items():
        system = boxes[switch].system
        for name, queue_map in maps.items():
            wrong = classes[name].lossless and int(queue_map.queue) != int(classes[name].priority)
            if system.pause_of_queue_number and wrong:
                switches.setdefault((name, int(queue_map.queue), system.title), []).append(switch)
    for (name, queue, title), names in switches.items():
        number = int(classes[name].priority)
        numbers = _format_map(_list_map_keys(boxes[names[0]].system), number)
        problems.refuse(
            boxes[names[0]].spec.path,
            f"class {name} with priority {number} in queue {queue} of {format_names(names)}",
            f"queue {number}, the only one that a pause of priority {number} stops on {title}",
            f"write `classes: {{{name}: {numbers}}}` at {format_names(names)}",
        )


def priority_map(
    classes: Mapping[str, TrafficClass], maps: Mapping[str, QueueMap]
) -> dict[Priority, SwitchTrafficClass] | None:
    """Traffic class of tagged frames without DSCP, by 802.1p priority. None if the cluster file assigns none to a
    class; else priorities without a class are in the default class."""
    assigned = {
        traffic_class.priority: maps[name].traffic_class
        for name, traffic_class in classes.items()
        if traffic_class.by_priority
    }
    if not assigned:
        return None
    return {Priority(value): assigned.get(Priority(value), maps[DEFAULT].traffic_class) for value in range(8)}


def full_maps(
    classes: Mapping[str, TrafficClass], maps: Mapping[str, QueueMap]
) -> tuple[
    dict[Dscp, SwitchTrafficClass],
    dict[SwitchTrafficClass, SwitchQueue],
    dict[Priority, SwitchQueue],
]:
    """The complete maps: all 64 code points, eight traffic classes and eight PFC priorities, independent of defaults.

    A traffic class without a planned class uses the queue of the same number. A PFC priority that is not lossless
    stops the queue of the same number (Broadcom 957608-AN210, 2.5.2).
    """
    dscp_tc = {dscp: maps[name].traffic_class for name, traffic_class in classes.items() for dscp in traffic_class.dscp}
    for value in range(64):
        dscp_tc.setdefault(Dscp(value), maps[DEFAULT].traffic_class)
    tc_queue = {SwitchTrafficClass(value): SwitchQueue(value) for value in range(8)}
    pfc_queue = {Priority(value): SwitchQueue(value) for value in range(8)}
    for name, traffic_class in classes.items():
        tc_queue[maps[name].traffic_class] = maps[name].queue
        if traffic_class.lossless:
            pfc_queue[traffic_class.priority] = maps[name].queue
    return dict(sorted(dscp_tc.items())), tc_queue, pfc_queue


def map_groups(
    classes: Mapping[str, TrafficClass], maps: Mapping[str, QueueMap]
) -> tuple[dict[SwitchTrafficClass, PriorityGroup] | None, dict[Priority, PriorityGroup] | None]:
    """Priority groups of all traffic classes, and of the lossless priorities. None: the system has no setting for them.

    A traffic class without a planned class uses the priority group of the default class.
    """
    groups = {
        name: queue_map.priority_group for name, queue_map in maps.items() if queue_map.priority_group is not None
    }
    if not groups:
        return None, None
    of_classes = {SwitchTrafficClass(value): groups[DEFAULT] for value in range(8)}
    of_classes |= {maps[name].traffic_class: groups[name] for name in classes}
    return of_classes, {
        traffic_class.priority: groups[name] for name, traffic_class in classes.items() if traffic_class.lossless
    }
