"""What the catalogue knows of software: which versions work together, and what brings a driver onto a host."""

from __future__ import annotations

from pydantic import Field

from wirespeed.catalogue.model import Entry, Sourced


class CudaToolkit(Entry):
    """A CUDA toolkit, and what it works with."""

    title: str
    driver: Sourced[str]  # first driver on which all of it works
    family_driver: Sourced[str] | None = None  # first driver on which its programs run at all
    gcc: Sourced[int]  # newest major release of GCC that nvcc works with
    nvhpc: Sourced[int] | None = None  # newest year of the HPC SDK whose C++ compiler its headers take
    int128: Sourced[bool]  # whether nvcc knows 128-bit integers
    breaks_on: Sourced[list[str]] | None = None  # systems whose C library nvcc's front end cannot read


class GpuArchitecture(Entry):
    """NVIDIA GPUs of one compute capability. No last toolkit or driver: support goes on."""

    title: str
    first_cuda: Sourced[str]
    last_cuda: Sourced[str] | None = None
    last_driver: Sourced[int] | None = None  # branch


class NcclTests(Entry):
    """A revision of nccl-tests."""

    title: str
    int128: Sourced[bool]  # whether it needs 128-bit integers from nvcc


class NcclRelease(Entry):
    """An NCCL release, as NVIDIA builds it."""

    title: str
    builds: Sourced[list[str]]  # the toolkits it is built for
    code: Sourced[dict[str, list[str]]]  # first toolkit -> targets of nvcc, sm_80 or compute_80, from it on


class AmdTarget(Entry):
    """AMD GPUs of one LLVM target."""

    title: str
    first_rocm: Sourced[str]  # whose RCCL has code for them


class KernelSeries(Entry):
    """Kernels of one system and series."""

    title: str
    built_in: Sourced[bool]  # whether a peer-memory client is built in


class RocmRelease(Entry):
    """A ROCm release."""

    title: str
    tested: Sourced[bool]


class DriverPackage(Entry):
    """A package of a NIC driver's release."""

    title: str
    modules: list[str] = Field(default_factory=list)  # kernel modules it brings
    dkms: bool = False  # whether it builds them for each kernel
    library: str | None = None  # file name pattern of the library it brings
    files: dict[str, str]  # deb, rpm, source -> file name pattern


class DriverRelease(Entry):
    """What installs a NIC's driver. Its name is the Ethernet driver's."""

    title: str
    packages: dict[str, DriverPackage] = Field(default_factory=dict)
    inbox: bool = False  # whether it is the kernel's own, so that nothing but the user space is installed
    always: list[str] = Field(default_factory=list)  # whatever the kernel
    peer_memory: list[str] = Field(default_factory=list)  # the drivers with a peer-memory client
    without_peer_memory: list[str] = Field(
        default_factory=list
    )  # the same drivers without one; never beside the former
    firmware: str | None = None  # file name pattern of a card's firmware; {card} is the end of the card's part number
    displaced_by: list[str] = Field(default_factory=list)  # RDMA stacks with which it does not load
    source: str = Field(min_length=1)
