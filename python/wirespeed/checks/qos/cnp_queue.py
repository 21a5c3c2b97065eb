"""Queue of congestion notifications

Congestion notifications (CNP) reach a queue that is served strictly and that PFC does not stop.

Why it hurts:
    A notification that waits behind the congestion it reports comes too late, and one that is dropped never comes:
    senders go on, and PFC must stop them.

How to fix:
    Map the DSCP of notifications to the strict queue.

Example:
    DSCP 48 -> TC 0 -> queue 0 (dwrr)

Source:
    Broadcom 957608-AN210, 1.4 and 2.5
"""

from wirespeed.checks.chain import code_points, found_way, planned_way
from wirespeed.checks.model import Here, NoIntentError, Outcome, failed, passed
from wirespeed.settings import Discipline, Port, SwitchQueue

over = Port
needs = (
    "port.qos.trust",
    "port.qos.dscp_tc",
    "port.qos.tc_queue",
    "port.qos.pfc",
    "port.qos.pfc_queue",
    "queue.discipline",
)
failures = ("QOS-05",)


def check(here: Here) -> Outcome:
    """The queue's number does not matter, only how it is served."""
    ways: list[str] = []
    for _, dscp in code_points(here, strict=True):
        planned = planned_way(here, dscp)
        if planned is None:
            continue
        expected = f"{planned}, strict and never paused"
        found = found_way(here, dscp)
        if found is None:
            said = f"DSCP {int(dscp)} reaches no queue"
        else:
            discipline = here.found("queue.discipline", here.place.thing("queue", str(int(found.queue))))
            paused = _paused(here, found.queue)
            said = f"{found}, {discipline}{' and paused by PFC' if paused else ''}"
            if discipline is Discipline.STRICT and not paused:
                ways.append(said)
                continue
        fix = here.change(
            "map notifications to the strict queue", "port.qos.dscp_tc", {planned.dscp: planned.traffic_class}
        )
        if found == planned:
            queue = here.place.thing("queue", str(int(planned.queue)))
            fix = here.change("serve the queue strictly", "queue.discipline", Discipline.STRICT, queue)
        return failed("congestion notifications do not reach a strict lossy queue", expected, said, fix)
    if not ways:
        raise NoIntentError("the plan has no strict class for this port")
    return passed("; ".join(f"{way.split(',')[0]}, strict and never paused" for way in ways), "; ".join(ways))


def _paused(here: Here, queue: SwitchQueue) -> bool:
    lossless = here.found("port.qos.pfc")
    if here.thing.qos.pfc_queue is None:
        return int(queue) in {int(priority) for priority in lossless}
    stops = here.found("port.qos.pfc_queue")
    return queue in {stops.get(priority) for priority in lossless}
