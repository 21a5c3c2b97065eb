"""What is to run together on one host, and what of it does not go together."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.catalogue.model import GpuModel


@dataclass(frozen=True, slots=True)
class Combination:
    """What is to run on one host; None is not named. The field names are the keys of the cluster file."""

    gpu: GpuModel | None = None
    os: str = ""
    gpu_driver: str | None = None
    rocm: str | None = None
    cuda: str | None = None
    nvhpc: str | None = None
    gcc: str | None = None
    nccl: str | None = None
    nvcc_gencode: str | None = None
    nccl_tests: str | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two things of a combination that do not go together. ``fatal``: it cannot work; else it works in part."""

    key: str  # of the cluster file
    found: str
    expected: str
    fatal: bool = True


def version(text: str) -> tuple[int, ...]:
    """The numbers of a version, to compare by: 470.182.03 -> (470, 182, 3)."""
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def gencode(gpu: GpuModel | None) -> tuple[str, ...] | None:
    """The nvcc options for a GPU: its own code, not what newer makefiles omit by default."""
    if gpu is None or gpu.compute_capability is None:
        return None
    number = gpu.compute_capability.value.replace(".", "")
    return (f"-gencode=arch=compute_{number},code=sm_{number}",)


def describe_gpu(gpu: GpuModel, architecture: str) -> str:
    """A GPU for messages, with what decides which software runs on it."""
    number = gpu.compute_capability or gpu.target
    kind = "compute capability " if gpu.compute_capability else ""
    return f"{a(gpu.title)} ({kind}{number.value if number else 'unknown'}, {architecture})"


def a(title: str) -> str:
    """With its article."""
    return f"{'an' if title[0] in 'AEIOUN' else 'a'} {title}"
