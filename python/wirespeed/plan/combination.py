"""Software versions of one host, and conflicts between them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirespeed.catalogue.model import GpuModel

_LEADING_NUMBER = re.compile("[0-9]+")


@dataclass(frozen=True, slots=True)
class Combination:
    """Software versions of one host. None: not set. The field names are the keys of the cluster file."""

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
    """Two incompatible parts of a combination. ``fatal``: it cannot work, otherwise it works in part."""

    key: str  # of the cluster file
    found: str
    expected: str
    fatal: bool = True


def parse_version(text: str) -> tuple[int, ...]:
    """The numbers of a version, for comparison: 470.182.03 -> (470, 182, 3), 2.18.3-1 -> (2, 18, 3)."""
    return tuple(int(number[0]) for part in text.split(".") if (number := _LEADING_NUMBER.match(part)))


def gencode(gpu: GpuModel | None) -> tuple[str, ...] | None:
    """The nvcc options for the code of a GPU, which newer makefiles may omit by default."""
    if gpu is None or gpu.compute_capability is None:
        return None
    number = gpu.compute_capability.value.replace(".", "")
    return (f"-gencode=arch=compute_{number},code=sm_{number}",)


def describe_gpu(gpu: GpuModel, architecture: str) -> str:
    """A GPU with its architecture, for messages."""
    number = gpu.compute_capability or gpu.target
    kind = "compute capability " if gpu.compute_capability else ""
    return f"{a(gpu.title)} ({kind}{number.value if number else 'unknown'}, {architecture})"


def a(title: str) -> str:
    """A title with its indefinite article."""
    return f"{'an' if title[0] in 'AEIOUN' else 'a'} {title}"
