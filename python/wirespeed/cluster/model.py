"""The model of the cluster file. The description of an optional field states its default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field

from wirespeed.cluster.fields import (
    ArpMode,
    BandwidthText,
    DomainName,
    DscpNumber,
    Dscps,
    DurationText,
    Flag,
    GencodeText,
    Hardware,
    HostAddress,
    InterfaceAddress,
    InterfaceName,
    KernelParameter,
    LengthText,
    Line,
    ModelCount,
    ModelName,
    Network,
    Network4,
    NicCosQueueNumber,
    NicTrafficClassNumber,
    OptionalPercent,
    OptionalWhole,
    PcieAddress,
    PcieBytes,
    Percent,
    PortName,
    Positive,
    PriorityGroupNumber,
    PriorityNumber,
    ReleaseText,
    RevisionText,
    SizeText,
    SlotText,
    SwitchQueueNumber,
    SwitchTrafficClassNumber,
    Unfit,
    VariableName,
    VersionText,
    Whole,
)
from wirespeed.cluster.hardware import HardwarePart
from wirespeed.cluster.part import Part
from wirespeed.errors import did_you_mean, format_choices
from wirespeed.settings import Congestion, Dscp, Ect, Priority, WatchdogAction
from wirespeed.units import Duration, Length, Size


class Scheme(StrEnum):
    """Scheme of the addresses of NICs."""

    LINK_31 = "link-31"
    RAIL_24 = "rail-24"
    LEAF_26 = "leaf-26"
    LINK_127 = "link-127"
    RAIL_64 = "rail-64"
    LEAF_64 = "leaf-64"

    @property
    def shape(self) -> str:
        """The unit with a separate subnet: ``link``, ``rail``, or ``leaf`` (each rail on each leaf)."""
        return self.value.partition("-")[0]

    @property
    def prefix(self) -> int:
        """Prefix length of a subnet."""
        return int(self.value.partition("-")[2])

    @property
    def version(self) -> int:
        """IP version."""
        return 4 if self.prefix <= 32 else 6


class Pattern(StrEnum):
    """Pattern of the cables between NICs and leaf ports."""

    BY_HOST = "by-host"
    BY_RAIL = "by-rail"
    FILE = "file"
    BACK_TO_BACK = "back-to-back"


class Underlay(StrEnum):
    """Routing protocol between switches."""

    BGP_UNNUMBERED = "bgp-unnumbered"
    BGP_NUMBERED = "bgp-numbered"
    NONE = "none"


class AsnPer(StrEnum):
    """Unit with one autonomous system number."""

    TIER = "tier"
    SWITCH = "switch"


class BalancingMode(StrEnum):
    """Mode of load balancing over equal-cost paths."""

    STATIC = "static"
    FLOWLET = "flowlet"
    PER_PACKET = "per-packet"
    ASSIGNED_FLOW = "assigned-flow"


class Starter(StrEnum):
    """Launcher of the ranks of a job."""

    MPIRUN = "mpirun"
    MPIRUN_RSH = "mpirun-rsh"
    HYDRA = "hydra"
    SLURM = "slurm"


class BindingPolicy(StrEnum):
    """How the ranks of a host are bound to its cores; `plan/core_binding.py` computes them."""

    BUNCH = "bunch"
    SCATTER = "scatter"
    LINEAR = "linear"
    COMPACT = "compact"
    SPREAD = "spread"
    NUMA = "numa"


class Transport(StrEnum):
    """RDMA transport of a job. UCX has an accelerated variant of each for some NICs; ``-verbs`` excludes it."""

    RC = "rc"
    UD = "ud"
    HYBRID = "hybrid"
    RC_VERBS = "rc-verbs"
    UD_VERBS = "ud-verbs"
    HYBRID_VERBS = "hybrid-verbs"


class Distance(StrEnum):
    """Distance of two PCIe devices, from the same device to across sockets, in NCCL's terms."""

    LOC = "LOC"
    NVL = "NVL"
    PIX = "PIX"
    PXB = "PXB"
    PHB = "PHB"
    SYS = "SYS"


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

    kernel: VersionText | None = Field(default=None, description="release of the kernel, as uname -r prints it")
    peer_memory: Flag | None = Field(
        default=None,
        description="whether that kernel has a built-in peer-memory client, instead of the catalogue's value",
    )
    nic_packages: dict[ModelName, VersionText] | None = Field(
        default=None,
        description="packages of the NIC's driver release with their versions, instead of the default ones",
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
        description="nvcc targets of nccl-tests and of NCCL, which is then built from source; default: the host's "
        "GPUs, and NVIDIA's build of NCCL",
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
    bond: BondPart | None = Field(default=None, description="the interface is a bond of these ports")


class NtbPart(Part):
    """The PCIe non-transparent bridge of a host."""

    node_id: Positive = Field(description="number of the host in the PCIe cluster, such as 4 or 8")
    prefetch: SizeText | None = Field(
        default=None, description="prefetchable memory window; default: the smallest for the borrowed devices"
    )


class LoanPart(Part):
    """A PCIe device that one host lends to another."""

    lender: str = Field(description="host with the device")
    device: str = Field(description="the device: GPU0, GPU1, …")
    borrower: str = Field(description="host that uses the device")
    pcie: PcieAddress = Field(description="PCIe address of the device in the lender, as nvidia-smi prints it there")
    window: SizeText = Field(
        default=Size.parse("1 GiB"),
        json_schema_extra={"default": "1 GiB"},
        description="memory of the borrower that the device can reach",
    )


class HostPart(Part):
    """One host, or every host of a node range."""

    model: ModelName | None = Field(default=None, description="server model, of the catalogue or of `hardware.servers`")
    os: ModelName | None = Field(default=None, description="operating system, such as ubuntu-22.04")
    renderer: ModelName | None = Field(
        default=None,
        description="network configuration service: netplan, networkd, networkmanager, …; "
        "default: that of the operating system",
    )
    tuning: ModelName | None = Field(default=None, description="tuning profile in the catalogue, such as esnet-dtn")
    nics: Hardware | None = Field(default=None, description="number and model of the NIC ports")
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


class EcnPart(Part):
    """Marking thresholds."""

    minimum: SizeText | None = Field(default=None, description="queue depth where marking starts")
    maximum: SizeText | None = Field(default=None, description="queue depth from which every packet is marked")
    probability: Percent | None = Field(default=None, description="marking probability at the maximum")
    minimum_fill: Percent | None = Field(
        default=None, description="minimum, on systems that count in percent of the queue's buffer"
    )
    maximum_fill: Percent | None = Field(
        default=None, description="maximum, on systems that count in percent of the queue's buffer"
    )


class BuffersPart(Part):
    """Division of the packet buffer of a switch."""

    lossless_share: Percent | None = Field(default=None, description="ingress buffer for lossless traffic")
    headroom_share: Percent | None = Field(default=None, description="ingress buffer for lossless headroom")
    lossy_share: Percent | None = Field(default=None, description="ingress buffer for lossy traffic")
    shared_headroom: SizeText | None = Field(
        default=None,
        description="headroom that all lossless priority groups share, instead of separate headroom for each",
    )
    egress_lossless_share: Percent | None = Field(default=None, description="egress buffer for lossless traffic")
    egress_lossy_share: Percent | None = Field(default=None, description="egress buffer for lossy traffic")
    dedicated_ingress: OptionalPercent | None = Field(
        default=None, description="dedicated ingress buffer per port; none: not configured"
    )
    dedicated_egress: OptionalPercent | None = Field(
        default=None, description="dedicated egress buffer per port; none: not configured"
    )
    dynamic_threshold: OptionalWhole | None = Field(
        default=None,
        description="alpha: share of the free buffer that one lossless priority group may use, in the unit of the "
        "switch OS; none: not configured",
    )


class LoadBalancingPart(Part):
    """Load balancing over equal-cost paths."""

    mode: BalancingMode | None = Field(default=None, description="static, flowlet, per-packet or assigned-flow")
    flowlet_gap: DurationText | None = Field(
        default=None, examples=["50 us"], description="pause in a flow after which it may change its path"
    )
    flowlet_table: Positive | None = Field(default=None, description="number of tracked flowlets")


class QueuePart(Part):
    """Traffic class, queue and priority group of one class on a switch; overrides the data of its operating system."""

    traffic_class: SwitchTrafficClassNumber | None = Field(default=None, description="internal traffic class")
    queue: SwitchQueueNumber | None = Field(default=None, description="egress queue")
    priority_group: PriorityGroupNumber | None = Field(default=None, description="ingress priority group")
    ecn: EcnPart = Field(default_factory=EcnPart, description="marking thresholds of the queue")


class WatchdogPart(Part):
    """PFC watchdog."""

    action: WatchdogAction | None = Field(
        default=None,
        description="action for a stuck queue: drop, forward, alert or errdisable, as the switch OS supports",
    )
    detect: DurationText | None = Field(default=None, description="pause time after which a queue is stuck")
    restore: DurationText | None = Field(default=None, description="pause-free time after which the queue is restored")
    poll: DurationText | None = Field(default=None, description="polling interval of the watchdog")


class PortPart(Part):
    """Settings of one switch port."""

    mtu: Positive | None = Field(default=None, description="largest IP packet in bytes")
    speed: BandwidthText | None = Field(default=None, description="link speed")
    fec: ModelName | None = Field(default=None, description="forward error correction: rs, fc or none")
    description: Line | None = Field(
        default=None, description="description of the port; default: the device and port at the other end"
    )


class SwitchPart(Part):
    """One switch, or every switch of a range."""

    model: ModelName | None = Field(default=None, description="switch model in the catalogue")
    os: ModelName | None = Field(
        default=None, description="operating system; optional for a switch model with one only"
    )
    os_version: ReleaseText | None = Field(
        default=None,
        examples=["202505"],
        description="release of the operating system; without it: the syntax of the newest release (Cumulus Linux: "
        "of 5.15 or later), and only values that every release accepts",
    )
    role: ModelName | None = Field(
        default=None,
        description="leaf connects hosts; with `fabric`: leaf, spine or core; without `fabric`: any name",
    )
    mtu: Positive | None = Field(default=None, description="largest IP packet on every port, in bytes")
    breakout: Positive | None = Field(default=None, description="number of ports per front-panel port")
    classes: dict[str, QueuePart] = Field(
        default_factory=dict, description="traffic class, queue and priority group of each class"
    )
    ecn: EcnPart = Field(default_factory=EcnPart, description="marking thresholds of every marked queue")
    watchdog: WatchdogPart = Field(default_factory=WatchdogPart, description="PFC watchdog")
    buffers: BuffersPart = Field(default_factory=BuffersPart, description="division of the packet buffer")
    load_balancing: LoadBalancingPart = Field(
        default_factory=LoadBalancingPart, description="load balancing over equal-cost paths"
    )
    latency: DurationText | None = Field(
        default=None,
        examples=["700 ns"],
        description="latency of the idle switch, last bit in to first bit out, for headroom, ECN and simulator; "
        "not rendered",
    )
    credit_latency: DurationText | None = Field(
        default=None,
        examples=["2 us"],
        description="part of the latency for a credit of a virtual output queue, for the simulator",
    )
    ports: dict[PortName, PortPart] = Field(default_factory=dict, description="settings of single ports")
    exceptions: dict[str, SwitchPart] = Field(
        default_factory=dict, alias="except", description="settings of some switches of the range"
    )


class LinkPart(Part):
    """Cables between switches: every switch of one set to every switch of another."""

    a: str = Field(description="a switch range, such as leaf[1-4]")
    b: str = Field(description="a switch range, such as spine[1-2]")
    count: Positive = Field(default=1, description="parallel cables between each pair")
    speed: BandwidthText | None = Field(
        default=None, description="speed of each cable; default: that of the slower switch"
    )
    cable: ModelName | None = Field(default=None, description="cable in the catalogue")
    length: LengthText | None = Field(default=None, description="length of each cable")


class TierPart(Part):
    """Cables from each switch of one tier up to the next."""

    uplinks: Positive = Field(description="cables from each switch, divided evenly among the switches above it")
    speed: BandwidthText | None = Field(
        default=None, description="speed of each cable; default: that of the slower switch"
    )
    cable: ModelName | None = Field(default=None, description="cable in the catalogue")
    length: LengthText | None = Field(default=None, description="length of each cable")


class FabricPart(Part):
    """A fabric by its pattern, instead of `links`: switches with the roles leaf, spine and core, in file order."""

    planes: Positive = Field(
        default=1, description="parallel fabrics: rail r is in plane 1 + (r - 1) mod planes, on separate leaves"
    )
    pods: Positive = Field(
        default=1, description="number of groups; leaves, spines and hosts are divided evenly among them"
    )
    leaf_spine: TierPart = Field(description="cables from each leaf to the spines of its pod")
    spine_core: TierPart | None = Field(
        default=None, description="cables from each spine to the cores; without it, one pod of two tiers"
    )


class CablingPart(Part):
    """Cables between hosts and leaves."""

    pattern: Pattern | None = Field(default=None, description="by-host, by-rail, file, or back-to-back")
    file: str | None = Field(
        default=None, description="CSV file of cables, as `wirespeed plan --cables --format csv` writes it"
    )
    cable: ModelName | None = Field(default=None, description="cable in the catalogue")
    length: LengthText | None = Field(
        default=None, description="length of every host cable; with hosts in several racks, that of the longest"
    )


class AddressPart(Part):
    """Addresses of the RDMA NICs."""

    scheme: Scheme = Field(
        description="link-31, or IPv6 link-127: a subnet per cable; rail-24, rail-64: a subnet and a VLAN per rail;"
        " leaf-26, leaf-64: a subnet and a VLAN per rail on each leaf"
    )
    pool: Network | None = Field(
        default=None, description="pool of the addresses; default with rail-24: 192.168.0.0/16"
    )
    subnets: list[Network] | None = Field(
        default=None, description="rail-24, rail-64: the subnet of each rail, instead of the pool's"
    )
    fabric: Network | None = Field(default=None, description="pool of the /31s or /127s between switches")
    loopbacks: Network4 | None = Field(default=None, description="pool of the loopback addresses of the switches")
    management: Network | None = Field(
        default=None, description="network of the control interfaces; it must not overlap the others"
    )
    arp_announce: ArpMode = Field(
        default=2, description="addresses that hosts announce: 1 avoids those of other subnets, 2 takes the best one"
    )
    arp_ignore: ArpMode = Field(
        default=1,
        description="ARP requests that hosts answer: 1 for addresses of the interface, 2 also of its subnet only",
    )


class AsnPart(Part):
    """Autonomous system numbers of the switches."""

    base: Positive = Field(default=4_200_000_000, description="AS number of the first spine (RFC 6996)")
    leaves: Positive | None = Field(default=None, description="number of the first leaf; default: base + 10000")
    per: AsnPer = Field(
        default=AsnPer.TIER,
        description="tier: one AS number per leaf, one per pod for its spines, one for the top tier (RFC 7938, 5.2.1);"
        " switch: one per switch",
    )


class RoutingPart(Part):
    """Routing between switches."""

    underlay: Underlay | None = Field(
        default=None,
        description="bgp-numbered (needs addresses.fabric), bgp-unnumbered, or none: routes are configured by other "
        "means; default: numbered with addresses.fabric, else unnumbered",
    )
    asn: AsnPart = Field(default_factory=AsnPart, description="autonomous system numbers")
    bfd: Flag | None = Field(default=None, description="whether sessions use BFD")
    ecmp: Positive | None = Field(
        default=None, description="largest number of equal-cost paths of a route; default: as cabled"
    )


class NicClassPart(Part):
    """Traffic class of one class on the NICs; overrides the data of the NIC model."""

    dscp: DscpNumber | None = Field(
        default=None, description="DSCP that NICs send; default: the lowest of the class; classes roce and cnp only"
    )
    traffic_class: NicTrafficClassNumber | None = Field(default=None, description="NIC traffic class")
    cos_queue: NicCosQueueNumber | None = Field(default=None, description="NIC class-of-service queue")
    ect: Ect | None = Field(default=None, description="ECN code point of RoCE data that the NICs send; class roce only")
    congestion_parameters: dict[VariableName, Whole] | None = Field(
        default=None,
        description="parameters of the NICs' congestion control, as the driver names them; class roce only",
    )
    buffer: Whole | None = Field(default=None, description="receive buffer of the NICs, 0 to 7")
    buffer_size: SizeText | None = Field(default=None, description="size of that receive buffer")


class ClassPart(Part):
    """One traffic class of the whole cluster."""

    dscp: Dscps | None = Field(default=None, description="DSCP values; the class `default` takes all others")
    priority: PriorityNumber = Field(description="802.1p and PFC priority")
    lossless: Flag = Field(default=False, description="whether PFC protects the class")
    strict: Flag = Field(default=False, description="whether the class has strict priority")
    share: Percent | None = Field(default=None, description="share of the bandwidth that strict classes leave")
    congestion: Congestion | None = Field(default=None, description="dcqcn-p or dcqcn-d")
    dot1p: Flag = Field(
        default=False,
        description="whether switches assign tagged frames without DSCP to the class by its 802.1p priority (PCP)",
    )
    nic: NicClassPart = Field(
        default_factory=NicClassPart,
        description="settings of the class on NICs; without this key, a class that the NICs' default QoS configuration "
        "does not contain is configured on switches only",
    )


class LaunchPart(Part):
    """Launch of jobs. Defaults: the library's entry in the catalogue."""

    library: ModelName | None = Field(
        default=None, description="library of jobs in the catalogue; default: RCCL or NCCL by GPU, else openmpi"
    )
    starter: Starter | None = Field(
        default=None, description="launcher of the ranks; default: the first of the library"
    )
    ranks: Positive | None = Field(default=None, description="ranks on each host; default: one per GPU, else per NIC")
    threads: Positive | None = Field(default=None, description="threads of a rank, each on a separate core")
    binding: BindingPolicy | None = Field(default=None, description="binding of ranks to cores; default: none")
    gid_index: Whole = Field(default=3, description="GID index of jobs")
    priority: PriorityNumber | None = Field(default=None, description="service level, for tagged frames")
    rdma: Flag | None = Field(default=None, description="whether jobs use RDMA")
    transport: Transport | None = Field(
        default=None, description="RDMA transport; with -verbs without the NIC's accelerated one"
    )
    hybrid_from: Positive | None = Field(default=None, description="ranks of a job from which hybrid uses UD")
    rc_connections: Positive | None = Field(
        default=None, description="maximum number of RC connections per rank, where hybrid uses UD"
    )
    rc_from_messages: Positive | None = Field(
        default=None, description="messages to a rank over UD after which hybrid connects to it over RC"
    )
    queue_pairs: Positive | None = Field(default=None, description="queue pairs of a connection between two ranks")
    coalescing: Flag | None = Field(default=None, description="whether small messages to one rank are sent together")
    coalescing_from: Positive | None = Field(
        default=None, description="outstanding sends from which messages are coalesced"
    )
    eager_sgl: Flag | None = Field(default=None, description="whether eager messages use a scatter-gather list")
    eager_sgl_limit: SizeText | None = Field(
        default=None, description="largest eager message sent from a scatter-gather list"
    )
    async_progress: Flag | None = Field(default=None, description="whether a separate thread progresses messages")
    gpu_memory: Flag | None = Field(
        default=None, description="whether messages can be in GPU memory, with a library built for it (MVAPICH2-GDR)"
    )
    gpu_direct: Distance | None = Field(
        default=None, description="largest distance of a NIC with direct access to GPU memory"
    )
    gpu_direct_reads: Flag | None = Field(default=None, description="whether NICs read GPU memory too")
    gpu_peers: Distance | None = Field(
        default=None, description="largest distance of GPUs with direct access to each other"
    )
    dma_buf: Flag | None = Field(default=None, description="whether GPU memory is registered as dma-buf")
    virtual_memory: Flag | None = Field(default=None, description="whether buffers are virtual GPU memory")
    fine_grained_memory: Flag | None = Field(default=None, description="whether GPU memory over PCIe is fine-grained")
    relaxed_ordering: Flag | None = Field(default=None, description="whether memory allows relaxed ordering")
    shared_memory: Flag | None = Field(default=None, description="whether ranks of a host use shared memory")
    network_within_host: Flag | None = Field(default=None, description="whether ranks of a host may use the NICs")
    channels: Positive | None = Field(default=None, description="minimum number of channels per collective")
    environment: dict[VariableName, Line] = Field(
        default_factory=dict, description="environment variables without a key"
    )


class ClusterFile(Part):
    """The whole file."""

    version: Whole = Field(description="version of this format: 1")
    name: str = Field(description="name of the cluster")
    hosts: dict[str, HostPart] = Field(description="hosts by node range, such as node[001-128,130]")
    switches: dict[str, SwitchPart] = Field(description="switches by range, such as leaf[1-4]")
    links: list[LinkPart] = Field(default_factory=list, description="cables between switches")
    fabric: FabricPart | None = Field(default=None, description="a fabric by its pattern, instead of links")
    cabling: CablingPart = Field(
        default_factory=lambda: CablingPart(pattern=Pattern.BY_HOST), description="cables between hosts and leaves"
    )
    addresses: AddressPart = Field(description="addresses of the RDMA NICs")
    routing: RoutingPart = Field(default_factory=RoutingPart, description="routing between switches")
    classes: dict[str, ClassPart] = Field(
        default_factory=lambda: dict(DEFAULT_CLASSES), description="traffic classes by name"
    )
    lending: list[LoanPart] = Field(default_factory=list, description="PCIe devices that hosts lend each other")
    hardware: HardwarePart = Field(
        default_factory=HardwarePart, description="servers, GPUs and NICs that are not in the catalogue"
    )
    launch: LaunchPart = Field(default_factory=LaunchPart, description="launch of jobs")


DEFAULT_CLASSES: Mapping[str, ClassPart] = {
    "roce": ClassPart(
        dscp=frozenset({Dscp(26)}), priority=Priority(3), lossless=True, share=50, congestion=Congestion.DCQCN_P
    ),
    "cnp": ClassPart(dscp=frozenset({Dscp(48)}), priority=Priority(7), strict=True),
}
"""Default traffic classes; source: Broadcom 957608-AN210, section 2.5."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The line of each part of a cluster file."""

    file: str
    lines: Mapping[tuple[str | int, ...], int] = field(default_factory=dict)

    def locate(self, *path: str | int) -> str:
        """``file:line`` of a part, or of the nearest enclosing part that is in the file."""
        for end in range(len(path), -1, -1):
            line = self.lines.get(path[:end])
            if line is not None:
                return f"{self.file}:{line}"
        return self.file


@dataclass(frozen=True, slots=True)
class HostSpec:
    """One host after the expansion of ranges and exceptions. Hosts of one range share everything but the name."""

    part: HostPart
    model: str
    os: str
    nics: ModelCount
    path: tuple[str | int, ...]  # its path in the file


@dataclass(frozen=True, slots=True)
class SwitchSpec:
    """One switch after the expansion of ranges and exceptions."""

    part: SwitchPart
    model: str
    os: str | None
    role: str
    path: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class CableRow:
    """One line of a cabling file."""

    a: tuple[str, str]
    b: tuple[str, str]
    location: str
    length: Length | None = None


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster file that was read: well formed, names unique, ranges expanded."""

    name: str
    hosts: Mapping[str, HostSpec]
    switches: Mapping[str, SwitchSpec]
    links: tuple[tuple[LinkPart, tuple[str, ...], tuple[str, ...]], ...]
    fabric: FabricPart | None
    cabling: CablingPart
    addresses: AddressPart
    routing: RoutingPart
    classes: Mapping[str, ClassPart]
    launch: LaunchPart
    origin: Origin
    rows: tuple[CableRow, ...] = ()
    lending: tuple[LoanPart, ...] = ()
    hardware: HardwarePart = field(default_factory=HardwarePart)
