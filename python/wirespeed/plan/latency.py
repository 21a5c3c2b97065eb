"""Forwarding latency of switches: from the cluster file, else from the catalogue. Most vendors do not publish it."""

from __future__ import annotations

from wirespeed.plan.fabric import Box
from wirespeed.plan.model import Latency
from wirespeed.plan.problems import Problems
from wirespeed.units import Duration

_LONGEST = Duration(10**12)
"""One second, the largest latency that the simulator accepts."""


def find_latency(box: Box) -> Latency:
    """The latency of a switch."""
    catalogue_latency = box.model.latency
    from_file = box.spec.part.latency is not None or catalogue_latency is None
    return Latency(
        box.latency,
        box.spec.part.credit_latency,
        None if from_file or catalogue_latency is None else catalogue_latency.source,
    )


def check_latency(box: Box, problems: Problems) -> None:
    """Refuse latencies that are too large, and a credit latency without credits."""
    part, path = box.spec.part, box.spec.path
    if part.latency is not None and part.latency > _LONGEST:
        problems.refuse((*path, "latency"), f"a latency of {part.latency}", f"at most {_LONGEST}")
    if part.credit_latency is None:
        return
    if box.chip is None or box.chip.credit is None:
        problems.refuse(
            (*path, "credit_latency"),
            f"the latency of credits of {box.spec.model}",
            "a switch with virtual output queues",
        )
    elif box.latency is None:
        problems.refuse(
            (*path, "credit_latency"), "credit_latency without latency", "the latency of the switch that it is part of"
        )
    elif part.credit_latency > box.latency:
        problems.refuse(
            (*path, "credit_latency"),
            f"{part.credit_latency} of a latency of {box.latency}",
            "at most the latency that it is part of",
        )
