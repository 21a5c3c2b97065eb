"""Queue of lossless traffic

Every DSCP of a lossless class maps to the queue that its PFC priority pauses, and leaves the port unchanged. No DSCP
without a lossless class maps to that queue.

Impact:
    RDMA in a lossy queue is dropped under load, although PFC is on: it protects a queue without RDMA. Each loss causes
    a retransmission of everything sent after it. After a port that rewrites the DSCP, the next switch puts RDMA into
    another queue. Other traffic in the queue takes part of the share of RDMA, causes pauses, and is stopped by pauses
    of RDMA: TCP fills the queue until it is paused.

Fix:
    Correct the wrong map: DSCP to traffic class, or traffic class to queue. If the other DSCPs are RDMA traffic too,
    add them to the class in the cluster file.

Example:
    DSCP 26 → TC 0 → queue 0, but PFC priority 3 pauses queue 3

Source:
    Broadcom 957608-AN210, 2.5; IEEE 802.1Q-2022, 36.1; RFC 2474, 4
"""

from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, failure, success
from wirespeed.checks.queue_mapping import (
    QueueMapping,
    code_points,
    find_planned_mapping,
    find_rewrite,
    format_undefined_maps,
    list_other_traffic,
    read_mapping,
    warn_of_rewrite,
)
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import Dscp, Port, Priority, SwitchQueue, TrafficClass

subject = Port
needs = (
    "port.qos.trust",
    "port.qos.dscp_tc",
    "port.qos.tc_queue",
    "port.qos.tc_dscp",
    "port.qos.pfc_queue",
    "port.qos.undefined_maps",
)
failures = ("QOS-01", "QOS-03")


def check(context: CheckContext) -> Outcome | tuple[Outcome, ...]:
    """Queue numbers differ between systems, so the maps are followed instead of comparing numbers."""
    outcome = _check_lossless_traffic(context)
    shared_queues = list_other_traffic(context, _map_paused_queues(context))
    return shared_queues if shared_queues and outcome.status is Status.PASS else (outcome, *shared_queues)


def _check_lossless_traffic(context: CheckContext) -> Outcome:
    mappings: list[str] = []
    for traffic_class, dscp in code_points(context, lossless=True):
        planned = find_planned_mapping(context, dscp)
        if planned is None:
            continue
        priority = int(traffic_class.priority)
        expected = f"{planned}, which PFC priority {priority} pauses"
        found = read_mapping(context, dscp)
        paused_queue = _find_paused_queue(context, traffic_class.priority, planned)
        if found is None or found.queue != paused_queue:
            mapping = f"DSCP {int(dscp)} reaches no queue" if found is None else str(found)
            pause_text = "no queue" if paused_queue is None else f"queue {paused_queue}"
            found_text = f"{mapping}, but PFC priority {priority} pauses {pause_text}{format_undefined_maps(context)}"
            return failure(
                "lossless traffic maps to a lossy queue", expected, found_text, *_list_fixes(context, planned, found)
            )
        if (new_dscp := find_rewrite(context, traffic_class, found)) is not None:
            return warn_of_rewrite(context, found, new_dscp)
        mappings.append(expected)
    if not mappings:
        raise NoIntentError("the plan has no lossless class for this port")
    return success("; ".join(mappings), "; ".join(mappings))


def _map_paused_queues(context: CheckContext) -> dict[SwitchQueue, TrafficClass]:
    """The class of each queue that PFC pauses."""
    queues: dict[SwitchQueue, TrafficClass] = {}
    for traffic_class, dscp in code_points(context, lossless=True):
        planned = find_planned_mapping(context, dscp)
        queue = None if planned is None else _find_paused_queue(context, traffic_class.priority, planned)
        if queue is not None:
            queues[SwitchQueue(queue)] = traffic_class
    return queues


def _find_paused_queue(context: CheckContext, priority: Priority, planned: QueueMapping) -> int | None:
    if context.entity.qos.pfc_queue is None:  # no such map on this system: a priority pauses the class of its number
        return int(planned.queue)
    queue = context.get_found_value("port.qos.pfc_queue").get(priority)
    return None if queue is None else int(queue)


def _list_fixes(context: CheckContext, planned: QueueMapping, found: QueueMapping | None) -> list[Fix]:
    classes = context.get_found_value("port.qos.dscp_tc")
    if classes.get(Dscp(planned.dscp)) != planned.traffic_class:
        value: object = {planned.dscp: planned.traffic_class}
        return [context.build_change("set the DSCP-to-traffic-class map", "port.qos.dscp_tc", value)]
    if found is None or found.queue != planned.queue:
        value = {planned.traffic_class: planned.queue}
        return [context.build_change("set the traffic-class-to-queue map", "port.qos.tc_queue", value)]
    value = context.entity.qos.pfc_queue
    return [context.build_change("set the PFC-priority-to-queue map", "port.qos.pfc_queue", value)]
