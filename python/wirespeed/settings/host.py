"""A host: kernel, modules, limits, and the NICs, GPUs and PCIe functions in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from wirespeed.settings.address import NeighbourEntry, Route, Rule
from wirespeed.settings.bios import BiosAttribute
from wirespeed.settings.kernel_log import KernelMessage
from wirespeed.settings.launch import Launch
from wirespeed.settings.lending import Loan, Ntb
from wirespeed.settings.model import Compare, Setting
from wirespeed.settings.nic import Nic
from wirespeed.settings.pcie import PcieFunction
from wirespeed.settings.software import InstallStep, Package, Software
from wirespeed.units import Size


@dataclass(frozen=True, slots=True)
class Sysctl:
    """A sysctl setting. Its name is the dotted key."""

    kind: ClassVar[str] = "sysctl"

    value: Annotated[str | None, Setting("value, white space normalised")] = None


@dataclass(frozen=True, slots=True)
class Module:
    """A kernel module. Its name is that of the module."""

    kind: ClassVar[str] = "module"

    loaded: Annotated[bool | None, Setting("module loaded or built in")] = None
    version: Annotated[str | None, Setting("version", compare=Compare.NONE)] = None
    service: Annotated[
        str | None, Setting("service that loads the module at boot, instead of the kernel's list", compare=Compare.NONE)
    ] = None


@dataclass(frozen=True, slots=True)
class NumaNode:
    """A NUMA node. Its name is its number."""

    kind: ClassVar[str] = "numa"

    cpus: Annotated[
        frozenset[int] | None,
        Setting("CPUs of the node, as the kernel numbers them", compare=Compare.WITHIN, observed=True),
    ] = None
    memory: Annotated[
        Size | None, Setting("memory of the node that the kernel can use", compare=Compare.AT_LEAST, observed=True)
    ] = None
    distances: Annotated[
        tuple[int, ...] | None, Setting("distance to each node, in their order; 10 is the node itself", observed=True)
    ] = None


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU. Its name is ``GPU`` and its index."""

    kind: ClassVar[str] = "gpu"

    model: Annotated[str | None, Setting("catalogue model", compare=Compare.NONE)] = None
    pcie: Annotated[
        str | None, Setting("PCIe address; in a plan its place in the PCIe tree of the server", observed=True)
    ] = None
    links: Annotated[
        int | None, Setting("working links to other GPUs of the host", "links", Compare.AT_LEAST, observed=True)
    ] = None


@dataclass(frozen=True, slots=True)
class Kernel:
    """The running kernel."""

    version: Annotated[str | None, Setting("release", compare=Compare.NONE)] = None
    command_line: Annotated[
        tuple[str, ...] | None, Setting("parameters on the kernel command line", compare=Compare.CONTAINS)
    ] = None
    iommu: Annotated[str | None, Setting("default IOMMU domain: passthrough, off or translated", observed=True)] = None
    errors: Annotated[
        tuple[KernelMessage, ...] | None, Setting("NIC and GPU errors in the kernel log", observed=True)
    ] = None


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolution of host names, by DNS and by a list of the host."""

    interface: Annotated[
        str | None, Setting("interface whose configuration names the servers", compare=Compare.NONE)
    ] = None
    servers: Annotated[tuple[str, ...] | None, Setting("DNS servers of the host", compare=Compare.CONTAINS)] = None
    domains: Annotated[
        tuple[str, ...] | None, Setting("domains that host names are searched in", compare=Compare.CONTAINS)
    ] = None
    names: Annotated[
        tuple[str, ...] | None,
        Setting("names that the host gives to addresses without DNS: address and names", compare=Compare.NONE),
    ] = None


@dataclass(frozen=True, slots=True)
class Host:
    """A host. Its name is its host name."""

    kind: ClassVar[str] = "host"

    model: Annotated[str | None, Setting("catalogue model", compare=Compare.NONE)] = None
    vendor: Annotated[str | None, Setting("vendor of the server, as in the catalogue", compare=Compare.NONE)] = None
    bios_version: Annotated[str | None, Setting("version of the firmware", compare=Compare.NONE)] = None
    os: Annotated[
        str | None,
        Setting("operating system: distribution and release", compare=Compare.OS_RELEASE, observed=True),
    ] = None
    os_like: Annotated[
        tuple[str, ...] | None,
        Setting("distributions that this one is derived from; empty: none", compare=Compare.NONE),
    ] = None
    renderer: Annotated[
        str | None,
        Setting("network configuration service: netplan, networkd, networkmanager or wicked", compare=Compare.NONE),
    ] = None
    cpu_vendor: Annotated[str | None, Setting("amd or intel", compare=Compare.NONE)] = None
    memory: Annotated[
        Size | None, Setting("installed memory; read: what the kernel can use", "bytes", Compare.NONE, observed=True)
    ] = None
    recommended_memory: Annotated[
        Size | None, Setting("recommended memory of the server", "bytes", Compare.NONE, observed=True)
    ] = None
    slots: Annotated[
        Mapping[str, str] | None,
        Setting("names of the PCIe slots in use, by the address of their card", compare=Compare.NONE, observed=True),
    ] = None
    kernel: Kernel = field(default_factory=Kernel)
    resolver: Resolver = field(default_factory=Resolver)
    memlock: Annotated[str | None, Setting("locked-memory limit: unlimited, or KiB", "KiB")] = None
    firewall: Annotated[bool | None, Setting("active packet filtering by a firewall", observed=True)] = None
    peer_memory: Annotated[bool | None, Setting("peer-memory client for GPU memory in the kernel", observed=True)] = (
        None
    )
    governor: Annotated[str | None, Setting("frequency governor of the CPU cores")] = None
    idle_states: Annotated[
        frozenset[str] | None, Setting("enabled idle states of CPU cores, by name", compare=Compare.WITHIN)
    ] = None
    irq_balancing: Annotated[bool | None, Setting("interrupt balancing between CPU cores by a daemon")] = None
    rdma_naming: Annotated[str | None, Setting("udev naming of RDMA devices: NAME_KERNEL, NAME_FALLBACK, …")] = None
    acs_service: Annotated[bool | None, Setting("service that disables ACS at every boot")] = None
    rdma_libraries: Annotated[
        str | None, Setting("compatibility of user-space RDMA libraries and driver: ok, or the warning", observed=True)
    ] = None
    qos_tools: Annotated[
        frozenset[str] | None,
        Setting("installed programs that set traffic classes of NICs", compare=Compare.CONTAINS),
    ] = None
    qos_program: Annotated[
        str | None,
        Setting(
            "program that the NICs' QoS package calls to set traffic classes; empty if its file has none", observed=True
        ),
    ] = None
    conflicting_stacks: Annotated[
        tuple[str, ...] | None, Setting("RDMA stacks that replace the modules of the NIC's driver", observed=True)
    ] = None
    rdma_devices: Annotated[
        tuple[str, ...] | None,
        Setting("RDMA devices in the kernel; an empty list if there are none", compare=Compare.NONE),
    ] = None
    infiniband_devices: Annotated[
        tuple[str, ...] | None,
        Setting("RDMA devices whose port is in InfiniBand mode", compare=Compare.NONE),
    ] = None
    bios: Mapping[str, BiosAttribute] = field(default_factory=dict)
    sysctls: Mapping[str, Sysctl] = field(default_factory=dict)
    modules: Mapping[str, Module] = field(default_factory=dict)
    numa: Mapping[str, NumaNode] = field(default_factory=dict)
    nics: Mapping[str, Nic] = field(default_factory=dict)
    gpus: Mapping[str, Gpu] = field(default_factory=dict)
    pcie: Mapping[str, PcieFunction] = field(default_factory=dict)
    ipv6_rules: Annotated[int | None, Setting("IPv6 rules in the kernel", observed=True)] = None
    ipv6_routes: Annotated[int | None, Setting("IPv6 routes in the kernel", observed=True)] = None
    rules: Mapping[str, Rule] = field(default_factory=dict)
    routes: Mapping[str, Route] = field(default_factory=dict)
    neighbours: Mapping[str, NeighbourEntry] = field(default_factory=dict)
    launch: Launch = field(default_factory=Launch)
    software: Software = field(default_factory=Software)
    packages: Mapping[str, Package] = field(default_factory=dict)
    steps: Mapping[str, InstallStep] = field(default_factory=dict)
    ntbs: Mapping[str, Ntb] = field(default_factory=dict)
    loans: Mapping[str, Loan] = field(default_factory=dict)
    inactive_services: Annotated[
        tuple[str, ...] | None, Setting("services of the PCIe bridge that are not active", observed=True)
    ] = None
    usable_gpus: Annotated[
        int | None, Setting("GPUs usable by programs on the host, borrowed ones included", "GPUs", observed=True)
    ] = None

    @property
    def borrowed_gpus(self) -> list[Loan]:
        """The loans of GPUs that the host borrows."""
        return [loan for loan in self.loans.values() if loan.borrowed and loan.gpu is not False]

    @property
    def lent_gpus(self) -> list[Loan]:
        """The loans of GPUs that the host lends."""
        return [loan for loan in self.loans.values() if loan.borrowed is False and loan.gpu is not False]

    @property
    def gpus_per_rank(self) -> int | None:
        """GPUs of each rank of a job on all GPUs of the host; None without GPUs, or if ranks cannot share them evenly.

        One process drives several GPUs, as nccl-tests' option ``-g`` makes it (957608-AN210, 8.7.2.1.2: ``slots=1``,
        ``-g 8``).
        """
        ranks = self.launch.ranks_per_host or len(self.gpus)
        return len(self.gpus) // ranks if self.gpus and len(self.gpus) % ranks == 0 else None
