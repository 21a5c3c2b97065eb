"""Scheduling of the queue

The queue is scheduled as planned: strict priority, or its share of the bandwidth that strict queues leave. Shares are
those between the planned queues: a further queue, to which no planned class is mapped, takes bandwidth only while it
holds packets.

Impact:
    An RDMA queue without its share starves under other traffic. A queue that is strict by mistake starves the others.

Fix:
    Set scheduling and weight of the queue.

Example:
    queue 3
      type dwrr
      weight 10

Source:
    Broadcom 957608-AN210, 2.5
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, UnreadError, success
from wirespeed.facts import GapKind
from wirespeed.settings import Queue

subject = Queue
needs = (
    "queue.discipline",
    "queue.weight",
)
failures = ("QOS-06",)

_ROUNDING = 1  # percent; systems with relative weights are read in whole percent

_compare_with_plan = compare(
    *needs,
    wrong="the scheduling of the queue is not as planned",
    fix="set scheduling and weight of the queue",
    labels={"dwrr": "DWRR", "strict": "strict priority"},
    all_expected=True,
)


def check(context: CheckContext) -> Outcome:
    """Compare with the plan, unless only queues without planned traffic change the shares."""
    try:
        intended, found = (
            [read(path) for path in needs] for read in (context.get_intended_value, context.get_found_value)
        )
        share = _compute_share(context)
    except NoIntentError:
        return _compare_with_plan(context)
    except UnreadError:
        try:
            return _compare_with_plan(context)
        except UnreadError as error:
            raise _explain_unread_share(context, error) from error
    (discipline, weight), (found_discipline, found_weight) = intended, found
    if discipline != found_discipline or weight == found_weight or abs(share - weight) > _ROUNDING:
        return _compare_with_plan(context)
    return success(f"weight {weight} %", f"weight {found_weight} %, {weight} % of the planned queues")


def _explain_unread_share(context: CheckContext, error: UnreadError) -> UnreadError:
    """The reason why the share of a queue was not read whose scheduling was."""
    is_share = error.setting == "queue.weight" and all(gap.kind is GapKind.NOT_IN_OUTPUT for gap in error.gaps)
    if not is_share or context.facts.value(context.place, "queue.discipline") is None:
        return error
    return UnreadError(
        error.setting,
        "no line shows a share in percent; another form of it, such as a rate, is not compared with a share",
        error.gaps,
        f"look at the scheduler of the queue on {context.place.device}, and configure its share in percent",
        error.place,
    )


def _compute_share(context: CheckContext) -> float:
    """The part of the queue's weight in that of all planned queues with a weight, in percent.

    Raises:
        NoIntentError: no queue of the port has a weight.
        UnreadError: the weight of a planned queue was not read.
    """
    port = context.plan.switches[context.place.device].ports[context.place.outer.name]
    places = [context.place.outer.child("queue", name) for name, queue in port.queues.items() if queue.weight]
    weights = {place: int(context.get_found_value("queue.weight", place) or 0) for place in places}
    if not sum(weights.values()):
        raise NoIntentError("no weight")
    return 100 * weights.get(context.place, 0) / sum(weights.values())
