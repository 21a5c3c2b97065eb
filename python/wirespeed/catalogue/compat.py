"""Software in the catalogue: which versions work together, and what brings a driver onto a host."""

from __future__ import annotations

from pydantic import Field

from wirespeed.catalogue.model import Entry, SourcedValue


class CudaToolkit(Entry):
    """A CUDA toolkit, and what it works with."""

    title: str
    driver: SourcedValue[str]  # first driver on which all of it works
    family_driver: SourcedValue[str] | None = None  # first driver on which its programs run at all
    gcc: SourcedValue[int]  # newest major release of GCC that nvcc works with
    nvhpc: SourcedValue[int] | None = None  # newest year of the HPC SDK whose C++ compiler its headers take
    int128: SourcedValue[bool]  # whether nvcc has 128-bit integers
    breaks_on: SourcedValue[list[str]] | None = None  # systems whose C library nvcc's front end cannot read


class GpuArchitecture(Entry):
    """NVIDIA GPUs of one compute capability. No last toolkit or driver: support goes on."""

    title: str
    first_cuda: SourcedValue[str]
    last_cuda: SourcedValue[str] | None = None
    last_driver: SourcedValue[int] | None = None  # branch


class NcclTests(Entry):
    """A revision of nccl-tests."""

    title: str
    int128: SourcedValue[bool]  # whether it needs 128-bit integers from nvcc


class NcclRelease(Entry):
    """An NCCL release, as NVIDIA builds it."""

    title: str
    builds: SourcedValue[list[str]]  # the toolkits it is built for
    code: SourcedValue[dict[str, list[str]]]  # first toolkit -> targets of nvcc, sm_80 or compute_80, from it on


class AmdTarget(Entry):
    """AMD GPUs of one LLVM target."""

    title: str
    first_rocm: SourcedValue[str]  # whose RCCL has code for them


class KernelSeries(Entry):
    """Kernels of one system and series."""

    title: str
    built_in: SourcedValue[bool]  # whether a peer-memory client is built in


class RocmRelease(Entry):
    """A ROCm release."""

    title: str
    tested: SourcedValue[bool]


class DriverPackage(Entry):
    """A package of a NIC driver's release."""

    title: str
    modules: list[str] = Field(default_factory=list)  # kernel modules it brings
    dkms: bool = False  # whether it builds them for each kernel
    library: str | None = None  # file name pattern of the library it brings
    files: dict[str, str]  # deb, rpm, source -> file name pattern


class StackBuild(Entry):
    """A release of an RDMA stack, as it is built for some systems."""

    systems: list[str] = Field(min_length=1)  # as cluster files name them; rhel-9.* is every minor release
    file: str  # file name pattern of what the vendor ships
    kernels: list[str] = Field(min_length=1)  # series it is known to work with: 5.15, 5.14.0-427
    compiled: bool  # whether its modules are compiled on the host; if not, it has them for these kernels alone
    source: str = Field(min_length=1)


class StackRelease(Entry):
    """A release of an RDMA stack."""

    drivers: str  # version of its drivers, or how it begins; as they and the stack report it
    builds: list[StackBuild] = Field(min_length=1)
    breaks_on: SourcedValue[str] | None = None  # first kernel series that its modules are known not to compile for


class Stack(Entry):
    """Drivers and RDMA user space in one, made by the vendor of the NICs: they replace those of the system."""

    title: str
    version_text: str  # what `ofed_info -s` begins with; {version} is the release, {drivers} the version of its drivers
    package: str | None = None  # what is installed from the repository that the file adds; None: it has an installer
    releases: dict[str, StackRelease] = Field(min_length=1)
    source: str = Field(min_length=1)


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
    stacks: dict[str, Stack] = Field(default_factory=dict)  # of the vendor, instead of the kernel's own driver
    source: str = Field(min_length=1)
