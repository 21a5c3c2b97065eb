"""The links between the GPUs of a host, by the catalogue."""

from __future__ import annotations

from wirespeed.limits.bound import GIGABYTES, convert
from wirespeed.limits.group import Links
from wirespeed.plan import Plan


def links_of(plan: Plan, host: str) -> Links | None:
    """The links between the GPUs of a host; None where their model is not one, or has none."""
    names = {gpu.model for gpu in plan.hosts[host].gpus.values()}
    model = plan.hardware.gpus.get(next(iter(names)) or "") if len(names) == 1 else None
    if model is None or model.links is None:
        return None
    of = model.links
    usable = convert(float(of.usable.value), "b/s", GIGABYTES) if of.usable else None
    source = f"{of.peak.source}; {of.usable.source}" if of.usable else of.peak.source
    peak = convert(float(of.peak.value), "b/s", GIGABYTES)
    reduces = of.reduction.value if of.reduction else None
    return Links(of.name, of.per_gpu.value, of.full_mesh, peak, usable, source, reduces)
