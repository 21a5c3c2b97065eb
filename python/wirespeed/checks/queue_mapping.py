"""The path of a traffic class through the maps of a switch port: DSCP to traffic class to queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wirespeed.checks.model import CheckContext, InapplicableError, Outcome, UnreadError, warning
from wirespeed.results.findings import Fix
from wirespeed.settings import Dscp, Place, SwitchQueue, SwitchTrafficClass, TrafficClass


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
