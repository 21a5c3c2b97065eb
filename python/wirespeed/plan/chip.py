"""Switch-wide settings: the division of the packet buffer, and load balancing over equal-cost paths."""

from __future__ import annotations

from dataclasses import fields, replace
from enum import StrEnum
from typing import Any

from wirespeed.cluster.fields import NOT_CONFIGURED
from wirespeed.plan.fabric import Box
from wirespeed.plan.problems import Problems
from wirespeed.settings.fabric import Buffers, LoadBalancing

_INGRESS = ("lossless_share", "headroom_share", "lossy_share")
_EGRESS = ("egress_lossless_share", "egress_lossy_share")


def buffers(box: Box, lossless: bool, problems: Problems) -> Buffers:
    """The division of the packet buffer: from the cluster file, else from the data of the system.

    Without a lossless class no lossless buffers are planned.
    """
    division = Buffers(**_merge_fields(Buffers, box.spec.part.buffers, box.system.buffers))
    if not lossless:
        division = replace(division, lossless=None)
    for side, names in (("arrival", _INGRESS), ("departure", _EGRESS)):
        total = sum(getattr(division, name) or 0 for name in names)
        if total > 100:
            problems.refuse((*box.spec.path, "buffers"), f"shares of {total}% of the buffer on {side}", "at most 100%")
    _check_shared_headroom(box, division, lossless, problems)
    steps = box.system.threshold_steps
    if steps and division.dynamic_threshold is not None and division.dynamic_threshold > steps.last.value:
        problems.refuse(
            (*box.spec.path, "buffers", "dynamic_threshold"),
            f"a dynamic threshold of {division.dynamic_threshold} with {box.system.title}",
            f"0 to {steps.last.value}",
        )
    return division


def _check_shared_headroom(box: Box, division: Buffers, lossless: bool, problems: Problems) -> None:
    """Refuse shared headroom without a lossless class, or larger than the buffer. The headroom checks its minimum."""
    size, path = division.shared_headroom, (*box.spec.path, "buffers", "shared_headroom")
    if size is None:
        return
    if not lossless:
        problems.refuse(path, "shared headroom without a lossless class", "a lossless class")
    if division.headroom_share is not None:
        problems.refuse(path, f"shared headroom of {size} and of {division.headroom_share}%", "one of the two")
    if box.chip and box.chip.buffer and size >= box.chip.buffer.value:
        problems.refuse(path, f"shared headroom of {size}", f"less than {box.chip.buffer.value}, the whole buffer")


def load_balancing(box: Box) -> LoadBalancing:
    """Load balancing over equal-cost paths: from the cluster file, else from the data of the system."""
    part, defaults = box.spec.part.load_balancing, box.system.load_balancing
    values = _merge_fields(LoadBalancing, part, defaults)
    if defaults is not None and part.mode not in (None, defaults.mode.value):
        # Further data of the system apply to its default mode only.
        values = {**_merge_fields(LoadBalancing, part, None), "hash_fields": values.get("hash_fields")}
    return LoadBalancing(**values)


def _merge_fields(group: Any, part: Any, defaults: Any) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in fields(group):
        configured = getattr(part, field.name, None)
        default = getattr(defaults, field.name, None)
        configured = str(configured) if isinstance(configured, StrEnum) else configured
        value = configured if configured is not None else default.value if default is not None else None
        if value is not None and value != NOT_CONFIGURED:
            values[field.name] = frozenset(value) if isinstance(value, list) else value
    return values
