"""The launch of jobs in the cluster file."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from wirespeed.cluster.fields import Flag, Line, ModelName, Positive, PriorityNumber, SizeText, VariableName, Whole
from wirespeed.cluster.part import Part


class Launcher(StrEnum):
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


class LaunchPart(Part):
    """Launch of jobs. Defaults: the library's entry in the catalogue."""

    library: ModelName | None = Field(
        default=None, description="library of jobs in the catalogue; default: RCCL or NCCL by GPU, else openmpi"
    )
    launcher: Launcher | None = Field(
        default=None, description="launcher of the ranks; default: the first of the library"
    )
    ranks: Positive | None = Field(
        default=None,
        description="ranks on each host; default: one per GPU, else per NIC; fewer ranks than GPUs drive several each",
    )
    threads: Positive | None = Field(
        default=None, description="threads of a rank; with linear or spread, each has a separate core"
    )
    binding: BindingPolicy | None = Field(
        default=None,
        description="cores of each rank of a host. bunch: one core, all cores of a socket before the next socket. "
        "compact: the same cores, but the `threads` of a rank run on the hardware threads of its core. scatter: one "
        "core, sockets in turn. numa: one core, NUMA nodes in turn. linear: `threads` cores, one after the other. "
        "spread: an equal share of all cores. The socket of the first NIC comes first. With one rank per GPU, the "
        "cores are those of the NUMA node of the GPU, if it has enough",
    )
    gid_index: Whole = Field(default=3, description="GID index of jobs")
    priority: PriorityNumber | None = Field(default=None, description="service level, for tagged frames")
    rdma: Flag | None = Field(default=None, description="whether jobs use RDMA")
    transport: Transport | None = Field(
        default=None, description="RDMA transport; with -verbs without the NIC's accelerated one"
    )
    hybrid_from: Positive | None = Field(
        default=None, description="hybrid uses UD in jobs with at least this number of ranks"
    )
    rc_connections: Positive | None = Field(
        default=None, description="maximum number of RC connections per rank, where hybrid uses UD"
    )
    rc_from_messages: Positive | None = Field(
        default=None, description="hybrid connects to a rank over RC after this number of UD messages to it"
    )
    queue_pairs: Positive | None = Field(default=None, description="queue pairs of a connection between two ranks")
    coalescing: Flag | None = Field(default=None, description="whether small messages to one rank are sent together")
    coalescing_from: Positive | None = Field(
        default=None, description="messages are coalesced when at least this number of sends is outstanding"
    )
    eager_sgl: Flag | None = Field(default=None, description="whether eager messages use a scatter-gather list")
    eager_sgl_limit: SizeText | None = Field(
        default=None, description="largest eager message sent from a scatter-gather list", examples=["1 KiB"]
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
        default_factory=dict, description="other environment variables, for which this table has no key"
    )
