"""Software in the catalogue: compatible versions, and the packages that install a driver."""

from __future__ import annotations

from pydantic import Field

from wirespeed.catalogue.model import Entry, SourcedValue


class CudaToolkit(Entry):
    """A CUDA toolkit and the versions that it works with."""

    title: str
    driver: SourcedValue[str]  # first driver that supports the whole toolkit
    family_driver: SourcedValue[str] | None = None  # first driver on which its programs run
    gcc: SourcedValue[int]  # newest major release of GCC that nvcc works with
    nvhpc: SourcedValue[int] | None = None  # newest year of the HPC SDK whose C++ compiler its headers support
    hpc_sdk: SourcedValue[list[str]] | None = None  # releases of the HPC SDK that contain it
    int128: SourcedValue[bool]  # whether nvcc has 128-bit integers
    breaks_on: SourcedValue[list[str]] | None = None  # systems whose C library nvcc's front end cannot read


class GpuArchitecture(Entry):
    """NVIDIA GPUs of one compute capability. Without a last toolkit or driver they are still supported."""

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
    first_rocm: SourcedValue[str]  # first release whose RCCL has code for them


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
    modules: list[str] = Field(default_factory=list)  # its kernel modules
    dkms: bool = False  # whether it builds the modules for each kernel
    library: str | None = None  # file name pattern of its library
    files: dict[str, str]  # deb, rpm, source -> file name pattern


class StackBuild(Entry):
    """A build of an RDMA stack's release for some systems."""

    systems: list[str] = Field(min_length=1)  # as cluster files name them; rhel-9.* is every minor release
    file: str  # file name pattern of the vendor's download
    kernels: list[str] = Field(min_length=1)  # series that it is known to work with: 5.15, 5.14.0-427
    compiled: bool  # whether its modules are compiled on the host; if not, it contains them for these kernels only
    source: str = Field(min_length=1)


class StackRelease(Entry):
    """A release of an RDMA stack."""

    drivers: str  # version of its drivers, or a prefix of it, as they and the stack report it
    builds: list[StackBuild] = Field(min_length=1)
    breaks_on: SourcedValue[str] | None = None  # first kernel series that its modules are known not to compile for


class Stack(Entry):
    """Drivers and RDMA user space from the vendor of the NICs, which replace those of the system."""

    title: str
    version_text: (
        str  # beginning of the output of `ofed_info -s`; {version} is the release, {drivers} the version of its drivers
    )
    package: str | None = None  # package in the repository that the file adds; None: it has an installer
    releases: dict[str, StackRelease] = Field(min_length=1)
    unlisted_files: dict[str, str] = Field(
        default_factory=dict
    )  # file name pattern of other releases, by distribution; {release}, {version} and {digits} of the system
    source: str = Field(min_length=1)


class QosProgram(Entry):
    """A program with which a NIC's QoS package can set traffic classes."""

    package: str  # what to install, in a sentence: "iproute2 5.11 or later, which contains dcb"
    absent_on: list[str] = Field(default_factory=list)  # patterns of systems whose packages do not contain it
    until: str | None = None  # last driver release with it: 227 is every 227.x
    since: str | None = None  # first release of the QoS package that is known to call it
    source: str = Field(min_length=1)


class DriverRelease(Entry):
    """The packages that install a NIC's driver. Its name is that of the Ethernet driver."""

    title: str
    packages: dict[str, DriverPackage] = Field(default_factory=dict)
    inbox: bool = False  # whether the driver is part of the kernel, so that only the user space is installed
    always: list[str] = Field(default_factory=list)  # packages for every kernel
    peer_memory: list[str] = Field(default_factory=list)  # drivers with a peer-memory client
    without_peer_memory: list[str] = Field(
        default_factory=list
    )  # the same drivers without one; not installed with the former
    archives: list[str] = Field(
        default_factory=list
    )  # the same drivers as source archives, compiled without DKMS; not installed with any of the former
    firmware: str | None = None  # file name pattern of a card's firmware; {card} is the end of the card's part number
    displaced_by: list[str] = Field(default_factory=list)  # RDMA stacks that prevent it from loading
    stacks: dict[str, Stack] = Field(default_factory=dict)  # stacks of the vendor, instead of the kernel's driver
    qos_programs: dict[str, QosProgram] = Field(
        default_factory=dict
    )  # the first that the release and the system have is planned; a package of the same name contains it
    source: str = Field(min_length=1)
