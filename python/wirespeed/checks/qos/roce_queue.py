"""Queue of lossless traffic

Every DSCP of a lossless class reaches the queue that its PFC priority stops, and the priority group whose headroom
it needs.

Why it hurts:
    RDMA in a lossy queue is dropped under load, though PFC is on and every counter of it looks right: it guards an
    empty queue. Each loss costs a retransmission of everything behind it.

How to fix:
    Set the map that leads astray, of DSCP to traffic class, of traffic class to queue or of traffic class to
    priority group.

Example:
    DSCP 26 -> TC 0 -> queue 0, but PFC priority 3 stops queue 3

Source:
    Broadcom 957608-AN210, 2.5; IEEE 802.1Q-2022, 36.1
"""

from wirespeed.checks.chain import Way, code_points, found_way, planned_way
from wirespeed.checks.model import Here, NoIntentError, Outcome, failed, passed
from wirespeed.results.findings import Fix
from wirespeed.settings import Dscp, Port, Priority

over = Port
needs = ("port.qos.trust", "port.qos.dscp_tc", "port.qos.tc_queue", "port.qos.pfc_queue")
failures = ("QOS-01", "QOS-03")


def check(here: Here) -> Outcome:
    """Numbers of queues differ between systems, so ways are followed, not numbers compared."""
    ways: list[str] = []
    for traffic_class, dscp in code_points(here, lossless=True):
        planned = planned_way(here, dscp)
        if planned is None:
            continue
        priority = int(traffic_class.priority)
        expected = f"{planned}, which PFC priority {priority} stops"
        found = found_way(here, dscp)
        stopped = _stopped(here, traffic_class.priority, planned)
        if found is None or found.queue != stopped:
            way = f"DSCP {int(dscp)} reaches no queue" if found is None else str(found)
            said = f"{way}, while PFC priority {priority} stops {'none' if stopped is None else f'queue {stopped}'}"
            return failed("lossless traffic reaches a lossy queue", expected, said, *_fixes(here, planned, found))
        ways.append(expected)
    if not ways:
        raise NoIntentError("the plan has no lossless class for this port")
    return passed("; ".join(ways), "; ".join(ways))


def _stopped(here: Here, priority: Priority, planned: Way) -> int | None:
    if here.thing.qos.pfc_queue is None:  # this system has no such map: a priority stops the class of its number
        return int(planned.queue)
    queue = here.found("port.qos.pfc_queue").get(priority)
    return None if queue is None else int(queue)


def _fixes(here: Here, planned: Way, found: Way | None) -> list[Fix]:
    classes = here.found("port.qos.dscp_tc")
    if classes.get(Dscp(planned.dscp)) != planned.traffic_class:
        value: object = {planned.dscp: planned.traffic_class}
        return [here.change("set the map of DSCP to traffic classes", "port.qos.dscp_tc", value)]
    if found is None or found.queue != planned.queue:
        value = {planned.traffic_class: planned.queue}
        return [here.change("set the map of traffic classes to queues", "port.qos.tc_queue", value)]
    value = here.thing.qos.pfc_queue
    return [here.change("set the map of PFC priorities to queues", "port.qos.pfc_queue", value)]
