"""The GPUs of a host and their links to each other."""

from __future__ import annotations

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import ServerModel
from wirespeed.plan.pcie_tree import gpu_positions
from wirespeed.settings import Gpu


def plan_gpus(server: ServerModel, catalogue: Catalogue) -> dict[str, Gpu]:
    """GPUs by name. Without a switch, a GPU has one link to each other GPU, so those of absent GPUs do not count."""
    positions = gpu_positions(server)
    model = catalogue.gpus.get(server.gpu or "")
    links = model.links if model else None
    count = None if links is None else links.per_gpu.value
    if links is not None and count is not None and links.full_mesh:
        count = min(count, len(positions) - 1)
    return {name: Gpu(server.gpu, position.name, count) for name, position in positions.items()}
