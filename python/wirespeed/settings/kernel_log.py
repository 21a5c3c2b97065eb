"""Messages of the kernel log: what they report, without the words of a kernel or a driver."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wirespeed.settings.pcie import PcieLink


class MessageKind(StrEnum):
    """What a message of the kernel log reports."""

    BUS_ERROR = "bus-error"
    """A PCIe error, or a link that does not train."""
    LIMITED_LINK = "limited-link"
    """A PCIe link narrower or slower than its device when the kernel found it; `KernelMessage.link` is that link."""
    LOST_DEVICE = "lost-device"
    """A PCIe device that left its slot or does not reply."""
    UNASSIGNED_BAR = "unassigned-bar"
    """Device memory without an address."""
    REFUSED_DMA = "refused-dma"
    """An access of a device to memory that the IOMMU refused."""
    LINK_DOWN = "link-down"
    """A port of a NIC whose link went down."""
    REFUSED_QOS = "refused-qos"
    """Traffic classes or PFC that the NIC did not accept from its driver."""
    MISMATCHED_MODULE = "mismatched-module"
    """A module of a NIC or GPU driver whose symbols the loaded modules lack, or have in another version."""
    GPU_ERROR = "gpu-error"
    """An error of a GPU, or its reset."""
    GPU_SWITCH_ERROR = "gpu-switch-error"
    """An error of a switch between the GPUs of the host."""
    MACHINE_ERROR = "machine-error"
    """An error of memory or of a CPU."""
    ENDED_PROCESS = "ended-process"
    """A process that the kernel killed, or that crashed."""
    DRIVER_ERROR = "driver-error"
    """Any other error of the driver of a NIC or GPU, or of RDMA."""


@dataclass(frozen=True, slots=True)
class KernelMessage:
    """An error in the kernel log.

    ``text`` is the message without its time and level. ``devices`` are the addresses of the PCIe functions that it
    contains, in its order. ``is_corrected``: the hardware corrected the error, so no data was lost. ``link`` is the
    rate and width of a limited link.
    """

    text: str
    kind: MessageKind
    devices: tuple[str, ...] = ()
    is_corrected: bool = False
    link: PcieLink | None = None

    def __str__(self) -> str:
        return self.text
