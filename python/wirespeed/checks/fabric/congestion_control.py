"""Congestion control of the NIC and ECN marking of its leaf

The NIC runs the planned congestion control, and the ECN marking of its leaf queue fits it: DCQCN-P needs a slope
(minimum below maximum), DCQCN-D a step (minimum equal to maximum, probability 100 %).

Impact:
    The two algorithms count notifications differently. With the wrong marking they reduce the rate too much or too
    late: tail latency under congestion is several times higher.

Fix:
    Set the mode of the NIC, or change mode and marking together on every NIC and every port.

Example:
    $ cat /sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/cc_mode
    0x0
    0x0 is DCQCN-D, 0x1 is DCQCN-P

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, tables 7 and 7.1
"""

from wirespeed.checks.model import (
    CheckContext,
    NoIntentError,
    Outcome,
    UnreadError,
    failure,
    find_planned_entity,
    success,
)
from wirespeed.checks.queue_mapping import code_points
from wirespeed.plan import End
from wirespeed.settings import Congestion, Dscp, Nic, Place, Queue, list_group_settings

subject = Nic
needs = (
    "nic.qos.congestion",
    *list_group_settings(Queue, "queue.ecn"),
)
failures = ("NIC-12",)

_ALWAYS = 100  # percent: a step marks every packet


def check(context: CheckContext) -> Outcome:
    """A NIC with another mode fails; a NIC with the planned mode must still fit the marking of its leaf."""
    intended = context.get_intended_value("nic.qos.congestion")
    mode = context.get_found_value("nic.qos.congestion")
    queue = _leaf_queue(context)
    fix = context.build_change("set the congestion control of the NIC", "nic.qos.congestion", intended)
    if mode != intended:
        return failure(
            "the congestion control of the NIC is not as planned",
            f"{intended}{_describe_marking(context, queue, intended)}",
            str(mode),
            fix,
        )
    if queue is None or not context.get_found_value("queue.ecn.enabled", queue):
        return success(str(intended), str(mode))
    low_path, high_path = _select_thresholds(context, queue)
    low, high = context.get_found_value(low_path, queue), context.get_found_value(high_path, queue)
    probability = context.get_found_value("queue.ecn.probability", queue)
    shape = _find_shape(low, high, probability)
    if shape is not mode:
        shape_text = "a slope" if mode is Congestion.DCQCN_P else "a step"
        change = find_planned_entity(context.plan, queue).ecn
        fixes = [
            context.build_change(
                f"set ECN marking of the queue on {queue.device}", f"queue.ecn.{name}", getattr(change, name), queue
            )
            for name in ("minimum", "maximum", "minimum_fill", "maximum_fill", "probability")
            if getattr(change, name) is not None
        ]
        found_text = f"{_format_queue(queue)} marks from {low} to {high} at {probability} %"
        return failure(
            "the ECN marking of the leaf does not fit the congestion control of the NIC",
            f"{mode}, and {shape_text}",
            found_text,
            *fixes,
        )
    return success(str(intended), f"{mode}; {_format_queue(queue)} marks from {low} to {high} at {probability} %")


def _select_thresholds(context: CheckContext, queue: Place) -> tuple[str, str]:
    """The settings of the marking thresholds: in bytes or in percent of fill, as the switch OS counts them."""
    if find_planned_entity(context.plan, queue).ecn.minimum_fill is not None:
        return "queue.ecn.minimum_fill", "queue.ecn.maximum_fill"
    return "queue.ecn.minimum", "queue.ecn.maximum"


def _find_shape(low: int, high: int, probability: int) -> Congestion | None:
    """The congestion control that fits the marking; None for neither a slope nor a step."""
    if low < high:
        return Congestion.DCQCN_P
    return Congestion.DCQCN_D if low == high and probability == _ALWAYS else None


def _describe_marking(context: CheckContext, queue: Place | None, intended: Congestion) -> str:
    """The marking of the leaf where it fits the planned mode; for the text of a finding only."""
    if queue is None:
        return ""
    try:
        low_path, high_path = _select_thresholds(context, queue)
        low, high = context.get_found_value(low_path, queue), context.get_found_value(high_path, queue)
        shape = _find_shape(low, high, context.get_found_value("queue.ecn.probability", queue))
    except UnreadError:
        return ""
    if shape is not intended:
        return ""
    marking = (
        f"with rising probability between {low} and {high}"
        if shape is Congestion.DCQCN_P
        else f"every packet above {high}"
    )
    return f", because {_format_queue(queue)} marks {marking}"


def _format_queue(queue: Place) -> str:
    """``leaf1:Eth1/31 queue 3``."""
    return f"{queue.device}:{queue.outer.name} queue {queue.name}"


def _leaf_queue(context: CheckContext) -> Place | None:
    """The queue of the leaf port that the NIC's lossless traffic is planned to reach."""
    cable = context.cables.get(End(context.place.device, context.place.name))
    if cable is None or cable.other_end(context.place.device).device not in context.plan.switches:
        return None
    end = cable.other_end(context.place.device)
    port = context.plan.switches[end.device].ports.get(end.port)
    if port is None or port.qos.dscp_tc is None or port.qos.tc_queue is None:
        return None
    place = Place(end.device).child("port", end.port)
    for _, dscp in code_points(context, lossless=True):
        queue = port.qos.tc_queue.get(port.qos.dscp_tc.get(Dscp(dscp)))  # type: ignore[arg-type]
        if queue is not None and str(int(queue)) in port.queues:
            return place.child("queue", str(int(queue)))
    raise NoIntentError("the plan has no lossless queue on the leaf")
