"""Servers, GPUs and NICs that the cluster file describes itself. The keys are those of the catalogue's files."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wirespeed.catalogue.model import Numbering
from wirespeed.cluster.fields import (
    BandwidthText,
    CpuVendor,
    Flag,
    InterfaceName,
    Line,
    ModelName,
    PcieBytes,
    PciId,
    Positive,
    SizeText,
    SlotText,
    SourceText,
    TransferRate,
    Whole,
)
from wirespeed.cluster.part import Part


class NicSlotPart(Part):
    """A NIC port of a server."""

    interface: InterfaceName | None = Field(
        default=None, description="name that the kernel gives it; default: `interfaces` of the hosts"
    )
    gpu: Whole | None = Field(default=None, description="index of the GPU that it serves")


class PcieBranchPart(Part):
    """A root port, or a downstream port of a PCIe switch, with what is connected: one of `nics`, `gpu` and `switch`."""

    nics: list[Positive] = Field(
        default_factory=list, description="NIC ports of one card, as positions in `nic_slots`, from 1"
    )
    gpu: Whole | None = Field(default=None, description="index of a GPU, from 0")
    switch: list[PcieBranchPart] = Field(
        default_factory=list, description="downstream ports of the PCIe switch that is connected here"
    )
    link: SlotText | None = Field(
        default=None, description="fastest link that the port can train, such as gen5 x8; default: `slot_pcie`"
    )
    numa_node: Whole | None = Field(default=None, description="NUMA node of a root port, as /sys shows it")


class CpusPart(Part):
    """The CPUs of a server."""

    model: Line | None = Field(default=None, description="model of the CPUs")
    sockets: Positive = Field(description="number of sockets")
    cores: Positive = Field(description="cores of one socket")
    threads: Positive = Field(default=1, description="threads of one core, if the BIOS does not disable them")
    numa_nodes: Positive = Field(default=1, description="NUMA nodes of one socket")
    numbering: Numbering = Field(
        default=Numbering.BY_SOCKET,
        description="by-socket: the kernel numbers all cores of the first socket before those of the second; "
        "round-robin: a core of every socket in turn",
    )


class MemoryPart(Part):
    """The memory of one socket."""

    channels: Positive = Field(description="memory channels of one socket that are populated")
    speed: TransferRate = Field(
        examples=["4800 MT/s"],
        description="rate, as `dmidecode --type 17` shows it; a number without a unit is in MT/s",
    )
    cache: SizeText | None = Field(
        default=None, description="caches of one socket, levels 2 and 3", examples=["136 MiB"]
    )
    sockets: Positive | None = Field(default=None, description="number of sockets, without `cpus`")


class ServerPart(Part):
    """A server that is not in the catalogue, or differs from it."""

    base: ModelName | None = Field(
        default=None, description="server of the catalogue; its values are used for all keys that are not written here"
    )
    title: Line | None = Field(default=None, description="name for people")
    vendor: ModelName | None = Field(default=None, description="vendor, for BIOS settings; default: not known")
    cpu_vendor: CpuVendor | None = Field(default=None, description="amd or intel; required without `base`")
    gpu: ModelName | None = Field(default=None, description="GPU model, of the catalogue or of `hardware.gpus`")
    cpus: CpusPart | None = Field(default=None, description="CPUs, for core numbers and NUMA nodes")
    slot_pcie: SlotText | None = Field(
        default=None, description="PCIe link of every slot without `link`; required without `base`"
    )
    nic_slots: list[NicSlotPart] | None = Field(
        default=None, description="NIC ports in rail order; `{}` for a port without a name; required without `base`"
    )
    pcie: list[PcieBranchPart] | None = Field(
        default=None, description="root ports with everything below them; required without `base`"
    )
    max_payload: PcieBytes | None = Field(default=None, description="PCIe MaxPayload in bytes")
    socket_link: BandwidthText | None = Field(
        default=None, description="link between the sockets (UPI, QPI, xGMI): bandwidth of all in one direction"
    )
    memory: MemoryPart | None = Field(default=None, description="memory, for copies that are staged in it")
    ordered_writes: BandwidthText | None = Field(
        default=None, description="rate of a NIC's writes without PCIe relaxed ordering"
    )
    tcp_core: BandwidthText | None = Field(default=None, description="TCP rate that one core can receive")
    source: SourceText | None = Field(
        default=None, description="where the values are from, for limits and findings; default: the cluster file"
    )


class GpuLinksPart(Part):
    """The links between the GPUs of one host."""

    name: Line = Field(description="name of the links, such as NVLink")
    per_gpu: Positive = Field(description="links of one GPU")
    full_mesh: Flag = Field(description="whether one link leads to each other GPU, without a switch")
    peak: BandwidthText = Field(description="rate of one link, one direction")
    usable: BandwidthText | None = Field(default=None, description="highest measured rate of one link, one direction")


class GpuPart(Part):
    """A GPU that is not in the catalogue, or differs from it."""

    base: ModelName = Field(
        examples=["h100"],
        description="GPU of the catalogue; its values are used for all keys that are not written here",
    )
    title: Line | None = Field(default=None, description="name for people")
    pci_id: PciId | None = Field(default=None, description="numbers of vendor and device, as `lspci -nn` shows them")
    pcie: SlotText | None = Field(default=None, description="fastest PCIe link of the GPU")
    bars: list[Annotated[SizeText, Field(examples=["256 MiB"])]] | None = Field(
        default=None, description="sizes of the memory BARs, for hosts that borrow the GPU"
    )
    links: GpuLinksPart | None = Field(default=None, description="links between the GPUs of one host")
    source: SourceText | None = Field(
        default=None, description="where the values are from, for limits and findings; default: the cluster file"
    )


class NicModelPart(Part):
    """A NIC that is not in the catalogue, or differs from it."""

    base: ModelName = Field(
        examples=["nvidia-mcx75310aas-neat"],
        description="NIC of the catalogue with the same driver; its values are used for all keys that are not written "
        "here",
    )
    title: Line | None = Field(default=None, description="name for people")
    pci_id: PciId | None = Field(default=None, description="numbers of vendor and device, as `lspci -nn` shows them")
    ports: Positive | None = Field(default=None, description="ports of one card")
    speed: BandwidthText | None = Field(default=None, description="speed of one port")
    pcie: SlotText | None = Field(default=None, description="fastest PCIe link of the card")
    message_rate: Positive | None = Field(default=None, description="messages per second, one direction")
    queue_pairs: Positive | None = Field(default=None, description="largest number of queue pairs of one RDMA device")
    source: SourceText | None = Field(
        default=None, description="where the values are from, for limits and findings; default: the cluster file"
    )


class HardwarePart(Part):
    """Hardware that is not in the catalogue, by the names that this file uses for it."""

    servers: dict[ModelName, ServerPart] = Field(
        default_factory=dict, description="servers by name, for `model` of hosts"
    )
    gpus: dict[ModelName, GpuPart] = Field(default_factory=dict, description="GPUs by name, for `gpu` of servers")
    nics: dict[ModelName, NicModelPart] = Field(default_factory=dict, description="NICs by name, for `nics` of hosts")
