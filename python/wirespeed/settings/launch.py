"""How a parallel job is launched: what it communicates through, what starts it, and where its ranks run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from wirespeed.settings.model import Compare, Setting
from wirespeed.settings.qos import Dscp, Priority
from wirespeed.units import Size

Cores = tuple[tuple[int, ...], ...]
"""The CPU cores of every rank of a host, by the kernel's numbers."""


@dataclass(frozen=True, slots=True)
class Launch:
    """The launch of jobs on a host: a library times a starter."""

    library: Annotated[str | None, Setting("catalogue name of the library", compare=Compare.NONE)] = None
    starter: Annotated[str | None, Setting("what starts the ranks", compare=Compare.NONE)] = None
    hosts: Annotated[tuple[str, ...] | None, Setting("hosts of a job, in rank order", compare=Compare.NONE)] = None
    ranks_per_host: Annotated[int | None, Setting("ranks on each host", compare=Compare.NONE)] = None
    threads: Annotated[int | None, Setting("threads of a rank", compare=Compare.NONE)] = None
    binding: Annotated[str | None, Setting("policy by which the cores were computed", compare=Compare.NONE)] = None
    cores: Annotated[Cores | None, Setting("CPU cores of each rank of the host, in rank order")] = None
    memlock: Annotated[str | None, Setting("locked-memory limit that jobs inherit: unlimited, or bytes")] = None

    rdma: Annotated[bool | None, Setting("whether a job uses RDMA at all")] = None
    rdma_devices: Annotated[tuple[str, ...] | None, Setting("RDMA devices a job uses, in rail order")] = None
    gid_index: Annotated[int | None, Setting("row of the GID table a job uses")] = None
    dscp: Annotated[Dscp | None, Setting("DSCP of a job's traffic")] = None
    priority: Annotated[Priority | None, Setting("802.1p priority of a job's traffic, as InfiniBand service level")] = (
        None
    )
    transport: Annotated[str | None, Setting("RDMA transport of a job: rc, ud or hybrid")] = None
    hybrid_from: Annotated[int | None, Setting("ranks of a job from which the hybrid transport uses UD")] = None
    queue_pairs: Annotated[int | None, Setting("queue pairs of a connection between two ranks")] = None
    control_interface: Annotated[str | None, Setting("interface for out-of-band traffic", compare=Compare.NONE)] = None

    coalescing: Annotated[bool | None, Setting("whether small messages to one rank are sent together")] = None
    coalescing_from: Annotated[int | None, Setting("sends outstanding to a rank from which on they are")] = None
    eager_sgl: Annotated[bool | None, Setting("whether eager messages are gathered from a scatter-gather list")] = None
    eager_sgl_limit: Annotated[Size | None, Setting("largest message that is")] = None
    async_progress: Annotated[bool | None, Setting("whether a separate thread progresses messages")] = None

    gpu_direct: Annotated[
        str | None, Setting("farthest NIC a GPU's memory is reached from: LOC, PIX, PXB, PHB, SYS")
    ] = None
    gpu_direct_reads: Annotated[bool | None, Setting("whether NICs read GPU memory too, not only write it")] = None
    gpu_peers: Annotated[str | None, Setting("farthest GPU reached directly: LOC, NVL, PIX, PXB, PHB, SYS")] = None
    dma_buf: Annotated[bool | None, Setting("whether GPU memory is registered as dma-buf, not by peer memory")] = None
    virtual_memory: Annotated[bool | None, Setting("whether buffers are virtual GPU memory (cuMem)")] = None
    fine_grained_memory: Annotated[bool | None, Setting("whether GPU memory over PCIe is fine-grained")] = None
    relaxed_ordering: Annotated[bool | None, Setting("whether memory is registered for relaxed ordering")] = None
    shared_memory: Annotated[bool | None, Setting("whether ranks of a host use shared memory")] = None
    network_within_host: Annotated[bool | None, Setting("whether ranks of a host may use the NICs")] = None
    channels: Annotated[int | None, Setting("fewest channels of a collective")] = None

    environment: Annotated[
        Mapping[str, str] | None,
        Setting("variables beside those of the settings, as given or read", compare=Compare.NONE),
    ] = None
