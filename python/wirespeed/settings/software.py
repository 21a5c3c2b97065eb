"""Software of a host: its packages, and the order of their installation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from wirespeed.settings.model import Compare, Setting


class Action(StrEnum):
    """One step of an installation."""

    UNINSTALL_STACK = "uninstall stack"  # another vendor's RDMA software, with its uninstaller
    REMOVE = "remove"  # modules built for each kernel that conflict
    PREREQUISITES = "prerequisites"  # compiler, kernel headers, RDMA user space
    PROGRAM_TOOLS = "build tools of jobs"  # compiler and headers of job-programs.sh
    BUILD_TOOLS = "build tools"  # compiler and kernel headers only: the stack contains the RDMA user space
    STACK = "RDMA stack"  # the NIC vendor's drivers and user space, with installer or repository
    GPU_DRIVER = "GPU driver"
    CUDA = "CUDA toolkit"
    HPC_SDK = "HPC SDK"
    ROCM = "ROCm"
    NCCL = "NCCL"
    INSTALL = "install"
    BUILD = "build"  # a library, from source
    BUILD_DRIVERS = "build drivers"  # from source, for the running kernel only
    PEER_MEMORY = "peer memory"  # module of the GPU driver, compiled before the stack that it needs
    FIRMWARE = "firmware"  # of the NICs; takes effect after a reboot
    RENAME_INBOX = "rename the inbox library"  # so that the library that was built is loaded
    BOOT_IMAGE = "boot image"  # the boot image contains drivers too
    REBOOT = "reboot"


@dataclass(frozen=True, slots=True)
class Package:
    """A piece of software. Its name is that of the release it comes from."""

    kind: ClassVar[str] = "package"

    installed: Annotated[bool | None, Setting("installed for the running kernel")] = None
    version: Annotated[str | None, Setting("version", compare=Compare.RELEASE)] = None
    other_kernels: Annotated[
        tuple[str, ...] | None,
        Setting(
            "kernels for which its modules are installed, if none is running; none of a package that was not built",
            compare=Compare.NONE,
            observed=True,
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class InstallStep:
    """One step of the installation. Its name is its number, from 1."""

    kind: ClassVar[str] = "step"

    action: Annotated[Action | None, Setting("action", compare=Compare.NONE)] = None
    subject: Annotated[str | None, Setting("software that the action applies to", compare=Compare.NONE)] = None
    version: Annotated[str | None, Setting("version", compare=Compare.NONE)] = None
    files: Annotated[
        Mapping[str, str] | None, Setting("file name patterns of a package by format", compare=Compare.NONE)
    ] = None
    why: Annotated[str | None, Setting("reason, as text", compare=Compare.NONE)] = None


def name_toolkit(release: str, sdk: str | None) -> str:
    """The name of a CUDA toolkit: scripts look for it in the folder of the HPC SDK, or in that of CUDA."""
    return f"{release} of HPC SDK {sdk}" if sdk else release


@dataclass(frozen=True, slots=True)
class Software:
    """Versions of the software that jobs are built with and run on."""

    gpu_driver: Annotated[str | None, Setting("version of the NVIDIA driver")] = None
    rocm: Annotated[str | None, Setting("ROCm release")] = None
    cuda: Annotated[tuple[str, ...] | None, Setting("CUDA releases that scripts use", compare=Compare.NONE)] = None
    cuda_toolkits: Annotated[
        tuple[str, ...] | None,
        Setting("CUDA toolkits; one in an HPC SDK counts only in this release of it", compare=Compare.CONTAINS),
    ] = None
    nccl: Annotated[tuple[str, ...] | None, Setting("NCCL releases", compare=Compare.CONTAINS)] = None
    rdma_stack: Annotated[
        str | None, Setting("RDMA stack of the NIC's vendor, with its version", compare=Compare.NONE)
    ] = None
    nvhpc: Annotated[str | None, Setting("HPC SDK", compare=Compare.NONE)] = None
    gcc: Annotated[str | None, Setting("major release of GCC under nvcc", compare=Compare.NONE)] = None
    nccl_tests: Annotated[str | None, Setting("revision of nccl-tests", compare=Compare.NONE)] = None
    rccl: Annotated[str | None, Setting("RCCL release, a version of NCCL", compare=Compare.VERSION)] = None
    ucx: Annotated[str | None, Setting("UCX release", compare=Compare.VERSION)] = None
    openmpi: Annotated[str | None, Setting("Open MPI release", compare=Compare.VERSION)] = None
    perftest: Annotated[str | None, Setting("revision of perftest", compare=Compare.NONE)] = None
    perftest_memory: Annotated[
        str | None, Setting("GPU memory that perftest can use: rocm or cuda", compare=Compare.EXACT)
    ] = None
    program_files: Annotated[
        Mapping[str, str] | None,
        Setting("file or program that shows each version of a program of jobs", compare=Compare.NONE, observed=True),
    ] = None
    path_versions: Annotated[
        Mapping[str, str] | None,
        Setting(
            "version of the first UCX and Open MPI in PATH, beside those of the home folder",
            compare=Compare.NONE,
            observed=True,
        ),
    ] = None
    rccl_tests: Annotated[str | None, Setting("revision of rccl-tests", compare=Compare.EXACT)] = None
    osu: Annotated[str | None, Setting("release of the OSU micro-benchmarks", compare=Compare.VERSION)] = None
    iperf3: Annotated[str | None, Setting("release of iperf3", compare=Compare.EXACT)] = None
    gencode: Annotated[
        tuple[str, ...] | None, Setting("nvcc code targets for the GPUs of the host", compare=Compare.NONE)
    ] = None
