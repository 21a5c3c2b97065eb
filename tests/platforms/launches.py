"""Launches that configure every setting of their library and launcher, so that each is answered and read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wirespeed.settings import Dscp, Launch, Priority
from wirespeed.units import Size

CORES = ((0, 1, 2, 3), (4, 5, 6, 8), (64,), (65, 67))

_BASE = Launch(
    hosts=("node1", "node2"),
    ranks_per_host=4,
    threads=4,
    binding="spread",
    cores=CORES,
    rdma_devices=("bnxt_re1", "bnxt_re10"),
    gid_index=5,
    dscp=Dscp(26),
    priority=Priority(3),
    queue_pairs=4,
    environment={"HSA_XNACK": "1"},
)
_RCCL = replace(
    _BASE,
    library="rccl",
    launcher="mpirun",
    rdma=True,
    control_interface="eno1",
    gpu_direct="PXB",
    gpu_direct_reads=True,
    gpu_peers="SYS",
    dma_buf=True,
    virtual_memory=True,
    fine_grained_memory=False,
    relaxed_ordering=True,
    shared_memory=False,
    network_within_host=True,
    channels=32,
    host_settings=("rdma_devices",),
    mpi_devices=("bnxt_re1", "bnxt_re10"),
)
_NCCL = replace(_RCCL, library="nccl", fine_grained_memory=None, network_within_host=False, dma_buf=False)
_OPENMPI = replace(_BASE, library="openmpi", launcher="mpirun", transport="hybrid", hybrid_from=1024)
_MVAPICH = replace(
    _BASE,
    library="mvapich2",
    launcher="mpirun-rsh",
    dscp=None,
    rdma=True,
    transport="rc",
    hybrid_from=1024,
    rc_connections=32,
    rc_from_messages=100,
    coalescing=True,
    coalescing_from=4,
    eager_sgl=True,
    eager_sgl_limit=Size(1024),
    async_progress=True,
)

LAUNCHES: Mapping[str, tuple[Launch, ...]] = {
    "nccl": (_RCCL, _NCCL),
    "openmpi": (
        _OPENMPI,
        replace(_OPENMPI, transport="rc"),
        replace(_OPENMPI, transport="ud"),
        replace(_OPENMPI, transport="rc-verbs"),
    ),
    "mvapich2": (
        _MVAPICH,
        replace(_MVAPICH, transport="ud", launcher="hydra", coalescing=False),
        replace(_MVAPICH, transport="hybrid", eager_sgl_limit=Size(1500), gpu_memory="rocm", gpu_direct="SYS"),
        replace(_MVAPICH, transport="hybrid", gpu_memory="cuda", gpu_direct="LOC"),
    ),
    "mvapich3": (replace(_MVAPICH, library="mvapich3", launcher="hydra"),),
    "slurm": (
        replace(_OPENMPI, launcher="slurm", memlock="unlimited"),
        replace(_RCCL, launcher="slurm", memlock="65536"),
    ),
}
"""By platform."""
