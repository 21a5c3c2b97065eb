"""The way of a class through a switch port: DSCP to traffic class to queue, and what PFC stops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wirespeed.checks.model import Here, InapplicableError, UnreadError
from wirespeed.settings import Dscp, SwitchQueue, SwitchTrafficClass, TrafficClass


@dataclass(frozen=True, slots=True)
class Way:
    """Where one DSCP goes on a port."""

    dscp: Dscp
    traffic_class: SwitchTrafficClass
    queue: SwitchQueue

    def __str__(self) -> str:
        return f"DSCP {int(self.dscp)} -> TC {int(self.traffic_class)} -> queue {int(self.queue)}"


def found_way(here: Here, dscp: Dscp) -> Way | None:
    """The way a port really gives a DSCP; None when a map leaves it out.

    Raises:
        UnreadError: a map was not read.
        InapplicableError: the port does not look at DSCP, though it should: that is qos.trust's to say.
    """
    if here.thing.qos.trust == "dscp" and _trust(here) not in ("dscp", None):
        raise InapplicableError("the port does not classify by DSCP, which qos.trust says")
    return _way(dscp, here.found("port.qos.dscp_tc"), here.found("port.qos.tc_queue"))


def _trust(here: Here) -> str | None:
    try:
        return str(here.found("port.qos.trust"))
    except UnreadError:
        return None


def planned_way(here: Here, dscp: Dscp) -> Way | None:
    """The way the plan gives a DSCP; None when its maps leave it out.

    Raises:
        NoIntentError: the plan has no maps for the port.
    """
    return _way(dscp, here.intended("port.qos.dscp_tc"), here.intended("port.qos.tc_queue"))


def _way(dscp: Dscp, classes: Any, queues: Any) -> Way | None:
    traffic_class = classes.get(dscp)
    queue = None if traffic_class is None else queues.get(traffic_class)
    return None if queue is None else Way(dscp, traffic_class, queue)


def code_points(here: Here, *, lossless: bool = False, strict: bool = False) -> list[tuple[TrafficClass, Dscp]]:
    """Every DSCP of the classes of one sort, lowest first."""
    classes = [one for one in here.plan.classes.values() if (one.lossless and lossless) or (one.strict and strict)]
    return sorted(((one, dscp) for one in classes for dscp in one.dscp), key=lambda pair: int(pair[1]))
