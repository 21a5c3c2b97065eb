"""Launch of a parallel job: its communication library, its launcher, and the cores of its ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from wirespeed.settings.model import Compare, Setting
from wirespeed.settings.qos import Dscp, Priority
from wirespeed.units import Size

Cores = tuple[tuple[int, ...], ...]
"""The CPU cores of every rank of a host, as the kernel numbers them."""


@dataclass(frozen=True, slots=True)
class Launch:
    """The launch of jobs on a host with a library and a launcher."""

    library: Annotated[str | None, Setting("catalogue name of the library", compare=Compare.NONE)] = None
    launcher: Annotated[str | None, Setting("launcher of the ranks", compare=Compare.NONE)] = None
    hosts: Annotated[tuple[str, ...] | None, Setting("hosts of a job, in rank order")] = None
    ranks_per_host: Annotated[int | None, Setting("ranks on each host, or on most of them")] = None
    other_ranks: Annotated[
        Mapping[str, int] | None,
        Setting("ranks of the hosts of a job that have another number than most", observed=True),
    ] = None
    threads: Annotated[int | None, Setting("threads of a rank", compare=Compare.NONE)] = None
    binding: Annotated[str | None, Setting("policy for the selection of cores", compare=Compare.NONE)] = None
    cores: Annotated[Cores | None, Setting("CPU cores of each rank of the host, in rank order")] = None
    memlock: Annotated[str | None, Setting("locked-memory limit of scheduled jobs: unlimited, or bytes")] = None

    rdma: Annotated[bool | None, Setting("use of RDMA by a job")] = None
    rdma_devices: Annotated[tuple[str, ...] | None, Setting("RDMA devices of a job, in rail order")] = None
    mpi_devices: Annotated[
        tuple[str, ...] | None,
        Setting("RDMA devices of the MPI that starts collectives, where no variable of a job contains them"),
    ] = None
    gid_index: Annotated[int | None, Setting("GID index of a job")] = None
    dscp: Annotated[Dscp | None, Setting("DSCP of a job's traffic")] = None
    priority: Annotated[Priority | None, Setting("802.1p priority of a job's traffic, as InfiniBand service level")] = (
        None
    )
    transport: Annotated[
        str | None,
        Setting(
            "RDMA transport of a job: rc, ud or hybrid; with -verbs without the NIC's accelerated one. A found one may "
            "also be none or dc, end with -accelerated (that one only), or begin with dc- (dc too)"
        ),
    ] = None
    hybrid_from: Annotated[int | None, Setting("smallest number of ranks for which the hybrid transport uses UD")] = (
        None
    )
    rc_connections: Annotated[
        int | None, Setting("maximum number of RC connections per rank, where the hybrid transport uses UD")
    ] = None
    rc_from_messages: Annotated[
        int | None, Setting("messages to a rank over UD after which the hybrid transport connects to it over RC")
    ] = None
    queue_pairs: Annotated[int | None, Setting("queue pairs per connection of two ranks")] = None
    needed_queue_pairs: Annotated[
        int | None,
        Setting("queue pairs of a host if every rank of a job sends to every other", compare=Compare.NONE),
    ] = None
    host_settings: Annotated[
        tuple[str, ...] | None,
        Setting("settings of a job that differ between its hosts", compare=Compare.NONE),
    ] = None
    control_interface: Annotated[str | None, Setting("interface for out-of-band traffic")] = None

    coalescing: Annotated[bool | None, Setting("coalescing of small messages to the same rank")] = None
    coalescing_from: Annotated[
        int | None, Setting("outstanding sends to a rank from which small messages are coalesced")
    ] = None
    eager_sgl: Annotated[bool | None, Setting("scatter-gather list for eager messages")] = None
    eager_sgl_limit: Annotated[Size | None, Setting("largest eager message sent from a scatter-gather list")] = None
    async_progress: Annotated[bool | None, Setting("separate thread for message progress")] = None

    gpu_memory: Annotated[
        str | None, Setting("kind of GPU memory that the MPI library accepts in messages: cuda, rocm or none")
    ] = None
    gpu_direct: Annotated[
        str | None, Setting("largest distance of a NIC with direct access to GPU memory: LOC, PIX, PXB, PHB, SYS")
    ] = None
    gpu_direct_reads: Annotated[bool | None, Setting("direct reads of GPU memory by NICs, in addition to writes")] = (
        None
    )
    gpu_peers: Annotated[
        str | None, Setting("largest distance of GPUs with direct access to each other: LOC, NVL, PIX, PXB, PHB, SYS")
    ] = None
    dma_buf: Annotated[bool | None, Setting("registration of GPU memory as DMA-BUF instead of peer memory")] = None
    virtual_memory: Annotated[bool | None, Setting("buffers in virtual GPU memory (cuMem)")] = None
    fine_grained_memory: Annotated[bool | None, Setting("fine-grained GPU memory over PCIe")] = None
    relaxed_ordering: Annotated[bool | None, Setting("registration of memory for relaxed ordering")] = None
    shared_memory: Annotated[bool | None, Setting("shared memory between ranks of a host")] = None
    network_within_host: Annotated[bool | None, Setting("use of NICs between ranks of a host")] = None
    channels: Annotated[int | None, Setting("minimum number of channels per collective")] = None

    environment: Annotated[
        Mapping[str, str] | None,
        Setting("environment variables without a setting", compare=Compare.CONTAINS),
    ] = None
