"""Programs and libraries of jobs that are built from source: perftest, UCX, Open MPI, RCCL tests, OSU micro-benchmarks.

Source: Broadcom 957608-AN210, sections 2.7 and 8.2 to 8.4, and table 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.catalogue.model import GpuModel
from wirespeed.cluster import HostSpec, SoftwarePart
from wirespeed.plan.problems import Problems
from wirespeed.settings import Action, InstallStep

_TITLES = {
    "perftest": "perftest",
    "ucx": "UCX",
    "openmpi": "Open MPI",
    "rccl_tests": "rccl-tests",
    "osu": "OSU micro-benchmarks",
}
_RELEASE = re.compile(r"v?\d+(?:\.\d+)+")
"""What no revision of ROCm/rccl-tests is called (read in November 2026). 957608-AN210 names "RCCL Test 2.28.7" in table
3 and clones the default branch in section 8.4."""
_MEMORIES = {"amd": "rocm", "nvidia": "cuda"}
"""Vendor of the GPUs -> GPU memory that perftest is built for."""


def list_program_steps(part: SoftwarePart) -> Iterator[InstallStep]:
    """The step that installs compiler and headers, if a program is built."""
    titles = [title for key, title in _TITLES.items() if getattr(part, key) is not None]
    if titles:
        yield InstallStep(
            Action.PROGRAM_TOOLS, "compiler and headers", why=f"job-programs.sh builds {', '.join(titles)}"
        )


def find_gpu_memory(part: SoftwarePart, gpu: GpuModel | None) -> str | None:
    """The GPU memory that the planned perftest must support."""
    return _MEMORIES.get(gpu.vendor) if gpu and part.perftest else None


def check_programs(spec: HostSpec, gpu: GpuModel | None, problems: Problems) -> None:
    """Refuse programs that cannot be built on the host."""
    part, path = spec.part.software, (*spec.path, "software")
    for key in ("rccl", "rccl_tests"):
        if getattr(part, key) is not None and gpu is not None and gpu.vendor != "amd":
            problems.refuse((*path, key), f"{key} for an {gpu.title}", "GPUs of AMD, or nccl and nccl_tests")
    if part.rccl_tests is not None and _RELEASE.fullmatch(part.rccl_tests):
        problems.warn(
            (*path, "rccl_tests"),
            f"rccl-tests {part.rccl_tests}, a release number: its public repository has no tags, and git finds no such "
            "revision",
            "a commit or a branch, such as develop",
        )
    for key in ("rccl_tests", "osu"):
        if getattr(part, key) is not None and part.openmpi is None:
            problems.refuse(
                (*path, key), f"{key} without an MPI to build it with", "openmpi beside it, which starts its ranks"
            )
