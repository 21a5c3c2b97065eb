"""ECN marking thresholds: which are asked for, which the switch can say, and what they must satisfy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.catalogue.model import EcnFillDefaults
from wirespeed.cluster import EcnPart
from wirespeed.plan.fabric import Box
from wirespeed.plan.model import Computed
from wirespeed.plan.problems import Problems
from wirespeed.settings import Congestion, Ecn
from wirespeed.units import Size


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Marking of one queue as asked for, and as the switch can say it."""

    asked: Ecn
    said: Ecn
    source: str

    def rounded(self) -> Iterator[tuple[str, Size]]:
        """Setting path and asked value of each threshold that is said rounded."""
        for name in ("minimum", "maximum"):
            asked = getattr(self.asked, name)
            if asked != getattr(self.said, name):
                yield f"queue.ecn.{name}", asked

    def computed(self, box: Box, switch: str, queue: str) -> Iterator[Computed]:
        """How each threshold came about."""
        unit = box.system.ecn_unit
        for name in ("minimum", "maximum"):
            if unit is None:
                value = f"{getattr(self.said, f'{name}_fill')} % of the queue's buffer"
                formula = "a share of a buffer whose size changes with the load"
            else:
                asked, said = int(getattr(self.asked, name)), int(getattr(self.said, name))
                value = f"{Size(said)} ({said} B)"
                formula = f"{asked} B asked for, said as {said // unit.value} x {unit.value} B"
            yield Computed(
                name=f"ECN {name} of {switch} queue {queue}", value=value, formula=formula, source=self.source
            )


def thresholds(box: Box, name: str, congestion: Congestion | None, problems: Problems) -> Thresholds | None:
    """Thresholds of the queue of a class; None for a class without congestion control.

    DCQCN-P needs a slope, minimum < maximum; DCQCN-D a step, minimum = maximum with every packet above it marked
    (Broadcom and Arista, Lossless Network for AI/ML/Storage/HPC with RDMA). Where the cluster file gives DCQCN-D no
    thresholds, the step stands at the system's minimum.
    """
    if congestion is None:
        return None
    part, defaults = _part(box, name), box.system.ecn
    path = (*box.spec.path, "classes", name, "ecn") if name in box.spec.part.classes else (*box.spec.path, "ecn")
    step = congestion is Congestion.DCQCN_D
    if step and not box.system.step_marking:
        problems.refuse(
            ("classes", name),
            f"dcqcn-d with {box.system.title}, which is not known to mark in a step",
            "dcqcn-p, whose slope it can mark",
            "or take switches that mark in a step",
        )
        return None
    if isinstance(defaults, EcnFillDefaults):
        return _filled(part, defaults, box, path, problems)
    if part.minimum_fill is not None or part.maximum_fill is not None:
        problems.refuse(
            path, "thresholds in percent of the queue's buffer", f"sizes, as {box.system.title} counts them"
        )
        return None
    minimum = part.minimum if part.minimum is not None else defaults.minimum.value
    fallback = minimum if step else defaults.maximum.value
    maximum = part.maximum if part.maximum is not None else fallback
    probability = part.probability if part.probability is not None else 100 if step else defaults.probability.value
    if step and (minimum != maximum or probability != 100):
        problems.refuse(
            path,
            f"ECN minimum {minimum}, maximum {maximum}, probability {probability}% with dcqcn-d",
            "a step: minimum = maximum and 100%",
        )
    elif not step and minimum >= maximum:
        problems.refuse(
            path, f"ECN minimum {minimum}, maximum {maximum} with dcqcn-p", "a slope: minimum below maximum"
        )
    unit = box.system.ecn_unit.value if box.system.ecn_unit else 1
    asked = Ecn(minimum, maximum, probability, True)
    own = part.minimum is not None or part.maximum is not None or part.probability is not None
    source = "cluster file" if own else defaults.minimum.source
    return Thresholds(asked, Ecn(said(minimum, unit), said(maximum, unit), probability, True), source)


def _filled(
    part: EcnPart, defaults: EcnFillDefaults, box: Box, path: tuple[str | int, ...], problems: Problems
) -> Thresholds | None:
    """Thresholds in percent of the queue's buffer. How large that is depends on all the other queues at the time."""
    if part.minimum is not None or part.maximum is not None:
        problems.refuse(
            path,
            "thresholds as sizes",
            "minimum_fill and maximum_fill, percentages",
            f"{box.system.title} counts them in percent of a buffer whose size changes with the load",
        )
        return None
    low = part.minimum_fill if part.minimum_fill is not None else defaults.minimum_fill.value
    high = part.maximum_fill if part.maximum_fill is not None else defaults.maximum_fill.value
    if low >= high:
        problems.refuse(path, f"ECN fill levels {low}% and {high}% with dcqcn-p", "a slope: minimum below maximum")
    probability = part.probability if part.probability is not None else defaults.probability.value
    own = any(value is not None for value in (part.minimum_fill, part.maximum_fill, part.probability))
    marking = Ecn(enabled=True, minimum_fill=low, maximum_fill=high, probability=probability)
    return Thresholds(marking, marking, "cluster file" if own else defaults.minimum_fill.source)


def _part(box: Box, name: str) -> EcnPart:
    """What the cluster file says: of the class, else of the switch."""
    whole, own = box.spec.part.ecn, box.spec.part.classes.get(name)
    if own is None:
        return whole
    return EcnPart(**{key: getattr(part, key) for part in (whole, own.ecn) for key in part.model_fields_set})


def said(size: Size, unit: int) -> Size:
    """The nearest size that is a whole number of units, at least one; ``unit`` in bytes."""
    return Size(max(1, (size + unit // 2) // unit) * unit)
