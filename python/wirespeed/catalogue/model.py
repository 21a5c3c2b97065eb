"""Hardware and software in the catalogue. A number without a source is absent, not guessed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from wirespeed.settings import Ect, PriorityGroup, SwitchQueue, SwitchTrafficClass, WatchdogAction, WatchdogRecovery
from wirespeed.settings.bios import BIOS_VALUES
from wirespeed.settings.qos import NicCosQueue, NicTrafficClass
from wirespeed.units import Bandwidth, Duration, Length, Size

T = TypeVar("T")


class Entry(BaseModel):
    """Base of all models of catalogue files."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class SourcedValue(Entry, Generic[T]):
    """A value with the document, standard or measurement it comes from."""

    value: T = Field(description="the number")
    source: str = Field(min_length=1, description="where the number comes from")
    verified: bool = Field(
        default=True, description="whether the source was read; a verdict that depends on another value only warns"
    )


def _parse_bandwidth(value: Any) -> Any:
    return Bandwidth.parse(value) if isinstance(value, str) else value


def _parse_size(value: Any) -> Any:
    return Size.parse(value) if isinstance(value, str) else value


def _parse_duration(value: Any) -> Any:
    return Duration.parse(value) if isinstance(value, str) else value


def _parse_length(value: Any) -> Any:
    return Length.parse(value) if isinstance(value, str) else value


DurationField = Annotated[Duration, BeforeValidator(_parse_duration)]
LengthField = Annotated[Length, BeforeValidator(_parse_length)]
BandwidthField = Annotated[Bandwidth, BeforeValidator(_parse_bandwidth)]
SizeField = Annotated[Size, BeforeValidator(_parse_size)]


NicTrafficClassField = Annotated[NicTrafficClass, BeforeValidator(NicTrafficClass)]
NicCosQueueField = Annotated[NicCosQueue, BeforeValidator(NicCosQueue)]
SwitchTrafficClassField = Annotated[SwitchTrafficClass, BeforeValidator(SwitchTrafficClass)]
SwitchQueueField = Annotated[SwitchQueue, BeforeValidator(SwitchQueue)]
PriorityGroupField = Annotated[PriorityGroup, BeforeValidator(PriorityGroup)]


class PcieAbility(Entry):
    """Fastest PCIe link that a card can train."""

    speed: SourcedValue[int]  # MT/s: 32000 is 32 GT/s, generation 5
    width: SourcedValue[int]  # lanes


class NicClass(Entry):
    """Traffic class and queue of a NIC for one traffic class of the cluster."""

    traffic_class: NicTrafficClassField
    cos_queue: NicCosQueueField | None = None


class NicNvm(Entry):
    """NVRAM options of a NIC for RoCE; the names are those of the settings. None: no such option."""

    rdma: bool | None = None
    performance_profile: str | None = None
    relaxed_ordering: bool | None = None
    sriov: bool | None = None
    link_type: str | None = None
    outstanding_reads: int | None = None
    dcbx: bool | None = None
    lldp_nearest_bridge: bool | None = None
    lldp_nearest_non_tpmr_bridge: bool | None = None
    source: str = Field(min_length=1)


class NtbAbility(Entry):
    """Address space that a non-transparent PCIe bridge reserves by default, and can be configured to reserve."""

    prefetch: SourcedValue[SizeField]  # factory default
    minimum: SourcedValue[SizeField]
    maximum: SourcedValue[SizeField]
    sockets: SourcedValue[BandwidthField] | None = None  # measured between two hosts, over the driver's IP interface


class NicModel(Entry):
    """A NIC."""

    title: str
    vendor: str
    system: str  # folder under platforms/nic
    pci_id: str | None = None  # numbers of vendor and device in pci.ids
    card_vendor: str | None = None  # number of the card's vendor, if the chip is another vendor's
    driver: str | None = None  # kernel driver of the Ethernet interface; None: not known
    modules: list[str]  # kernel modules that the NIC needs
    service_modules: SourcedValue[list[str]] | None = None  # those that services of the vendor, named like them, load
    peer_memory: str | None = None  # kernel module for access to GPU memory
    rdma_prefix: str  # the kernel names RDMA devices with this prefix and a number from 0
    ports: SourcedValue[int]
    speed: SourcedValue[BandwidthField]  # of one port
    default_mode_speed: SourcedValue[BandwidthField] | None = (
        None  # of one port in the card's default port mode, if another
    )
    pcie: PcieAbility
    classes: dict[str, NicClass]  # roce, cnp, default
    ect: SourcedValue[Ect] | None = None  # ECN code point of RoCE data; None: not configurable on the NIC
    stacks: list[str] = []  # RDMA software stacks for it, which displace the drivers of other NICs
    firmware: SourcedValue[str] | None = (
        None  # file name pattern of its firmware; {release} is 28_39_1002 for 28.39.1002
    )
    qos_package: bool = False  # whether a package of the vendor sets QoS whenever the driver is loaded
    congestion_by_priority: bool = False  # whether congestion control is enabled per priority
    buffer_by_cable: bool = False  # whether the receive buffer is sized for the length of the cable
    nvm: NicNvm | None = None
    ring_maximum: SourcedValue[int] | None = None  # largest number of descriptors of a ring, in either direction
    message_rate: SourcedValue[int] | None = None  # messages per second, one direction
    queue_pairs: SourcedValue[int] | None = None  # largest number of one RDMA device
    rdma: bool = True  # whether it has RDMA devices; if not, it is an IP interface only
    ntb: NtbAbility | None = None  # a bridge between the PCIe of two hosts, which can lend each other devices
    description: str | None = None  # source of the values that a cluster file gives; None: the catalogue gives all


class GpuLinks(Entry):
    """The GPU-to-GPU links of one host."""

    name: str  # xGMI, NVLink
    per_gpu: SourcedValue[int]
    full_mesh: bool  # one link to every other GPU, without a switch
    peak: SourcedValue[BandwidthField]  # of one link, one direction
    usable: SourcedValue[BandwidthField] | None = None  # highest measured rate of one link, one direction
    reduction: SourcedValue[float] | None = (
        None  # the switch sums and copies; share of `usable` that this traffic reaches
    )


class GpuModel(Entry):
    """A GPU."""

    title: str
    vendor: str
    pci_id: str | None = None  # numbers of vendor and device in pci.ids
    other_pci_ids: list[str] = []  # of its variants and virtual functions
    module: str  # kernel module
    bars: SourcedValue[list[SizeField]] | None = (
        None  # memory BARs; a host that borrows the GPU needs address space for them
    )
    compute_capability: SourcedValue[str] | None = None  # NVIDIA's number of the architecture
    target: SourcedValue[str] | None = None  # LLVM's name of an AMD architecture
    links: GpuLinks | None = None
    pcie: PcieAbility


class LineCards(Entry):
    """The cards of a modular switch that carry its ports. Every card has the same number of ports."""

    slots: SourcedValue[list[int]]  # slot numbers of the system, in front-panel order


class SwitchModel(Entry):
    """A switch."""

    title: str
    vendor: str
    systems: list[str]  # names in catalogue/software/switch
    chip: str
    ports: SourcedValue[int]
    speed: SourcedValue[BandwidthField]
    lanes: SourcedValue[int] | None = None  # electrical lanes of a port
    breakouts: SourcedValue[list[int]] | None = None  # numbers of ports that a front-panel port can be split into
    systems_without_breakout: SourcedValue[list[str]] | None = (
        None  # systems whose public images cannot split ports of the model
    )
    systems_without_lossless_buffers: SourcedValue[list[str]] | None = (
        None  # systems whose image has no lossless buffers for the model
    )
    oldest_releases: SourcedValue[dict[str, str]] | None = None  # first release with files of the model, by system
    systems_without_image: SourcedValue[list[str]] | None = None  # systems of which no public release has files of it
    cards: LineCards | None = None  # of a modular switch
    latency: SourcedValue[DurationField] | None = (
        None  # of an idle switch, from the last bit received to the first bit sent
    )

    @property
    def lossless_systems(self) -> list[str]:
        """The systems with buffers for lossless classes."""
        return [
            system
            for system in self.systems
            if not self.systems_without_lossless_buffers or system not in self.systems_without_lossless_buffers.value
        ]


class UnplannedModel(Entry):
    """A switch that documents name and that cannot be planned."""

    title: str
    reason: SourcedValue[str]  # completes "the switch model X, …"
    instead: str  # what to do


class NicSlot(Entry):
    """A NIC port of a server, in rail order."""

    interface: str | None = None  # name that the kernel gives it
    gpu: int | None = None  # index of the GPU that it serves
    stated: bool = False  # the cluster file names the interface, as its kernel does


class PcieBranch(Entry):
    """A root port, or a downstream port of a PCIe switch, with what is connected to it.

    That is a card with NIC ports, a GPU, or a further switch with its downstream ports.
    """

    nics: list[int] = []  # ports of one card, as positions in `nic_slots`, from 1
    gpu: int | None = None
    switch: list[PcieBranch] = []
    link: PcieAbility | None = None  # of the link below; default: `slot_pcie`
    numa_node: int | None = None  # of a root port, with as many nodes per socket as in `cpus`, else one

    @model_validator(mode="after")
    def _check_device(self) -> PcieBranch:
        values = {"nics": bool(self.nics), "gpu": self.gpu is not None, "switch": bool(self.switch)}
        keys = [key for key, is_given in values.items() if is_given]
        if len(keys) != 1:
            raise ValueError(
                f"a PCIe port with {' and '.join(keys) or 'nothing'}; expected exactly one of {', '.join(values)}"
            )
        if any(branch.numa_node is not None for branch in self.switch):
            raise ValueError("a numa_node below a PCIe switch; expected it at the root port")
        return self

    def walk(self, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], PcieBranch]]:
        """This branch and those below, each with its path."""
        yield path, self
        for number, branch in enumerate(self.switch):
            yield from branch.walk((*path, "switch", number))

    def list_devices(self) -> tuple[list[int], list[int]]:
        """The NIC ports, as positions from 1, and the indexes of the GPUs below, in the order of the tree."""
        nics, gpus = list(self.nics), [] if self.gpu is None else [self.gpu]
        for branch in self.switch:
            inner_nics, inner_gpus = branch.list_devices()
            nics += inner_nics
            gpus += inner_gpus
        return nics, gpus


class Numbering(StrEnum):
    """Order in which the kernel numbers the cores of a server."""

    BY_SOCKET = "by-socket"  # all cores of the first socket, then those of the second
    ROUND_ROBIN = "round-robin"  # a core of every socket in turn


class CpuTopology(Entry):
    """The CPUs of a server."""

    model: str
    sockets: SourcedValue[int]
    cores: SourcedValue[int]  # of one socket
    threads: SourcedValue[int]  # of one core, if the BIOS does not disable them
    numa_nodes: SourcedValue[int]  # of one socket
    numbering: SourcedValue[Numbering]
    socket_distance: SourcedValue[int] | None = None  # NUMA distance from a node to one of another socket; 10 is itself


class BiosRow(Entry):
    """A BIOS attribute that a document requires. Its key is a name of `BIOS_VALUES`."""

    value: str
    menu: str | None = None  # None: the document names no menu
    menu_value: str = Field(min_length=1)  # the value as the document names it
    why: str = Field(min_length=1)
    source: str = Field(min_length=1)


def _check_bios_values(rows: dict[str, BiosRow]) -> dict[str, BiosRow]:
    for name, row in rows.items():
        if row.value not in BIOS_VALUES.get(name, ()):
            names = ", ".join(BIOS_VALUES.get(name, BIOS_VALUES))
            raise ValueError(f"{name}: {row.value} is not known; known: {names}")
    return rows


BiosTable = Annotated[dict[str, BiosRow], AfterValidator(_check_bios_values)]


class Memory(Entry):
    """The memory of one socket, with every channel populated at its fastest rate."""

    channels: SourcedValue[int]
    speed: SourcedValue[int]  # MT/s
    cache: SourcedValue[SizeField] | None = None  # sum of the socket's caches, levels 2 and 3
    sockets: SourcedValue[int] | None = None  # if `cpus` does not contain it

    @property
    def bandwidth(self) -> Bandwidth:
        """Channels times rate times 8 bytes: 64 data bits of a channel (JEDEC JESD79-3, JESD79-4, JESD79-5)."""
        return Bandwidth(self.channels.value * self.speed.value * 10**6 * 64)

    @property
    def source(self) -> str:
        """The sources of channels and rate."""
        return "; ".join(dict.fromkeys((self.channels.source, self.speed.source)))


def _find_other_numbers(
    kind: str, numbers: Sequence[tuple[tuple[str | int, ...], int]], planned: range, expected: str
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Numbers of a PCIe tree that occur twice, that are not planned, or that are missing."""
    used_numbers: set[int] = set()
    for path, number in numbers:
        if number in used_numbers or number not in planned:
            amount = " twice" if number in used_numbers else ""
            yield path, f"{kind} {number}{amount} in pcie; expected {expected}"
        used_numbers.add(number)
    for number in sorted(set(planned) - used_numbers):
        yield ("pcie",), f"no {kind} {number} in pcie; expected {expected}"


class ServerModel(Entry):
    """A server."""

    title: str
    vendor: str | None = None  # None: not known
    cpu_vendor: str
    gpu: str | None = None
    cpus: CpuTopology | None = None
    slot_pcie: PcieAbility
    nic_slots: list[NicSlot]
    pcie: list[PcieBranch]  # root ports
    max_payload: SourcedValue[int] | None = None
    socket_link: SourcedValue[BandwidthField] | None = None  # between two sockets, one direction, sum of all links
    memory: Memory | None = None
    recommended_memory: SourcedValue[SizeField] | None = None  # of a host in a cluster for AI and HPC
    ordered_writes: SourcedValue[BandwidthField] | None = None  # rate of a NIC's writes without relaxed ordering
    tcp_core: SourcedValue[BandwidthField] | None = None  # TCP rate that one core can receive
    bios: BiosTable = {}
    source: str

    @model_validator(mode="after")
    def _check_tree(self) -> ServerModel:
        problems = [*self._find_tree_problems()]
        if problems:
            raise PydanticCustomError("tree", "{text}", {"text": problems[0][1], "problems": problems})
        return self

    def _find_tree_problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """The path and the text of each problem."""
        branches = [entry for number, root in enumerate(self.pcie) for entry in root.walk(("pcie", number))]
        nics = [(path, nic) for path, branch in branches for nic in branch.nics]
        gpus = [(path, branch.gpu) for path, branch in branches if branch.gpu is not None]
        every_slot = f"each of {len(self.nic_slots)} nic_slots once"
        yield from _find_other_numbers("NIC", nics, range(1, len(self.nic_slots) + 1), every_slot)
        yield from _find_other_numbers("GPU", gpus, range(len(gpus)), "GPU 0, 1, 2, … once each")
        indices = {gpu for _, gpu in gpus}
        for number, slot in enumerate(self.nic_slots):
            if slot.gpu is not None and slot.gpu not in indices:
                yield ("nic_slots", number), f"GPU {slot.gpu} in nic_slots; expected a GPU that is in pcie"
        nodes = self.cpus.sockets.value * self.cpus.numa_nodes.value if self.cpus else None
        for number, root in enumerate(self.pcie):
            if nodes is not None and (root.numa_node or 0) >= nodes:
                yield ("pcie", number), f"NUMA node {root.numa_node} in pcie; expected one from 0 to {nodes - 1}"

    @property
    def gpu_count(self) -> int:
        """Number of GPUs."""
        return sum(len(branch.list_devices()[1]) for branch in self.pcie)

    def nic_numa_node(self, position: int) -> int | None:
        """The NUMA node of a NIC port, as a position in `nic_slots`, from 1."""
        return next((branch.numa_node for branch in self.pcie if position in branch.list_devices()[0]), None)

    def gpu_numa_node(self, index: int) -> int | None:
        """The NUMA node of a GPU."""
        return next((branch.numa_node for branch in self.pcie if index in branch.list_devices()[1]), None)


class QueueMap(Entry):
    """Traffic class, queue and priority group of a switch OS for one traffic class of the cluster."""

    traffic_class: SwitchTrafficClassField
    queue: SwitchQueueField
    priority_group: PriorityGroupField | None = None  # None: the system has no setting for it


class EcnDefaults(Entry):
    """Default marking thresholds of the RoCE queue, as a document states them for one speed.

    A queue of another speed gets the same time of the link: bandwidth times the delay of these thresholds.
    """

    speed: SourcedValue[BandwidthField] | None = None  # speed of the thresholds; None: the same at every speed
    minimum: SourcedValue[SizeField]
    maximum: SourcedValue[SizeField]
    probability: SourcedValue[int]  # percent


class EcnFillDefaults(Entry):
    """Default marking thresholds on a system that counts in percent of the queue's buffer."""

    minimum_fill: SourcedValue[int]
    maximum_fill: SourcedValue[int]
    probability: SourcedValue[int]  # percent


class BufferDefaults(Entry):
    """Default division of the packet buffer; the names are those of the settings."""

    lossless: SourcedValue[bool] | None = None  # whether a set of buffers for lossless traffic must be activated
    lossless_share: SourcedValue[int] | None = None  # percent, as all that follow except the last
    headroom_share: SourcedValue[int] | None = None
    lossy_share: SourcedValue[int] | None = None
    egress_lossless_share: SourcedValue[int] | None = None
    egress_lossy_share: SourcedValue[int] | None = None
    dedicated_ingress: SourcedValue[int] | None = None
    dedicated_egress: SourcedValue[int] | None = None
    dynamic_threshold: SourcedValue[int] | None = None


class ThresholdSteps(Entry):
    """The scale of a system's dynamic threshold: every step doubles the share of the free buffer that a group may
    take."""

    whole: SourcedValue[int]  # the step at which a group may take all of the free buffer
    last: SourcedValue[int]  # the first is 0


class LoadBalancingDefaults(Entry):
    """Default load balancing over equal-cost paths; the names are those of the settings."""

    mode: SourcedValue[str]
    flowlet_gap: SourcedValue[DurationField] | None = None
    flowlet_table: SourcedValue[int] | None = None
    hash_fields: SourcedValue[list[str]] | None = None


class WatchdogDefaults(Entry):
    """Default PFC watchdog."""

    action: SourcedValue[WatchdogAction]
    detect: SourcedValue[DurationField]
    restore: SourcedValue[DurationField] | None = None  # None: the system has no setting for it
    poll: SourcedValue[DurationField]
    recovery: SourcedValue[WatchdogRecovery] | None = None  # None: the system has one mode only
    port_poll: SourcedValue[bool] | None = None  # a port can have an interval other than that of its switch
    oldest_release: SourcedValue[str] | None = None  # earlier ones have no PFC watchdog


class SwitchSystem(Entry):
    """Data of a switch operating system for the plan; its commands are in platforms/."""

    title: str
    # Python format; {port} counts from 1, {index} from 0, {lane} electrical lanes: "Eth1/{port}", "Ethernet{lane}"
    port_name: str
    sub_port_name: str | None = None  # name of a split port; {sub} counts from 0, {part} and {member_lane} from 1
    speed_splits_ports: SourcedValue[bool] | None = None  # speed and lanes of a port split it, without another setting
    card_port_name: str | None = None  # of a modular switch, with the card's {slot}: "Ethernet{slot}/{port}/1"
    mtu: SourcedValue[int]  # largest IP packet to configure
    class_mtu: SourcedValue[int] | None = None  # largest packet of its traffic classes, if it limits them
    ecn_unit: SourcedValue[int] | None = None  # bytes in the unit of thresholds; None: percent of a queue's buffer
    classes: dict[str, QueueMap]  # roce, cnp, default
    ecn: EcnDefaults | EcnFillDefaults
    watchdog: WatchdogDefaults
    buffers: BufferDefaults | None = None
    own_buffers: BufferDefaults | None = None  # division by the system for lossless traffic if no share is configured
    threshold_steps: ThresholdSteps | None = (
        None  # None: no dynamic threshold, or the meaning of its numbers is not published
    )
    load_balancing: LoadBalancingDefaults | None = None
    global_pause: bool = False  # whether a port has an 802.3x setting that must be switched off
    pfc_switch: bool = False  # whether one setting of the switch stops PFC on every port
    priority_groups: bool = True  # whether ingress priority groups can be configured
    step_marking: bool = True  # whether a queue can mark every packet above one threshold and none below it
    pause_of_queue_number: bool = False  # whether a pause stops the queue whose number is the priority
    oldest_release: SourcedValue[str] | None = None  # before it, the commands rendered do not exist
    newest_commands: SourcedValue[str] | None = None  # first release with the commands of a switch without os_version
    ipv6_session_release: SourcedValue[str] | None = None  # first whose BGP sessions exchange IPv6 routes as rendered
    known_releases: SourcedValue[list[str]] | None = None  # first and last whose existence is documented
    cable_lengths: SourcedValue[list[LengthField]] | None = None  # that a port can be configured with; None: any
    common_cable_length: SourcedValue[bool] | None = None  # whether all ports have one length, in whole metres
    any_cable_length: list[str] = []  # chips for which every cable length can be configured nevertheless
    group_profiles: SourcedValue[bool] | None = None  # whether the system makes a profile for each lossless group
    lldp_aliases: SourcedValue[bool] | None = None  # whether ports announce an alias in LLDP instead of their name
    automatic_headroom: bool = False  # whether the system computes headroom itself, so that none is configured
    signal_monitoring: SourcedValue[str] | None = None  # that ports are configured with; None: no such setting
    speed_lanes: SourcedValue[dict[int, int]] | None = None  # Gb/s to lanes of a port below its highest speed
    strict_share: SourcedValue[bool] | None = None  # whether a strict queue has a configured rate too
    queue_ecn_counter: SourcedValue[bool] | None = None  # whether the counter of marked packets is configured per queue
    ecn_counter_chips: SourcedValue[list[str]] | None = None  # chips on which it is enabled for the switch, too
    lossy_pauses: bool = True  # whether a pause of a lossy priority stops the queue with its number

    @model_validator(mode="after")
    def _check_groups(self) -> SwitchSystem:
        """Refuse a class without the priority group that the system configures, or with one that it does not."""
        wrong = [name for name, data in self.classes.items() if (data.priority_group is None) is self.priority_groups]
        if wrong:
            expected = "a priority_group" if self.priority_groups else "no priority_group: priority_groups is false"
            raise ValueError(f"class {wrong[0]}: expected {expected}")
        return self


class HeadroomSample(Entry):
    """Headroom that a vendor reserves for a lossless priority group."""

    speed: BandwidthField
    length: LengthField
    size: SizeField
    source: str = Field(min_length=1)


class LosslessGroup(Entry):
    """Buffer share of a lossless priority group at one port speed, where it depends on the speed."""

    speed: BandwidthField
    share: float  # alpha
    xon_offset: SizeField  # the port resumes when the group holds so much less than its limit
    reserve: SizeField  # guaranteed to the group
    source: str = Field(min_length=1)


class ChipModel(Entry):
    """A switch chip."""

    title: str
    capacity: SourcedValue[BandwidthField] | None = None  # sum of its ports; a switch with more ports has several chips
    cell: SourcedValue[SizeField] | None = None  # the buffer is allocated in cells of this size
    buffer: SourcedValue[SizeField] | None = None  # packet buffer
    slices: SourcedValue[int] | None = (
        None  # equal parts of the buffer; packets are stored in the part of their ingress port
    )
    share: SourcedValue[float] | None = None  # alpha: part of the free shared buffer one lossless group may take
    headroom: list[HeadroomSample] = []
    groups: list[LosslessGroup] = []  # instead of share
    credit: SourcedValue[SizeField] | None = None  # size of a credit of virtual output queues

    def group(self, speed: Bandwidth) -> LosslessGroup | None:
        """The group of ports of this speed, else of the next slower speed in the list."""
        slower = [group for group in self.groups if group.speed <= speed]
        return max(
            slower, key=lambda group: group.speed, default=min(self.groups, key=lambda group: group.speed, default=None)
        )

    def share_at(self, speed: Bandwidth) -> float | None:
        """Alpha of a lossless group of a port of this speed."""
        group = self.group(speed)
        if group is not None:
            return group.share
        return self.share.value if self.share else None


class CableModel(Entry):
    """A kind of cable."""

    title: str
    speed: SourcedValue[BandwidthField]
    delay_ns_per_m: SourcedValue[float]
    training: bool = False  # whether link training is on
    max_length: SourcedValue[LengthField] | None = None


class Tuning(Entry):
    """Default settings of a library; the names are those of the launch settings."""

    rdma: SourcedValue[bool] | None = None
    transport: SourcedValue[str] | None = None
    hybrid_from: SourcedValue[int] | None = None
    rc_connections: SourcedValue[int] | None = None
    rc_from_messages: SourcedValue[int] | None = None
    queue_pairs: SourcedValue[int] | None = None
    coalescing: SourcedValue[bool] | None = None
    coalescing_from: SourcedValue[int] | None = None
    eager_sgl: SourcedValue[bool] | None = None
    eager_sgl_limit: SourcedValue[SizeField] | None = None
    async_progress: SourcedValue[bool] | None = None
    gpu_direct: SourcedValue[str] | None = None
    gpu_direct_reads: SourcedValue[bool] | None = None
    gpu_peers: SourcedValue[str] | None = None
    dma_buf: SourcedValue[bool] | None = None
    virtual_memory: SourcedValue[bool] | None = None
    fine_grained_memory: SourcedValue[bool] | None = None
    relaxed_ordering: SourcedValue[bool] | None = None
    shared_memory: SourcedValue[bool] | None = None
    network_within_host: SourcedValue[bool] | None = None
    channels: SourcedValue[int] | None = None


class NeedsVirtualMemory(Entry):
    """ROCm release from which dma-buf needs virtual memory, and the NIC drivers concerned."""

    since: str
    drivers: list[str]
    source: str = Field(min_length=1)


class UdOverhead(Entry):
    """Latency that a library adds to that of UD on NICs of some drivers, beyond what it adds to that of RC."""

    drivers: list[str]
    minimum: DurationField
    maximum: DurationField
    source: str = Field(min_length=1)


class AcceleratedTransports(Entry):
    """RDMA transports that a library has for NICs of some drivers alone, beside those over the verbs of any NIC."""

    drivers: list[str] = Field(min_length=1)
    source: str = Field(min_length=1)


class LibraryModel(Entry):
    """A library that jobs communicate through."""

    title: str
    launchers: list[str] = Field(min_length=1)  # launchers of its jobs; the first is the default
    gpus: str | None = None  # vendor of the GPUs it is for
    marks: bool = True  # whether its jobs can set a DSCP; if not, they use the NIC's DSCP for RoCE
    tuning: Tuning = Tuning()
    dma_buf_needs_virtual_memory: NeedsVirtualMemory | None = None
    ud_overhead: UdOverhead | None = None
    accelerated_transports: AcceleratedTransports | None = None


class OmittedParameter(Entry):
    """A kernel parameter in the source of a profile that is deliberately not set."""

    value: str
    why: str
    instead: str


class TunedParameters(Entry):
    """Kernel parameters of a tuning profile."""

    values: dict[str, str]
    left_out: dict[str, OmittedParameter] = {}
    source: str = Field(min_length=1)


class TunedCoalescing(Entry):
    """Interrupt coalescing; the names are those of the settings."""

    adaptive_rx: SourcedValue[bool] | None = None
    adaptive_tx: SourcedValue[bool] | None = None
    rx_usecs: SourcedValue[int] | None = None
    rx_frames: SourcedValue[int] | None = None
    tx_usecs: SourcedValue[int] | None = None
    tx_frames: SourcedValue[int] | None = None


class TuningProfile(Entry):
    """Settings of a host beyond those of RoCE."""

    title: str
    ring: SourcedValue[int] | None = None  # descriptors of each ring
    coalescing: TunedCoalescing = TunedCoalescing()
    interrupts_near: SourcedValue[bool] | None = None  # whether interrupts are limited to cores of the NIC's NUMA node
    irq_balancing: SourcedValue[bool] | None = None
    governor: SourcedValue[str] | None = None
    idle_states: SourcedValue[list[str]] | None = None  # idle states that cores may enter
    qdisc: SourcedValue[str] | None = None
    parameters: TunedParameters | None = None
    bios: BiosTable = {}
    bios_left_out: dict[str, OmittedParameter] = {}


class FailureMode(Entry):
    """A known failure of clusters."""

    title: str
    layer: str
    impact: str = Field(min_length=1)
    fix: str = Field(min_length=1)
    source: str = Field(min_length=1)
