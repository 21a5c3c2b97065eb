"""Memory of a host: what the cluster file plans, and what its server's source recommends."""

from __future__ import annotations

from typing import Final

from wirespeed.catalogue.model import ServerModel
from wirespeed.cluster import HostSpec
from wirespeed.plan.problems import Problems
from wirespeed.units import Size

SUFFICIENT_SHARE: Final = 0.9
"""Share of the recommended memory from which nothing is reported: a recommendation in terabytes does not state whether
they are of 2^40 bytes (10^12 are 91 % of them)."""


def recommend_memory(spec: HostSpec, server: ServerModel, problems: Problems) -> Size | None:
    """The recommended memory of this server. Less planned memory is a warning."""
    if server.recommended_memory is None:
        return None
    recommended = server.recommended_memory.value
    planned = spec.part.memory
    if planned is not None and planned < SUFFICIENT_SHARE * recommended:
        problems.warn(
            (*spec.path, "memory"),
            f"{planned} of memory",
            f"{recommended} or more ({server.recommended_memory.source})",
        )
    return recommended
