"""Shaper of the queue

No shaper of the queue or of its port limits the queue to less than the speed of the port.

Impact:
    A shaped queue never sends faster than its shaper, even on an idle port. A lossless queue fills instead, and PFC
    pauses the senders.

Fix:
    Remove the shaper from the queue, its scheduler or the port.

Example:
    uc-tx-queue 3
       shape rate 40000000 kbps

Source:
    Arista EOS User Manual, Quality of Service, shape rate; Juniper documentation, shaping-rate (which recommends a
    shaper for strict-high queues); saischeduler.h, SAI_SCHEDULER_ATTR_MAX_BANDWIDTH_RATE;
    Broadcom 957608-AN210, 2.5, whose queues have no shaper
"""

from dataclasses import replace

from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, failure, success
from wirespeed.checks.queue_mapping import code_points, find_planned_mapping
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import Queue

subject = Queue
needs = ("queue.shape",)
failures = ("QOS-10",)

_OTHER_TRAFFIC = "no planned lossless class uses this queue"
_STRICT = "a shaper can keep a strict queue from starving the others, and CNPs need little bandwidth"


def check(context: CheckContext) -> Outcome:
    """Compare with the planned speed of the port. A queue without a lossless class only warns."""
    speed = context.get_intended_value("port.link.speed", context.place.outer)
    shape = context.get_found_value("queue.shape")
    if not shape or shape >= speed:
        return success("no shaper below the speed of the port", f"shaper {shape}" if shape else "no shaper")
    outcome = failure(
        "the queue is shaped to less than the speed of the port",
        f"no shaper, or {speed}",
        f"shaper {shape}",
        Fix("remove the shaper from the queue, its scheduler or the port"),
    )
    if _carries_class(context, lossless=True):
        return outcome
    reason = _STRICT if _carries_class(context, strict=True) else _OTHER_TRAFFIC
    return replace(outcome, status=Status.WARN, warning_reasons=(reason,))


def _carries_class(context: CheckContext, *, lossless: bool = False, strict: bool = False) -> bool:
    """Whether a class of the sort is mapped to the queue; assumed where the plan has no maps."""
    port = context.place.outer
    try:
        mappings = [
            find_planned_mapping(context, dscp, port)
            for _, dscp in code_points(context, lossless=lossless, strict=strict)
        ]
    except NoIntentError:
        return True
    return any(mapping is not None and str(int(mapping.queue)) == context.place.name for mapping in mappings)
