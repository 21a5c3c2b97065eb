"""ECN marking thresholds: requested and effective values, and the window they must be in.

A threshold is bandwidth times delay. Default: the delay of the vendor document's thresholds at their speed, so every
speed marks at the same delay. The window comes from
the control loop and from how many senders share the buffer (`Window`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from wirespeed.catalogue.model import ChipModel, EcnDefaults, EcnFillDefaults, SourcedValue
from wirespeed.cluster import EcnPart
from wirespeed.plan.control_loop import Loop
from wirespeed.plan.dcqcn import INCREASE_TIMER, alpha
from wirespeed.plan.fabric import Box
from wirespeed.plan.memory import Deep
from wirespeed.plan.model import ComputedValue, format_bytes
from wirespeed.plan.problems import Problems
from wirespeed.settings import Congestion, Ecn
from wirespeed.units import Bandwidth, Size

_SENDERS = 2
"""The smallest number of senders that builds a queue: a window that fails for two senders fails for all."""

_FACTOR = "rate reduction factor of 2 senders"
_TIMER = "rate increase timer"

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Marking of one queue: requested, and effective in the units of the switch."""

    requested: Ecn
    effective: Ecn
    speed: Bandwidth
    part: EcnPart  # keys of the cluster file
    defaults: EcnDefaults | EcnFillDefaults
    unit: int  # unit of the switch's thresholds, bytes
    path: tuple[str | int, ...]

    def round_thresholds(self) -> Iterator[tuple[str, Size]]:
        """Setting path and requested value of each threshold that the switch rounds."""
        for name in ("minimum", "maximum"):
            requested_size = getattr(self.requested, name)
            if requested_size != getattr(self.effective, name):
                yield f"queue.ecn.{name}", requested_size

    def name_key(self, name: str, bound: Size) -> str:
        """The key of the cluster file with the nearest whole kB inside the bound, and what is used without the key."""
        step = 1000 * max(1, self.unit // 1000)
        nearest = -(-bound // step) * step if name == "minimum" else bound // step * step
        place = f"class {self.path[-2]} of the switch" if "classes" in self.path else "the switch"
        origin = "" if self._is_configured(name) else " instead of the default of its operating system"
        return f"write `ecn: {{{name}: {nearest // 1000} kB}}` for {place}{origin}"

    def explain(self, switch: str, queue: str, window: Window) -> Iterator[ComputedValue]:
        """The formula of each threshold, and its window."""
        if isinstance(self.defaults, EcnFillDefaults):
            yield from self._explain_fill(switch, queue, self.defaults)
            yield self._explain_probability(switch, queue)
            return
        for name in ("minimum", "maximum"):
            requested_size, effective = int(getattr(self.requested, name)), int(getattr(self.effective, name))
            sample: SourcedValue[Size] = getattr(self.defaults, name)
            yield ComputedValue(
                name=f"ECN {name} of {switch} queue {queue} at {self.speed}",
                value=format_bytes(Size(effective)),
                formula=f"{self._format_origin(name, requested_size)}, "
                f"configured as {effective // self.unit:,} × {self.unit:,} B; "
                f"{window.compare(name, Size(effective))}",
                source=self._name_source(name, sample),
                compared=f"{sample.source}: {sample.value}{_format_reference_speed(self.defaults)}",
            )
        yield self._explain_probability(switch, queue)

    def _explain_probability(self, switch: str, queue: str) -> ComputedValue:
        return ComputedValue(
            name=f"ECN probability of {switch} queue {queue} at {self.speed}",
            value=f"{self.effective.probability} %",
            formula="share of packets that are marked just below the maximum; above it all packets are marked",
            source=self._name_source("probability", self.defaults.probability),
            compared=f"{self.defaults.probability.source}: {self.defaults.probability.value} %",
        )

    def _is_configured(self, name: str) -> bool:
        """Whether the cluster file contains the key."""
        return getattr(self.part, name) is not None

    def _name_source(self, name: str, default: SourcedValue[Any]) -> str:
        if self._is_configured(name):
            return "cluster file"
        if (
            name != "minimum"
            and self.requested.minimum is not None
            and self.requested.minimum == self.requested.maximum
        ):
            return "Broadcom and Arista, Lossless Network for AI/ML/Storage/HPC with RDMA: DCQCN-D"
        return default.source

    def _explain_fill(self, switch: str, queue: str, defaults: EcnFillDefaults) -> Iterator[ComputedValue]:
        for name in ("minimum", "maximum"):
            sample: SourcedValue[int] = getattr(defaults, f"{name}_fill")
            yield ComputedValue(
                name=f"ECN {name} of {switch} queue {queue} at {self.speed}",
                value=f"{getattr(self.effective, f'{name}_fill')} % of the queue's buffer",
                formula="a share of a buffer whose size changes with the load",
                source=self._name_source(f"{name}_fill", sample),
                compared=f"{sample.source}: {sample.value} %",
            )

    def _format_origin(self, name: str, requested_size: int) -> str:
        if self._is_configured(name):
            return f"{requested_size:,} B requested"
        if name == "maximum" and self.requested.minimum == self.requested.maximum:
            return f"{requested_size:,} B, the minimum: DCQCN-D marks every packet above one threshold"
        if isinstance(self.defaults, EcnFillDefaults) or self.defaults.speed is None:
            return f"{requested_size:,} B at every speed"
        sample, delay = getattr(self.defaults, name).value, self.speed.compute_duration(requested_size)
        origin = f" (published: {sample} at {self.defaults.speed.value})"
        return f"{delay}{origin} × {self.speed} = {requested_size:,} B"


@dataclass(frozen=True, slots=True)
class Window:
    """The range of useful thresholds of a link: high enough to keep it busy, low enough to act before PFC.

    * ``minimum``: after a congestion notification the rates fall together and the queue must last until they have
      recovered. For DCQCN-P the rates fall by alpha/2, and fast recovery halves what is missing every timer T, so the
      queue gives alpha/2 (1 + 1/2 + 1/4 + …) C T = alpha C T, alpha from the fixed point of two flows
      (`wirespeed.plan.dcqcn`). For DCQCN-D, a step, it is C RTT / 7 (Alizadeh et al., Data Center TCP, SIGCOMM 2010,
      section 3.4).
    * ``maximum``: N senders into one port fill N ingress groups, each of which pauses at N-th part of N a S / (1 + a N)
      (S shared buffer, a the chip's share of what is free: Choudhury and Hahne, Dynamic Queue Length Thresholds, 1998);
      until the mark acts they send (N - 1) C RTT more. Marking every packet must begin before that. Of virtual output
      queues each marks alone: where every sender is in another core, a queue holds what one group holds, a S /
      (1 + a) of its core when it pauses, and gets (1 - 1 / N) C RTT more until then.
    """

    minimum: Size | None
    maximum: Size | None
    minimum_formula: str  # or the reason why the bound is unknown
    maximum_formula: str

    def compare(self, threshold: str, value: Size) -> str:
        """The planned value of the threshold ``minimum`` or ``maximum`` beside its bound, with the bound's formula."""
        bound, formula, meaning = (
            (self.minimum, self.minimum_formula, "the smallest value that keeps the link busy")
            if threshold == "minimum"
            else (self.maximum, self.maximum_formula, "the largest value that slows the senders before PFC stops them")
        )
        if bound is None:
            return formula
        relation = "equal to" if value == bound else "above" if value > bound else "below"
        return f"{relation} {bound}, {meaning}: {formula}"


def window(
    speed: Bandwidth,
    congestion: Congestion,
    loop: Loop | None,
    chip: ChipModel | None,
    headroom: Size | None,
    deep: Deep | None = None,
) -> Window:
    """The window of a queue.

    Args:
        speed: speed of the link.
        congestion: marking by a slope or by a step.
        loop: round trip of the longest path; None: unknown.
        chip: chip of the switch; buffer and share determine when PFC starts.
        headroom: headroom of all ports of the switch; None: unknown.
        deep: packet memory of a switch with virtual output queues.
    """
    minimum, minimum_formula = _lower_bound(speed, congestion, loop)
    maximum, maximum_formula = (
        _upper_bound(speed, loop, chip, headroom) if deep is None else _upper_bound_of_deep(speed, loop, deep)
    )
    return Window(minimum, maximum, minimum_formula, maximum_formula)


def _lower_bound(speed: Bandwidth, congestion: Congestion, loop: Loop | None) -> tuple[Size | None, str]:
    if congestion is Congestion.DCQCN_P:
        share = alpha(speed, _SENDERS)
        return (
            Size(round(share * speed / 8 * INCREASE_TIMER)),
            f"{share:.4f} ({_FACTOR}) × {speed} × {INCREASE_TIMER * 1e6:g} µs ({_TIMER})",
        )
    if loop is None:
        return None, "lower bound unknown: the length of a cable is missing"
    return Size(loop.time * speed // (7 * 8 * 10**12)), f"{speed} × {loop.time} / 7 ({loop.formula})"


def _upper_bound(
    speed: Bandwidth, loop: Loop | None, chip: ChipModel | None, headroom: Size | None
) -> tuple[Size | None, str]:
    if chip is None or chip.buffer is None:
        return None, "upper bound unknown: the packet buffer of the chip is not in the catalogue"
    if chip.share is None:
        return (
            None,
            f"upper bound unknown: the share (alpha) of a lossless group of {chip.title} is not in the catalogue",
        )
    if headroom is None:
        return None, "upper bound unknown: the length of a cable, on which its headroom depends, is missing"
    if loop is None:
        return None, "upper bound unknown: the length of a cable is missing"
    shared_buffer = chip.buffer.value - headroom
    burst = speed.size_in(loop.time)
    part = chip.share.value

    def compute_pause_depth(senders: int) -> int:
        return int(senders * part * shared_buffer / (1 + part * senders)) - (senders - 1) * burst

    maximum = Size(max(0, compute_pause_depth(_SENDERS)))
    return maximum, (
        f"{_SENDERS} × {part:g} / (1 + {_SENDERS} × {part:g}) × ({chip.buffer.value} - {headroom})"
        f" - {speed} × {loop.time} ({loop.formula})"
    )


def _upper_bound_of_deep(speed: Bandwidth, loop: Loop | None, deep: Deep) -> tuple[Size | None, str]:
    if loop is None:
        return None, "upper bound unknown: the length of a cable is missing"
    burst = (_SENDERS - 1) * loop.time * speed // (_SENDERS * 8 * 10**12)
    maximum = Size(max(0, deep.pause_threshold - burst))
    burst_text = f"{_SENDERS - 1} / {_SENDERS} × {speed} × {loop.time} ({loop.formula})"
    return maximum, f"{deep.pause_threshold_formula} - {burst_text}"


def check_window(thresholds: Thresholds, window: Window, congestion: Congestion, problems: Problems) -> None:
    """Warn of thresholds outside their window. The window of thresholds in percent is unknown."""
    if thresholds.effective.minimum is None:
        return
    low, high = thresholds.effective.minimum or Size(0), thresholds.effective.maximum or Size(0)
    if window.minimum is not None and low < window.minimum:
        problems.warn(
            thresholds.path,
            f"an ECN minimum of {low} at {thresholds.speed} with {congestion.value}",
            f"at least {window.minimum} = {window.minimum_formula}",
            "below it the link runs empty after every congestion notification; "
            f"{thresholds.name_key('minimum', window.minimum)}",
        )
    if window.maximum is not None and high > window.maximum:
        problems.warn(
            thresholds.path,
            f"an ECN maximum of {high} at {thresholds.speed}",
            f"at most {window.maximum} = {window.maximum_formula}",
            "above it PFC stops the senders before marking slows them; "
            f"{thresholds.name_key('maximum', window.maximum)}",
        )


def thresholds(
    box: Box, name: str, congestion: Congestion | None, speed: Bandwidth, problems: Problems
) -> Thresholds | None:
    """Thresholds of the queue of a class on a port; None for a class without congestion control.

    DCQCN-P needs a slope, minimum < maximum; DCQCN-D a step, minimum = maximum with every packet above it marked
    (Broadcom and Arista, Lossless Network for AI/ML/Storage/HPC with RDMA). Where the cluster file gives DCQCN-D no
    thresholds, the step is at the minimum of the system.
    """
    if congestion is None:
        return None
    part, defaults = _merge_part(box, name), box.system.ecn
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
        return _fill_thresholds(part, defaults, box, speed, path, problems)
    if part.minimum_fill is not None or part.maximum_fill is not None:
        problems.refuse(
            path, "thresholds in percent of the queue's buffer", f"sizes, as {box.system.title} counts them"
        )
        return None
    minimum = _choose(part.minimum, scale_to_speed(defaults.minimum.value, defaults, speed))
    maximum = _choose(part.maximum, minimum if step else scale_to_speed(defaults.maximum.value, defaults, speed))
    probability = _choose(part.probability, 100 if step else defaults.probability.value)
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
    return Thresholds(
        requested=Ecn(True, minimum, maximum, probability=probability),
        effective=Ecn(True, round_to_unit(minimum, unit), round_to_unit(maximum, unit), probability=probability),
        speed=speed,
        part=part,
        defaults=defaults,
        unit=unit,
        path=path,
    )


def scale_to_speed(size: Size, defaults: EcnDefaults, speed: Bandwidth) -> Size:
    """Scale a document's threshold to another link speed, with the same delay."""
    return size if defaults.speed is None else Size(size * speed // defaults.speed.value)


def _choose(choice: _T | None, fallback: _T) -> _T:
    return fallback if choice is None else choice


def _format_reference_speed(defaults: EcnDefaults) -> str:
    return f" at {defaults.speed.value}" if defaults.speed else ""


def _fill_thresholds(
    part: EcnPart,
    defaults: EcnFillDefaults,
    box: Box,
    speed: Bandwidth,
    path: tuple[str | int, ...],
    problems: Problems,
) -> Thresholds | None:
    """Thresholds in percent of the queue's buffer, whose size depends on the load of all queues."""
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
    marking = Ecn(enabled=True, minimum_fill=low, maximum_fill=high, probability=probability)
    return Thresholds(marking, marking, speed, part, defaults, 1, path)


def _merge_part(box: Box, name: str) -> EcnPart:
    """Merge the ECN settings of the cluster file: the class overrides the switch."""
    switch_ecn, class_part = box.spec.part.ecn, box.spec.part.classes.get(name)
    if class_part is None:
        return switch_ecn
    return EcnPart(
        **{key: getattr(part, key) for part in (switch_ecn, class_part.ecn) for key in part.model_fields_set}
    )


def round_to_unit(size: Size, unit: int) -> Size:
    """The nearest size that is a whole number of units, at least one; ``unit`` in bytes."""
    return Size(max(1, (size + unit // 2) // unit) * unit)
