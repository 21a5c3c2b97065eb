"""A NIC port: one Ethernet interface and its RDMA device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from wirespeed.settings.address import Gid
from wirespeed.settings.link import Link
from wirespeed.settings.model import Compare, Setting
from wirespeed.settings.qos import NicQos
from wirespeed.units import Duration, Length


@dataclass(frozen=True, slots=True)
class Driver:
    """Driver and firmware of a NIC."""

    name: Annotated[str | None, Setting("kernel driver of the Ethernet interface", observed=True)] = None
    version: Annotated[str | None, Setting("version of the driver", compare=Compare.NONE)] = None
    firmware: Annotated[str | None, Setting("version of the firmware", compare=Compare.NONE)] = None


@dataclass(frozen=True, slots=True)
class Nvm:
    """Options in the NIC's NVRAM. They take effect after the next reset or reboot."""

    rdma: Annotated[bool | None, Setting("RDMA support")] = None
    performance_profile: Annotated[str | None, Setting("performance profile: roce or default")] = None
    relaxed_ordering: Annotated[bool | None, Setting("PCIe relaxed ordering")] = None
    sriov: Annotated[bool | None, Setting("virtual functions")] = None
    link_type: Annotated[str | None, Setting("link type of the port: ethernet or infiniband")] = None
    outstanding_reads: Annotated[
        int | None, Setting("outstanding PCIe reads of the NIC, at most; 0: set by the firmware")
    ] = None
    dcbx: Annotated[bool | None, Setting("DCBX in firmware; overrides the driver's QoS settings")] = None
    lldp_nearest_bridge: Annotated[bool | None, Setting("LLDP agent in firmware, nearest bridge")] = None
    lldp_nearest_non_tpmr_bridge: Annotated[bool | None, Setting("LLDP agent in firmware, nearest non-TPMR bridge")] = (
        None
    )


@dataclass(frozen=True, slots=True)
class Ring:
    """Descriptor rings of the Ethernet interface."""

    rx: Annotated[int | None, Setting("receive descriptors", "entries")] = None
    tx: Annotated[int | None, Setting("send descriptors", "entries")] = None


@dataclass(frozen=True, slots=True)
class Coalescing:
    """Interrupt coalescing: how long the Ethernet interface waits for more packets before it raises an interrupt."""

    adaptive_rx: Annotated[bool | None, Setting("adaptive coalescing of received packets")] = None
    adaptive_tx: Annotated[bool | None, Setting("adaptive coalescing of sent packets")] = None
    rx_usecs: Annotated[int | None, Setting("longest delay of an interrupt after a received packet", "us")] = None
    rx_frames: Annotated[int | None, Setting("received packets per interrupt, at most", "packets")] = None
    tx_usecs: Annotated[int | None, Setting("longest delay of an interrupt after a sent packet", "us")] = None
    tx_frames: Annotated[int | None, Setting("sent packets per interrupt, at most", "packets")] = None


@dataclass(frozen=True, slots=True)
class Bond:
    """An interface that combines others, its ports (the kernel's bonding.rst)."""

    mode: Annotated[str | None, Setting("mode of the bond, as the kernel names it")] = None
    monitor: Annotated[Duration | None, Setting("interval of link monitoring; 0: none", "ps")] = None


@dataclass(frozen=True, slots=True)
class Counters:
    """Counters of an RDMA port since link up, or since an earlier collection if there is one."""

    sent: Annotated[int | None, Setting("RDMA packets sent", "packets", Compare.NONE)] = None
    retries: Annotated[
        int | None,
        Setting("acknowledgement timeouts followed by retransmission", "timeouts", Compare.NONE, normal="0"),
    ] = None
    sequence_errors: Annotated[
        int | None,
        Setting("out-of-sequence packets, detected at either end", "packets", Compare.NONE, normal="0"),
    ] = None


@dataclass(frozen=True, slots=True)
class Nic:
    """A NIC port. Its name is its network interface."""

    kind: ClassVar[str] = "nic"

    rail: Annotated[int | None, Setting("rail number, from 1", compare=Compare.NONE)] = None
    model: Annotated[str | None, Setting("catalogue model", compare=Compare.NONE)] = None
    pcie: Annotated[
        str | None, Setting("PCIe address; in a plan its place in the PCIe tree of the server", observed=True)
    ] = None
    slot_address: Annotated[
        str | None, Setting("PCIe address of the port by the cluster file", compare=Compare.NONE)
    ] = None
    mac: Annotated[str | None, Setting("MAC address", compare=Compare.NONE)] = None
    rdma_device: Annotated[str | None, Setting("name of the RDMA device", observed=True)] = None
    rdma_state: Annotated[str | None, Setting("state of the RDMA port: ACTIVE, DOWN, …", observed=True)] = None
    rdma_mtu: Annotated[
        int | None, Setting("active path MTU of the RDMA port", "bytes", Compare.AT_LEAST, observed=True)
    ] = None
    node_guid: Annotated[
        str | None, Setting("node GUID of the RDMA device: 16 hexadecimal digits", compare=Compare.NONE)
    ] = None
    queue_pairs: Annotated[
        int | None, Setting("queue pairs of the RDMA device, at most", compare=Compare.NONE, observed=True)
    ] = None
    roce_version: Annotated[str | None, Setting("default RoCE version of connections")] = None
    gpu: Annotated[str | None, Setting("GPU assigned to the port", compare=Compare.NONE)] = None
    addresses: Annotated[
        tuple[str, ...] | None, Setting("IP addresses with prefix length", compare=Compare.CONTAINS)
    ] = None
    bond: Bond = field(default_factory=Bond)
    controller: Annotated[str | None, Setting("bond that the interface is a port of")] = None
    link: Link = field(default_factory=Link)
    driver: Driver = field(default_factory=Driver)
    ring: Ring = field(default_factory=Ring)
    cable_length: Annotated[
        Length | None, Setting("cable length for the receive buffer of the port", "mm", Compare.AT_LEAST)
    ] = None
    coalescing: Coalescing = field(default_factory=Coalescing)
    interrupt_cores: Annotated[
        frozenset[int] | None, Setting("CPU cores for the interrupts of the port", compare=Compare.WITHIN)
    ] = None
    qdisc: Annotated[str | None, Setting("queueing discipline of each transmit queue")] = None
    qos: NicQos = field(default_factory=NicQos)
    nvm: Nvm = field(default_factory=Nvm)
    counters: Counters = field(default_factory=Counters)
    gids: Mapping[str, Gid] = field(default_factory=dict)
