"""What a switch does across its ports: the division of its packet buffer, and how flows choose among equal paths."""

from __future__ import annotations

from dataclasses import fields, replace
from enum import StrEnum
from typing import Any

from wirespeed.plan.fabric import Box
from wirespeed.plan.problems import Problems
from wirespeed.settings.fabric import Buffers, LoadBalancing

_INGRESS = ("lossless_share", "headroom_share", "lossy_share")
_EGRESS = ("egress_lossless_share", "egress_lossy_share")


def buffers(box: Box, lossless: bool, problems: Problems) -> Buffers:
    """The division of the packet buffer: from the cluster file, else from the data of the system.

    Without a lossless class nothing needs the buffers of one.
    """
    found = Buffers(**_merge_fields(Buffers, box.spec.part.buffers, box.system.buffers))
    if not lossless:
        found = replace(found, lossless=None)
    for side, names in (("arrival", _INGRESS), ("departure", _EGRESS)):
        total = sum(getattr(found, name) or 0 for name in names)
        if total > 100:
            problems.refuse((*box.spec.path, "buffers"), f"shares of {total}% of the buffer on {side}", "at most 100%")
    _check_shared_headroom(box, found, lossless, problems)
    steps = box.system.threshold_steps
    if steps and found.dynamic_threshold is not None and found.dynamic_threshold > steps.last.value:
        problems.refuse(
            (*box.spec.path, "buffers", "dynamic_threshold"),
            f"a dynamic threshold of {found.dynamic_threshold} with {box.system.title}",
            f"0 to {steps.last.value}",
        )
    return found


def _check_shared_headroom(box: Box, found: Buffers, lossless: bool, problems: Problems) -> None:
    """Whether a lossless class uses it and the buffer contains it; its minimum is checked with the headroom."""
    size, path = found.shared_headroom, (*box.spec.path, "buffers", "shared_headroom")
    if size is None:
        return
    if not lossless:
        problems.refuse(path, "shared headroom without a lossless class", "a lossless class")
    if found.headroom_share is not None:
        problems.refuse(path, f"shared headroom of {size} and of {found.headroom_share}%", "one of the two")
    if box.chip and box.chip.buffer and size >= box.chip.buffer.value:
        problems.refuse(path, f"shared headroom of {size}", f"less than {box.chip.buffer.value}, the whole buffer")


def load_balancing(box: Box) -> LoadBalancing:
    """How flows are assigned to equal-cost paths: from the cluster file, else from the data of the system."""
    part, defaults = box.spec.part.load_balancing, box.system.load_balancing
    found = _merge_fields(LoadBalancing, part, defaults)
    if defaults is not None and part.mode not in (None, defaults.mode.value):
        # Further data of the system apply to its default mode only.
        found = {**_merge_fields(LoadBalancing, part, None), "hash_fields": found.get("hash_fields")}
    return LoadBalancing(**found)


def _merge_fields(group: Any, part: Any, defaults: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in fields(group):
        requested = getattr(part, field.name, None)
        known = getattr(defaults, field.name, None)
        requested = str(requested) if isinstance(requested, StrEnum) else requested
        value = requested if requested is not None else known.value if known is not None else None
        if value is not None:
            found[field.name] = frozenset(value) if isinstance(value, list) else value
    return found
