"""Start of a job with Open MPI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirespeed.platforms.launcher.library_variables import job_environment
from wirespeed.platforms.model import Job
from wirespeed.settings import Software

_BINDER = "/usr/local/bin/wirespeed-bind"
AS_ROOT = ("OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
"""Without both mpirun refuses root (mpirun(1)); for others they mean nothing."""

_EXCLUDED = "^vader,tcp,openib,uct"
_OVER_UCX = {"pml": "ucx", "osc": "ucx", "spml": "ucx", "btl": _EXCLUDED}
OVER_UCX = tuple(word for name, component in _OVER_UCX.items() for word in ("--mca", name, component))
"""UCX for messages, one-sided access and OpenSHMEM, and no other transport beside it; source: Broadcom 957608-AN210,
section 8.7.2.1."""

HPC_SDK = "/opt/nvidia/hpc_sdk/Linux_x86_64"
"""The folder in which NVIDIA's packages of the HPC SDK install each release."""

_YIELD_WHEN_IDLE = ("--mca", "mpi_yield_when_idle", "1")
"""Ranks that share a core yield it while they wait."""


def start(job: Job) -> tuple[str, ...]:
    """mpirun with the hosts on its command line: no file is needed. UCX is not configured without RDMA devices."""
    launch = job.host.launch
    exports = [word for name, value in job_environment(launch, job.bound) for word in ("-x", f"{name}={value}")]
    over_ucx = OVER_UCX if launch.rdma_devices else ()
    binder = (_BINDER,) if job.bound and launch.cores and launch.launcher == "mpirun" else ()
    return (
        *("env", *AS_ROOT),
        *("mpirun", "-np", str(len(job.hosts) * job.ranks_per_host)),
        *("--host", ",".join(f"{host}:{job.ranks_per_host}" for host in job.hosts)),
        *("--map-by", f"ppr:{job.ranks_per_host}:node", "--bind-to", "none"),
        *over_ucx,
        *("-x", "PATH", *exports),
        *binder,
        *job.program,
    )


def start_over_tcp(
    hosts: Sequence[str], ranks_per_host: int, program: Sequence[str], agent: Sequence[str], control: str
) -> tuple[str, ...]:
    """A job on hosts without RDMA that share one machine's cores, over all of their interfaces but ``control``.

    ``agent`` starts a command on a host instead of ssh; its arguments have no blanks. Over ``control`` mpirun and its
    daemons find each other.
    """
    return (
        *("env", *AS_ROOT),
        *("mpirun", "-np", str(len(hosts) * ranks_per_host)),
        *("--host", ",".join(f"{host}:{ranks_per_host}" for host in hosts)),
        *("--map-by", f"ppr:{ranks_per_host}:node", "--bind-to", "none"),
        *("--mca", "plm_rsh_agent", " ".join(agent)),
        *("--mca", "oob_tcp_if_include", control),
        *("--mca", "pml", "ob1", "--mca", "btl", "tcp,self,vader", "--mca", "btl_tcp_if_exclude", f"lo,{control}"),
        # Without RDMA no other one-sided component takes messages over TCP.
        *("--mca", "osc", "pt2pt"),
        *_YIELD_WHEN_IDLE,
        *("-x", "PATH"),
        *program,
    )


def start_over_sockets(
    ranks: Mapping[str, int], program: Sequence[str], software: Software, variables: Mapping[str, str]
) -> tuple[str, ...]:
    """A job with some ranks on each host, without RDMA; ``variables`` are exported to all ranks.

    Open MPI fills the slots of the first host, then those of the next. ssh starts remote ranks without the environment
    modules of a login, so the libraries of the HPC SDK are exported (Johansen, Fast Multi-GPU communication over PCI
    Express, section 3.2.3), from the folders with which nccl-tests' makefile links, and its mpirun has its whole path.
    Open MPI then starts its daemons on the hosts from the same folder (mpirun(1), "--prefix").
    """
    exports = {**variables, **_find_libraries(software)}
    return (
        *("env", *AS_ROOT),
        *(_find_mpirun(software), "-np", str(sum(ranks.values()))),
        *("--host", ",".join(f"{host}:{count}" for host, count in ranks.items())),
        *("--bind-to", "none"),
        *("-x", "PATH", *(word for name, value in exports.items() for word in ("-x", f"{name}={value}"))),
        *program,
    )


def start_alone(program: Sequence[str], software: Software, variables: Mapping[str, str]) -> tuple[str, ...]:
    """A program in one process on its host, without MPI; ssh starts it without the environment modules of a login."""
    return ("env", *(f"{name}={value}" for name, value in {**variables, **_find_libraries(software)}.items()), *program)


def _find_mpirun(software: Software) -> str:
    """mpirun of the planned HPC SDK, else the first in PATH; source: NVIDIA HPC SDK installation guide, end-user
    environment settings: comm_libs/mpi/bin."""
    return "mpirun" if software.nvhpc is None else f"{HPC_SDK}/{software.nvhpc}/comm_libs/mpi/bin/mpirun"


def _find_libraries(software: Software) -> dict[str, str]:
    if software.nvhpc is None:
        return {}
    sdk = f"{HPC_SDK}/{software.nvhpc}"
    toolkits = [f"{sdk}/cuda/{software.cuda[0]}/lib64"] if software.cuda else []
    return {"LD_LIBRARY_PATH": ":".join([f"{sdk}/comm_libs/nccl/lib", f"{sdk}/comm_libs/mpi/lib", *toolkits])}


def start_locally(ranks: int, program: tuple[str, ...]) -> tuple[str, ...]:
    """A job on this machine only; it may have more ranks than cores."""
    return (
        *("env", *AS_ROOT, "mpirun", "--oversubscribe", "-np", str(ranks), "--host", f"localhost:{ranks}"),
        *("--bind-to", "none"),
        *_YIELD_WHEN_IDLE,
        *program,
    )
