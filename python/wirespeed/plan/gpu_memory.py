"""How a NIC reaches GPU memory: by a peer-memory client, by DMA-BUF, or not at all.

DMA-BUF needs Linux 5.12 and, of NVIDIA, the open kernel modules, CUDA 11.7 and a Turing GPU or newer (NVIDIA GPU
Operator documentation, GPUDirect RDMA). The open modules came with branch 515 (NVIDIA open GPU kernel modules,
release 515.43.04); Turing has compute capability 7.5 (NVIDIA, CUDA GPUs).
"""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.catalogue.compat import DriverRelease
from wirespeed.catalogue.model import GpuModel
from wirespeed.cluster import HostSpec, SoftwarePart
from wirespeed.plan.combination import a, version
from wirespeed.plan.problems import Problems

NVIDIA_CLIENT = "nvidia_peermem"
"""The NVIDIA driver's module that registers GPU memory with the peer-memory API; in the driver from branch 470 on
(NVIDIA CUDA documentation, GPUDirect RDMA, nvidia-peermem)."""
_FIRST_CLIENT = 470
_LINUX, _CUDA, _OPEN, _TURING = "5.12", "11.7", 515, "7.5"
_NEEDS = "DMA-BUF: Linux 5.12 or later; NVIDIA: open kernel modules, CUDA 11.7 or later, Turing or newer"


def check_client(spec: HostSpec, gpu: GpuModel, problems: Problems) -> None:
    """With a peer-memory API in the kernel: whether the GPU's driver has a client for it."""
    driver = spec.part.software.gpu_driver
    if gpu.vendor == "nvidia" and driver is not None and version(driver)[0] < _FIRST_CLIENT:
        problems.refuse(
            (*spec.path, "software", "gpu_driver"),
            f"the driver {driver}, which has no nvidia-peermem",
            f"branch {_FIRST_CLIENT}, the first that has it, or a newer one",
            "without it the NIC does not reach GPU memory",
        )


def check_dma_buf(spec: HostSpec, gpu: GpuModel, release: DriverRelease, problems: Problems) -> None:
    """Without a peer-memory API in the kernel: whether DMA-BUF can be."""
    kernel = f"the kernel {spec.part.software.kernel}, which has no peer-memory client, with {release.title}"
    stacks = ", ".join(release.stacks)
    hint = f"or a stack that brings a peer-memory client{f', in nic_packages: {stacks}' if stacks else ''}"
    missing = list(_dma_buf_obstacles(spec.part.software, gpu))
    if missing:
        problems.refuse(
            (*spec.path, "software", "kernel"), f"{kernel}; nor can DMA-BUF be: {'; '.join(missing)}", _NEEDS, hint
        )
    else:
        problems.warn((*spec.path, "software", "kernel"), f"{kernel}, which brings none", _NEEDS, hint)


def _dma_buf_obstacles(software: SoftwarePart, gpu: GpuModel) -> Iterator[str]:
    """What is named and rules DMA-BUF out. A RHEL kernel has newer parts than its version number suggests."""
    kernel = software.kernel or ""
    if kernel and ".el" not in kernel and version(kernel.partition("-")[0]) < version(_LINUX):
        yield f"it is older than Linux {_LINUX}"
    if gpu.vendor != "nvidia":
        return
    capability = gpu.compute_capability
    if capability and version(capability.value) < version(_TURING):
        yield f"{a(gpu.title)} is older than Turing"
    if software.cuda and version(software.cuda) < version(_CUDA):
        yield f"CUDA {software.cuda} is older than {_CUDA}"
    if software.gpu_driver and version(software.gpu_driver)[0] < _OPEN:
        yield f"the driver {software.gpu_driver} has no open kernel modules"
