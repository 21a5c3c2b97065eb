"""The hosts in the cluster file."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from wirespeed.cluster.fields import (
    BandwidthText,
    DomainName,
    DurationText,
    Flag,
    GencodeText,
    Hardware,
    HostAddress,
    InterfaceAddress,
    InterfaceName,
    KernelParameter,
    ModelName,
    PcieAddress,
    PcieBytes,
    Positive,
    RevisionText,
    SizeText,
    SlotText,
    Unfit,
    VersionText,
    Whole,
)
from wirespeed.cluster.part import Part
from wirespeed.errors import did_you_mean, format_choices
from wirespeed.units import Duration, Size

_SCOPE_HINT = "docs/concepts/scope.md lists what a cluster file does not contain, such as BMC settings"


class NicPart(Part):
    """Settings of one NIC port."""

    address: InterfaceAddress | None = Field(
        default=None, description="address with prefix length, instead of the scheme's"
    )
    gateway: InterfaceAddress | None = Field(
        default=None,
        examples=["10.1.0.0/31"],
        description="next hop with prefix length, instead of the scheme's",
    )
    mtu: Positive | None = Field(default=None, description="largest IP packet in bytes")
    rail: Positive | None = Field(default=None, description="rail, instead of its position")
    rdma_device: InterfaceName | None = Field(
        default=None, description="RDMA device name, instead of the driver's numbering"
    )
    jobs: Flag | None = Field(default=None, description="whether jobs use the port; default: true")
    speed: BandwidthText | None = Field(default=None, description="link speed, instead of the NIC model's")
    slot: SlotText | None = Field(default=None, description="PCIe slot, such as gen5 x8, instead of the server's")
    pcie: PcieAddress | None = Field(
        default=None, description="PCIe address of the port, as lspci prints it; default: found by its interface"
    )
    max_payload: PcieBytes | None = Field(
        default=None,
        description="expected PCIe MaxPayload in bytes; firmware and kernel set it, wirespeed only checks it",
    )
    max_read_request: PcieBytes | None = Field(
        default=None,
        description="expected PCIe MaxReadReq in bytes; firmware and driver set it, wirespeed only checks it",
    )


class SoftwarePart(Part):
    """Software of a host. Versions must be compatible. Software without a key is not changed."""

    unknown_key_hint: ClassVar[str] = "write drivers and stacks of the NIC vendor as nic_packages: {NAME: RELEASE}"

    kernel: VersionText | None = Field(default=None, description="release of the kernel, as uname -r prints it")
    peer_memory: Flag | None = Field(
        default=None,
        description="whether that kernel has a built-in peer-memory client, instead of the catalogue's value",
    )
    nic_packages: dict[ModelName, VersionText] | None = Field(
        default=None,
        description="packages of the NIC's driver release with their versions; packages "
        "of kernel modules have the names that DKMS lists. Default: the packages of the driver release",
    )
    nic_firmware: VersionText | None = Field(default=None, description="firmware of the NICs, such as 236.1.173.0")
    gpu_driver: VersionText | None = Field(default=None, description="NVIDIA driver, such as 470.182.03")
    rocm: VersionText | None = Field(default=None, description="ROCm release, such as 7.1.0; RCCL comes with it")
    cuda: VersionText | None = Field(default=None, description="CUDA toolkit, such as 11.4")
    nvhpc: VersionText | None = Field(
        default=None, description="HPC SDK that brings toolkit, NCCL, MPI and C++ compiler, such as 21.9"
    )
    gcc: VersionText | None = Field(default=None, description="major release of GCC under nvcc")
    nccl: VersionText | None = Field(default=None, description="NCCL release, such as 2.18.3")
    nvcc_gencode: GencodeText | None = Field(
        default=None,
        description="nvcc targets of nccl-tests and NCCL. With this key, NCCL is built from source. Default: the "
        "targets of the host's GPUs, and NVIDIA's packages of NCCL",
    )
    nccl_tests: RevisionText | None = Field(default=None, description="revision of nccl-tests")
    rccl: VersionText | None = Field(
        default=None, description="RCCL release that ROCm brings, as rccl.h numbers it: 2.27.7; it is checked"
    )
    perftest: RevisionText | None = Field(
        default=None, description="revision of perftest, built from source for the host's GPUs"
    )
    ucx: VersionText | None = Field(default=None, description="UCX release, built from source, such as 1.19.0")
    openmpi: VersionText | None = Field(default=None, description="Open MPI release, built from source, such as 5.0.8")
    rccl_tests: RevisionText | None = Field(default=None, description="revision of rccl-tests, built with openmpi")
    osu: VersionText | None = Field(
        default=None, description="OSU micro-benchmarks, built from source with openmpi, such as 7.5.1"
    )
    iperf3: VersionText | None = Field(
        default=None, description="iperf3 release in PATH, as iperf3 --version prints it: 3.16; it is checked"
    )


class NvmPart(Part):
    """Options in the NVRAM of the NICs, instead of those of the NIC model's data."""

    relaxed_ordering: Flag | None = Field(default=None, description="PCIe relaxed ordering")
    sriov: Flag | None = Field(default=None, description="virtual functions")
    outstanding_reads: Whole | None = Field(
        default=None, description="largest number of outstanding PCIe reads of the NIC; 0: set by the firmware"
    )


class BondMode(StrEnum):
    """Mode of a bond, as the kernel names it (bonding.rst)."""

    BALANCE_RR = "balance-rr"
    ACTIVE_BACKUP = "active-backup"
    BALANCE_XOR = "balance-xor"
    BROADCAST = "broadcast"
    LACP = "802.3ad"
    BALANCE_TLB = "balance-tlb"
    BALANCE_ALB = "balance-alb"


_BOND_ALIASES = {"lacp": BondMode.LACP, **{str(number): mode for number, mode in enumerate(BondMode)}}


def _check_bond_mode(value: object) -> object:
    if value in list(BondMode):
        return value
    mode = _BOND_ALIASES.get(str(value).lower())
    modes = [mode.value for mode in BondMode]
    raise Unfit(format_choices(modes), f"{value} is {mode.value}" if mode else did_you_mean(str(value), modes))


class BondPart(Part):
    """A bond: one interface over several."""

    interfaces: list[InterfaceName] = Field(description="ports of the bond")
    mode: Annotated[BondMode, BeforeValidator(_check_bond_mode)] = Field(
        description="mode, as the kernel names it: active-backup, 802.3ad (LACP), …"
    )
    monitor: DurationText = Field(
        default=Duration.parse("100 ms"),
        json_schema_extra={"default": "100 ms"},
        description="interval of link monitoring (MII): a port without link is found within this time and not used",
    )


class EthernetPart(Part):
    """An Ethernet interface beside the fabric."""

    address: InterfaceAddress = Field(description="address with prefix length")
    gateway: HostAddress | None = Field(default=None, description="next hop of the host's default route")
    name_servers: list[HostAddress] = Field(default=[], description="DNS servers of the host")
    search_domains: list[DomainName] = Field(default=[], description="domains that host names are searched in")
    speed: BandwidthText | None = Field(default=None, description="link speed")
    mtu: Positive | None = Field(
        default=None, description="largest IP packet in bytes; default: that of the operating system, usually 1500"
    )
    bond: BondPart | None = Field(default=None, description="the interface is a bond of these ports")


class NtbPart(Part):
    """The PCIe non-transparent bridge of a host."""

    unknown_key_hint: ClassVar[str] = _SCOPE_HINT

    node_id: Positive = Field(description="number of the host in the PCIe cluster, such as 4 or 8")
    prefetch: SizeText | None = Field(
        default=None,
        description="prefetchable memory window; default: the smallest for the borrowed devices",
        examples=["4096 MiB"],
    )


class LoanPart(Part):
    """A PCIe device that one host lends to another."""

    lender: str = Field(description="host with the device")
    device: str = Field(description="the device: GPU0, GPU1, …; or another name, with `bars` and `numa_node`")
    borrower: str = Field(description="host that uses the device")
    pcie: PcieAddress = Field(description="PCIe address of the device in the lender, as nvidia-smi or lspci prints it")
    bars: list[SizeText] = Field(
        default_factory=list,
        description="memory BARs of a device that is no GPU of the server model, as lspci -vv prints them",
        examples=[["16 KiB"]],
    )
    numa_node: Whole | None = Field(
        default=None, description="NUMA node of a device that is no GPU of the server model, as lspci -vv prints it"
    )
    window: SizeText = Field(
        default=Size.parse("1 GiB"),
        json_schema_extra={"default": "1 GiB"},
        description="memory of the borrower that the device can reach",
        examples=["2 GiB"],
    )


class HostPart(Part):
    """One host, or every host of a node range."""

    unknown_key_hint: ClassVar[str] = _SCOPE_HINT

    model: ModelName | None = Field(default=None, description="server model, of the catalogue or of `hardware.servers`")
    os: ModelName | None = Field(default=None, description="operating system, such as ubuntu-22.04")
    renderer: ModelName | None = Field(
        default=None,
        description="network configuration service: netplan, networkd, networkmanager, …; "
        "default: that of the operating system",
    )
    tuning: ModelName | None = Field(default=None, description="tuning profile in the catalogue, such as esnet-dtn")
    nics: Hardware | None = Field(
        default=None, description="number and model of the NIC ports: `2 x` of a model with two ports is one card"
    )
    ports_per_card: Positive | None = Field(
        default=None,
        description="NIC ports of each card that are used; they share the PCIe link of its slot; "
        "default: the fewest with which all NIC ports fit the slots of the server",
    )
    interfaces: list[InterfaceName] | None = Field(default=None, description="interface names in rail order")
    cpu: ModelName | None = Field(default=None, description="amd or intel, instead of the server model's")
    memory: SizeText | None = Field(default=None, description="installed memory of the host", examples=["2048 GiB"])
    mtu: Positive | None = Field(default=None, description="largest IP packet on every NIC, in bytes; default: 9000")
    control_interface: InterfaceName | None = Field(default=None, description="interface for ssh and job start")
    kernel_parameters: list[KernelParameter] = Field(
        default_factory=list, description="further parameters on the kernel command line, such as net.ifnames=0"
    )
    bios: dict[ModelName, ModelName] = Field(
        default_factory=dict,
        description="attributes of the firmware instead of those of the server model and the tuning profile, such as "
        "`smt: enabled`; `any` accepts every value",
    )
    nvm: NvmPart = Field(default_factory=NvmPart, description="NVRAM options of the NICs")
    nic: dict[InterfaceName, NicPart] = Field(default_factory=dict, description="settings of single NICs, by interface")
    ethernet: dict[InterfaceName, EthernetPart] = Field(
        default_factory=dict,
        description="Ethernet interfaces beside the fabric, by interface; only with cabling: {pattern: back-to-back}",
    )
    ntb: NtbPart | None = Field(default=None, description="PCIe non-transparent bridge of the host")
    software: SoftwarePart = Field(default_factory=SoftwarePart, description="software versions of the host")
    exceptions: dict[str, HostPart] = Field(
        default_factory=dict, alias="except", description="settings of some hosts of the range, by node range"
    )
