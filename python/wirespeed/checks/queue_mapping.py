"""The path of a traffic class through the maps of a switch port: DSCP to traffic class to queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.checks.model import CheckContext, InapplicableError, Outcome, UnreadError, failure, warning
from wirespeed.number_ranges import format_ranges
from wirespeed.plan.classes import DEFAULT
from wirespeed.results.findings import Fix
from wirespeed.settings import Dscp, Place, SwitchQueue, SwitchTrafficClass, TrafficClass

BEST_EFFORT = Dscp(0)
"""RFC 2474, 4.1: the default code point, which all packets have that nothing marks."""


@dataclass(frozen=True, slots=True)
class QueueMapping:
    """Traffic class and queue of one DSCP on a port."""

    dscp: Dscp
    traffic_class: SwitchTrafficClass
    queue: SwitchQueue

    def __str__(self) -> str:
        return f"DSCP {int(self.dscp)} → traffic class {int(self.traffic_class)} → queue {int(self.queue)}"


def read_mapping(context: CheckContext, dscp: Dscp) -> QueueMapping | None:
    """The running mapping of a DSCP; None if a map lacks it.

    Raises:
        UnreadError: a map was not read.
        InapplicableError: the port does not classify by DSCP although planned, which qos.trust reports.
    """
    if context.entity.qos.trust == "dscp" and _read_trust(context) not in ("dscp", None):
        raise InapplicableError("the port does not classify by DSCP, see qos.trust")
    return _follow_maps(dscp, context.get_found_value("port.qos.dscp_tc"), context.get_found_value("port.qos.tc_queue"))


def _read_trust(context: CheckContext) -> str | None:
    try:
        return str(context.get_found_value("port.qos.trust"))
    except UnreadError:
        return None


def format_undefined_maps(context: CheckContext) -> str:
    """The end of a sentence about a port without a queue: the maps that the port uses and that do not exist."""
    try:
        names = context.get_found_value("port.qos.undefined_maps")
    except UnreadError:
        return ""
    if not names:
        return ""
    return f"; the port uses {', '.join(names)}, which the configuration does not define"


def find_planned_mapping(context: CheckContext, dscp: Dscp, port: Place | None = None) -> QueueMapping | None:
    """The planned mapping of a DSCP on the port of the check, or on ``port``; None if a map lacks it.

    Raises:
        NoIntentError: the plan has no maps for the port.
    """
    return _follow_maps(
        dscp,
        context.get_intended_value("port.qos.dscp_tc", port),
        context.get_intended_value("port.qos.tc_queue", port),
    )


def _follow_maps(dscp: Dscp, classes: Any, queues: Any) -> QueueMapping | None:
    traffic_class = classes.get(dscp)
    queue = None if traffic_class is None else queues.get(traffic_class)
    return None if queue is None else QueueMapping(dscp, traffic_class, queue)


def find_rewrite(context: CheckContext, class_: TrafficClass, mapping: QueueMapping) -> Dscp | None:
    """The DSCP outside of the class that the port writes into packets of the mapping; None without such a map."""
    try:
        new_dscp = context.get_found_value("port.qos.tc_dscp").get(mapping.traffic_class)
    except UnreadError:
        return None
    return None if new_dscp in (*class_.dscp, None) else new_dscp


def warn_of_rewrite(context: CheckContext, mapping: QueueMapping, new_dscp: Dscp) -> Outcome:
    """A warning: some switches write the DSCP of the map only if rewriting is enabled as well."""
    return warning(
        "the port rewrites the DSCP of a planned class",
        f"DSCP {int(mapping.dscp)} stays",
        f"DSCP {int(mapping.dscp)} → traffic class {int(mapping.traffic_class)} → DSCP {int(new_dscp)}",
        Fix("remove the traffic-class-to-DSCP map from the port, or map the traffic class to its own DSCP"),
        reason="some switches use the map only where rewriting of the DSCP is enabled",
    )


def code_points(
    context: CheckContext, *, lossless: bool = False, strict: bool = False
) -> list[tuple[TrafficClass, Dscp]]:
    """Every DSCP of the classes of one sort, lowest first."""
    classes = [
        class_
        for class_ in context.plan.classes.values()
        if (class_.lossless and lossless) or (class_.strict and strict)
    ]
    return sorted(((class_, dscp) for class_ in classes for dscp in class_.dscp), key=lambda pair: int(pair[1]))


def list_other_traffic(context: CheckContext, queues: Mapping[SwitchQueue, TrafficClass]) -> tuple[Outcome, ...]:
    """An outcome for each of these queues, which the plan keeps for one class, that other traffic reaches as well.

    Other traffic is of no lossless or strict class: the check of such a class compares the queue of its DSCPs.
    """
    own_dscps = {dscp for _, dscp in code_points(context, lossless=True, strict=True)}
    mappings = (read_mapping(context, dscp) for dscp in map(Dscp, range(Dscp.last + 1)) if dscp not in own_dscps)
    strangers: dict[SwitchQueue, list[QueueMapping]] = {}
    for mapping in mappings:
        if mapping is not None and mapping.queue in queues:
            strangers.setdefault(mapping.queue, []).append(mapping)
    return tuple(_judge_other_traffic(context, queues[queue], strangers[queue]) for queue in sorted(strangers))


_SAME_PRECEDENCE = (
    "no class of the cluster file names these DSCPs; default maps of switches give all eight DSCPs of an IP precedence "
    "one traffic class"
)
"""RFC 2474, 4.2.2: class selector code points keep the IP precedence. Broadcom 957608-AN210, 2.5, leaves them so."""


def _judge_other_traffic(context: CheckContext, class_: TrafficClass, strangers: list[QueueMapping]) -> Outcome:
    """A failure; a warning if all DSCPs have the IP precedence of the class, and none is known to be sent."""
    queue = int(strangers[0].queue)
    summary = f"other traffic uses the {'lossless' if class_.lossless else 'strict'} queue of class {class_.name}"
    expected = f"only DSCP {', '.join(format_ranges(class_.dscp))} in queue {queue}"
    found = f"also DSCP {', '.join(format_ranges(mapping.dscp for mapping in strangers))} in queue {queue}"
    fixes = _list_separations(context, strangers)
    precedences = {int(dscp) >> _PRECEDENCE_SHIFT for dscp in class_.dscp}
    named_classes = [traffic_class for name, traffic_class in context.plan.classes.items() if name != DEFAULT]
    sent_dscps = {BEST_EFFORT, *(dscp for traffic_class in named_classes for dscp in traffic_class.dscp)}
    if all(
        int(mapping.dscp) >> _PRECEDENCE_SHIFT in precedences and mapping.dscp not in sent_dscps
        for mapping in strangers
    ):
        return warning(summary, expected, found, *fixes, reason=_SAME_PRECEDENCE)
    return failure(summary, expected, found, *fixes)


_PRECEDENCE_SHIFT = 3  # RFC 2474, 4.2.2.1: the IP precedence is bits 0-2 of the six of a DSCP


def _list_separations(context: CheckContext, strangers: list[QueueMapping]) -> list[Fix]:
    """The changes that give other traffic its planned queue."""
    planned_classes = context.get_intended_value("port.qos.dscp_tc")
    planned_queues = context.get_intended_value("port.qos.tc_queue")
    classes: dict[Dscp, SwitchTrafficClass] = {}
    queues: dict[SwitchTrafficClass, SwitchQueue] = {}
    for mapping in strangers:
        traffic_class = planned_classes.get(mapping.dscp)
        if traffic_class not in (mapping.traffic_class, None):
            classes[mapping.dscp] = traffic_class
        elif planned_queues.get(mapping.traffic_class) not in (mapping.queue, None):
            queues[mapping.traffic_class] = planned_queues[mapping.traffic_class]
    fixes: list[Fix] = []
    if classes:
        fixes.append(context.build_change("set the DSCP-to-traffic-class map", "port.qos.dscp_tc", classes))
    if queues or not classes:
        value = queues or planned_queues
        fixes.append(context.build_change("set the traffic-class-to-queue map", "port.qos.tc_queue", value))
    return fixes
