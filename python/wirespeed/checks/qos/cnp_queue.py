"""Queue of congestion notification packets (CNPs)

CNPs use a queue with strict priority that PFC does not pause, and no ordinary traffic uses this queue.

Impact:
    A CNP that waits behind the congestion that it reports arrives too late, and a dropped CNP never arrives: senders
    keep their rate until PFC stops them. Ordinary traffic in a strict queue precedes all other queues: RDMA starves.

Fix:
    Map the DSCP of CNPs to the strict queue, and every other DSCP to the queue of its class.

Example:
    DSCP 48 → TC 0 → queue 0 (dwrr)

Source:
    Broadcom 957608-AN210, 1.4 and 2.5; RFC 2474, 4
"""

from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, failure, success
from wirespeed.checks.queue_mapping import (
    code_points,
    find_planned_mapping,
    find_rewrite,
    format_undefined_maps,
    list_other_traffic,
    read_mapping,
    warn_of_rewrite,
)
from wirespeed.results.findings import Status
from wirespeed.settings import Discipline, Port, SwitchQueue, TrafficClass

subject = Port
needs = (
    "port.qos.trust",
    "port.qos.dscp_tc",
    "port.qos.tc_queue",
    "port.qos.tc_dscp",
    "port.qos.pfc",
    "port.qos.pfc_queue",
    "port.qos.undefined_maps",
    "queue.discipline",
)
failures = ("QOS-05",)


def check(context: CheckContext) -> Outcome | tuple[Outcome, ...]:
    """The number of the queue does not matter, only its scheduling."""
    outcome = _check_notifications(context)
    shared_queues = list_other_traffic(context, _map_strict_queues(context))
    return shared_queues if shared_queues and outcome.status is Status.PASS else (outcome, *shared_queues)


def _check_notifications(context: CheckContext) -> Outcome:
    mappings: list[str] = []
    for class_, dscp in code_points(context, strict=True):
        planned = find_planned_mapping(context, dscp)
        if planned is None:
            continue
        expected = f"{planned}, strict and never paused"
        found = read_mapping(context, dscp)
        if found is None:
            found_text = f"DSCP {int(dscp)} reaches no queue{format_undefined_maps(context)}"
        else:
            discipline = _read_discipline(context, found.queue)
            is_paused = _is_paused(context, found.queue)
            found_text = f"{found}, {discipline}{' and paused by PFC' if is_paused else ''}"
            if discipline is Discipline.STRICT and not is_paused:
                if (new_dscp := find_rewrite(context, class_, found)) is not None:
                    return warn_of_rewrite(context, found, new_dscp)
                mappings.append(found_text)
                continue
        fix = context.build_change(
            "map CNPs to the strict queue", "port.qos.dscp_tc", {planned.dscp: planned.traffic_class}
        )
        if found == planned:
            queue = context.place.child("queue", str(int(planned.queue)))
            fix = context.build_change(
                "schedule the queue with strict priority", "queue.discipline", Discipline.STRICT, queue
            )
        return failure("CNPs do not use a strict lossy queue", expected, found_text, fix)
    if not mappings:
        raise NoIntentError("the plan has no strict class for this port")
    return success(
        "; ".join(f"{mapping.split(',')[0]}, strict and never paused" for mapping in mappings), "; ".join(mappings)
    )


def _map_strict_queues(context: CheckContext) -> dict[SwitchQueue, TrafficClass]:
    """The class of each queue that CNPs use: the found one if it is strict, else the planned one."""
    queues: dict[SwitchQueue, TrafficClass] = {}
    for class_, dscp in code_points(context, strict=True):
        planned, found = find_planned_mapping(context, dscp), read_mapping(context, dscp)
        if found is not None and _read_discipline(context, found.queue) is Discipline.STRICT:
            queues[found.queue] = class_
        elif planned is not None:
            queues[planned.queue] = class_
    return queues


def _read_discipline(context: CheckContext, queue: SwitchQueue) -> Discipline:
    discipline: Discipline = context.get_found_value("queue.discipline", context.place.child("queue", str(int(queue))))
    return discipline


def _is_paused(context: CheckContext, queue: SwitchQueue) -> bool:
    lossless = context.get_found_value("port.qos.pfc")
    if context.entity.qos.pfc_queue is None:
        return int(queue) in {int(priority) for priority in lossless}
    stops = context.get_found_value("port.qos.pfc_queue")
    return queue in {stops.get(priority) for priority in lossless}
