"""Congestion control of the NIC against marking of the switch

The NIC runs the planned congestion control, and it is the one that the marking of its leaf queue is made for:
DCQCN-P a slope (minimum below maximum), DCQCN-D a step (minimum equal to maximum, every packet).

Why it hurts:
    The two count notifications differently. The wrong pair reacts too hard or too late: the tail of latency under
    congestion is several times longer than it need be.

How to fix:
    Set the NIC's mode; or change mode and marking together, on every NIC and every port.

Example:
    $ cat /sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/cc_mode
    0x0

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, tables 7 and 7.1
"""

from wirespeed.checks.chain import code_points
from wirespeed.checks.model import Here, NoIntentError, Outcome, UnreadError, failed, passed, planned
from wirespeed.plan import End
from wirespeed.settings import Congestion, Dscp, Nic, Place, Queue, group_of

over = Nic
needs = (
    "nic.qos.congestion",
    *group_of(Queue, "queue.ecn"),
)
failures = ("NIC-12",)

_ALWAYS = 100  # percent: a step marks every packet


def check(here: Here) -> Outcome:
    """A NIC that is not as planned fails by itself; one that is must still fit what its leaf really does."""
    intended = here.intended("nic.qos.congestion")
    mode = here.found("nic.qos.congestion")
    queue = _leaf_queue(here)
    fix = here.change("set the congestion control of the NIC", "nic.qos.congestion", intended)
    if mode != intended:
        return failed(
            "the NIC runs another congestion control", f"{intended}{_marks(here, queue, intended)}", str(mode), fix
        )
    if queue is None or not here.found("queue.ecn.enabled", queue):
        return passed(str(intended), str(mode))
    low_path, high_path = _thresholds(here, queue)
    low, high = here.found(low_path, queue), here.found(high_path, queue)
    probability = here.found("queue.ecn.probability", queue)
    shape = _shape(low, high, probability)
    if shape is not mode:
        needed = "a slope" if mode is Congestion.DCQCN_P else "a step"
        change = planned(here.plan, queue).ecn
        fixes = [
            here.change("set ECN marking of the queue", f"queue.ecn.{name}", getattr(change, name), queue)
            for name in ("minimum", "maximum", "minimum_fill", "maximum_fill", "probability")
            if getattr(change, name) is not None
        ]
        found = f"{queue} marks from {low} to {high} at {probability} %"
        return failed("the leaf marks for another congestion control", f"{mode}, and {needed}", found, *fixes)
    return passed(str(intended), f"{mode}; {queue} marks from {low} to {high} at {probability} %")


def _thresholds(here: Here, queue: Place) -> tuple[str, str]:
    """Where the queue's marking starts and ends, in the setting that its system counts them in."""
    if planned(here.plan, queue).ecn.minimum_fill is not None:
        return "queue.ecn.minimum_fill", "queue.ecn.maximum_fill"
    return "queue.ecn.minimum", "queue.ecn.maximum"


def _shape(low: int, high: int, probability: int) -> Congestion | None:
    """The congestion control that marking is made for; None when it is neither a slope nor a step."""
    if low < high:
        return Congestion.DCQCN_P
    return Congestion.DCQCN_D if low == high and probability == _ALWAYS else None


def _marks(here: Here, queue: Place | None, intended: Congestion) -> str:
    """That the leaf marks for the planned one, if it was seen to: nothing depends on it."""
    if queue is None:
        return ""
    try:
        low_path, high_path = _thresholds(here, queue)
        low, high = here.found(low_path, queue), here.found(high_path, queue)
        shape = _shape(low, high, here.found("queue.ecn.probability", queue))
    except UnreadError:
        return ""
    slope = "slope" if shape is Congestion.DCQCN_P else "step"
    return f", as {queue} marks a {slope} from {low} to {high}" if shape is intended else ""


def _leaf_queue(here: Here) -> Place | None:
    """The queue of the leaf port that the NIC's lossless traffic is planned to reach."""
    cable = here.cables.get(End(here.place.device, here.place.name))
    if cable is None or cable.other(here.place.device).device not in here.plan.switches:
        return None
    end = cable.other(here.place.device)
    port = here.plan.switches[end.device].ports.get(end.port)
    if port is None or port.qos.dscp_tc is None or port.qos.tc_queue is None:
        return None
    place = Place(end.device).thing("port", end.port)
    for _, dscp in code_points(here, lossless=True):
        queue = port.qos.tc_queue.get(port.qos.dscp_tc.get(Dscp(dscp)))  # type: ignore[arg-type]
        if queue is not None and str(int(queue)) in port.queues:
            return place.thing("queue", str(int(queue)))
    raise NoIntentError("the plan has no lossless queue on the leaf")
