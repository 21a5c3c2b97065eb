"""The links between the GPUs of a host, by the catalogue."""

from __future__ import annotations

from wirespeed.limits.bound import GIGABYTES, convert
from wirespeed.limits.group import Links
from wirespeed.plan import Plan


def find_gpu_links(plan: Plan, host: str) -> Links | None:
    """The links between the GPUs of a host; None if their models differ, or the model has no links."""
    names = {gpu.model for gpu in plan.hosts[host].gpus.values()}
    model = plan.hardware.gpus.get(next(iter(names)) or "") if len(names) == 1 else None
    if model is None or model.links is None:
        return None
    links = model.links
    usable = convert(float(links.usable.value), "b/s", GIGABYTES) if links.usable else None
    source = f"{links.peak.source}; {links.usable.source}" if links.usable else links.peak.source
    peak = convert(float(links.peak.value), "b/s", GIGABYTES)
    share = links.reduction.value if links.reduction else None
    return Links(links.name, links.per_gpu.value, links.full_mesh, peak, usable, source, share)
