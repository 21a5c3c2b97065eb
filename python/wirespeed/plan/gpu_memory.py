"""Access of a NIC to GPU memory: a peer-memory client, DMA-BUF, or none.

DMA-BUF needs Linux 5.12 and, of NVIDIA, the open kernel modules, CUDA 11.7 and a Turing GPU or newer (NVIDIA GPU
Operator documentation, GPUDirect RDMA). The open modules came with branch 515 (NVIDIA open GPU kernel modules,
release 515.43.04); Turing has compute capability 7.5 (NVIDIA, CUDA GPUs).
"""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.catalogue.compat import DriverRelease
from wirespeed.catalogue.model import GpuModel
from wirespeed.cluster import HostSpec, SoftwarePart
from wirespeed.plan.combination import a, parse_version
from wirespeed.plan.problems import Problems

NVIDIA_CLIENT = "nvidia_peermem"
"""The NVIDIA driver's module that registers GPU memory with the peer-memory API; in the driver from branch 470 on
(NVIDIA CUDA documentation, GPUDirect RDMA, nvidia-peermem)."""
_FIRST_CLIENT = 470
_LINUX, _CUDA, _OPEN, _TURING = "5.12", "11.7", 515, "7.5"
_NEEDS = "DMA-BUF: Linux 5.12 or later; NVIDIA: open kernel modules, CUDA 11.7 or later, Turing or newer"


def check_client(spec: HostSpec, gpu: GpuModel, problems: Problems) -> None:
    """Refuse a GPU driver without a client for the kernel's peer-memory API."""
    driver = spec.part.software.gpu_driver
    if gpu.vendor == "nvidia" and driver is not None and parse_version(driver)[0] < _FIRST_CLIENT:
        problems.refuse(
            (*spec.path, "software", "gpu_driver"),
            f"the driver {driver}, which has no nvidia-peermem",
            f"branch {_FIRST_CLIENT}, the first that has it, or a newer one",
            "without it the NIC does not reach GPU memory",
        )


def check_dma_buf(spec: HostSpec, gpu: GpuModel, release: DriverRelease, problems: Problems) -> None:
    """Refuse a host on which DMA-BUF is impossible, and warn if it is unknown; the kernel has no peer-memory API."""
    kernel = f"the kernel {spec.part.software.kernel}, which has no peer-memory client, with {release.title}"
    stacks = ", ".join(release.stacks)
    hint = f"or a stack that brings a peer-memory client{f', in nic_packages: {stacks}' if stacks else ''}"
    obstacles = list(_dma_buf_obstacles(spec.part.software, gpu))
    if obstacles:
        problems.refuse(
            (*spec.path, "software", "kernel"),
            f"{kernel}; DMA-BUF is not possible either: {'; '.join(obstacles)}",
            _NEEDS,
            hint,
        )
    else:
        problems.warn((*spec.path, "software", "kernel"), f"{kernel}, which brings none", _NEEDS, hint)


def _dma_buf_obstacles(software: SoftwarePart, gpu: GpuModel) -> Iterator[str]:
    """Configured software that excludes DMA-BUF. A RHEL kernel has newer parts than its version number suggests."""
    kernel = software.kernel or ""
    if kernel and ".el" not in kernel and parse_version(kernel.partition("-")[0]) < parse_version(_LINUX):
        yield f"it is older than Linux {_LINUX}"
    if gpu.vendor != "nvidia":
        return
    capability = gpu.compute_capability
    if capability and parse_version(capability.value) < parse_version(_TURING):
        yield f"{a(gpu.title)} is older than Turing"
    if software.cuda and parse_version(software.cuda) < parse_version(_CUDA):
        yield f"CUDA {software.cuda} is older than {_CUDA}"
    if software.gpu_driver and parse_version(software.gpu_driver)[0] < _OPEN:
        yield f"the driver {software.gpu_driver} has no open kernel modules"
