"""A NIC port: one Ethernet interface and its RDMA device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from wirespeed.settings.address import Gid
from wirespeed.settings.link import Link
from wirespeed.settings.model import Compare, Setting
from wirespeed.settings.qos import NicQos
from wirespeed.units import Length


@dataclass(frozen=True, slots=True)
class Driver:
    """Software a NIC runs on."""

    name: Annotated[str | None, Setting("kernel driver of the Ethernet interface", observed=True)] = None
    version: Annotated[str | None, Setting("version of the driver", compare=Compare.NONE)] = None
    firmware: Annotated[str | None, Setting("version of the firmware", compare=Compare.NONE)] = None


@dataclass(frozen=True, slots=True)
class Nvm:
    """Options in the NIC's non-volatile memory; they act after the next reset or reboot."""

    rdma: Annotated[bool | None, Setting("RDMA support")] = None
    performance_profile: Annotated[str | None, Setting("what the NIC is tuned for: roce or default")] = None
    relaxed_ordering: Annotated[bool | None, Setting("PCIe relaxed ordering")] = None
    sriov: Annotated[bool | None, Setting("virtual functions")] = None
    link_type: Annotated[str | None, Setting("what the port is, where it can be either: ethernet or infiniband")] = None
    outstanding_reads: Annotated[
        int | None, Setting("PCIe reads the NIC may have outstanding; 0: the firmware chooses")
    ] = None
    dcbx: Annotated[bool | None, Setting("DCBX in firmware; it takes QoS away from the driver")] = None
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
    """How long the Ethernet interface waits for more packets before it raises an interrupt."""

    adaptive_rx: Annotated[bool | None, Setting("whether the driver adapts it to the traffic received")] = None
    adaptive_tx: Annotated[bool | None, Setting("whether the driver adapts it to the traffic sent")] = None
    rx_usecs: Annotated[int | None, Setting("longest wait after a packet was received", "us")] = None
    rx_frames: Annotated[int | None, Setting("packets received that end the wait", "packets")] = None
    tx_usecs: Annotated[int | None, Setting("longest wait after a packet was sent", "us")] = None
    tx_frames: Annotated[int | None, Setting("packets sent that end the wait", "packets")] = None


@dataclass(frozen=True, slots=True)
class Counters:
    """What an RDMA port has counted since it came up; since an earlier collection, where one is given."""

    sent: Annotated[int | None, Setting("RDMA packets sent", "packets", Compare.NONE)] = None
    retries: Annotated[
        int | None,
        Setting("times that an acknowledgement did not come and packets were sent again", compare=Compare.NONE),
    ] = None
    sequence_errors: Annotated[
        int | None,
        Setting("packets before which others were missing, seen here or at the other end", compare=Compare.NONE),
    ] = None


@dataclass(frozen=True, slots=True)
class Nic:
    """A NIC port. Its name is its network interface."""

    kind: ClassVar[str] = "nic"

    rail: Annotated[int | None, Setting("rail the port belongs to, from 1", compare=Compare.NONE)] = None
    model: Annotated[str | None, Setting("catalogue model", compare=Compare.NONE)] = None
    pcie: Annotated[str | None, Setting("PCIe address", observed=True)] = None
    mac: Annotated[str | None, Setting("MAC address", compare=Compare.NONE)] = None
    rdma_device: Annotated[str | None, Setting("name of the RDMA device", observed=True)] = None
    rdma_state: Annotated[str | None, Setting("state of the RDMA port: ACTIVE, DOWN, …", observed=True)] = None
    rdma_mtu: Annotated[
        int | None, Setting("active path MTU of the RDMA port", "bytes", Compare.AT_LEAST, observed=True)
    ] = None
    roce_version: Annotated[str | None, Setting("RoCE version connections are made with by default")] = None
    gpu: Annotated[str | None, Setting("GPU the port serves", compare=Compare.NONE)] = None
    addresses: Annotated[
        tuple[str, ...] | None, Setting("IP addresses with prefix length", compare=Compare.CONTAINS)
    ] = None
    link: Link = field(default_factory=Link)
    driver: Driver = field(default_factory=Driver)
    ring: Ring = field(default_factory=Ring)
    cable_length: Annotated[
        Length | None, Setting("length the port's receive buffer is made for", "mm", Compare.AT_LEAST)
    ] = None
    coalescing: Coalescing = field(default_factory=Coalescing)
    interrupt_cores: Annotated[
        frozenset[int] | None, Setting("CPU cores the port's interrupts go to", compare=Compare.WITHIN)
    ] = None
    qdisc: Annotated[str | None, Setting("queueing discipline of each transmit queue")] = None
    qos: NicQos = field(default_factory=NicQos)
    nvm: Nvm = field(default_factory=Nvm)
    counters: Counters = field(default_factory=Counters)
    gids: Mapping[str, Gid] = field(default_factory=dict)
