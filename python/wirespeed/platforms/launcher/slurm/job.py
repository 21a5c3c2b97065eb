"""Start of a job in an allocation of Slurm."""

from __future__ import annotations

from wirespeed.platforms.launcher.library_variables import job_environment
from wirespeed.platforms.launcher.slurm.view import cpu_binding, plugin
from wirespeed.platforms.model import Job


def start(job: Job) -> tuple[str, ...]:
    """srun on some nodes of the allocation. Values with commas break --export=NAME=VALUE, so `env` hands them on."""
    launch = job.host.launch
    assignments = [f"{name}={value}" for name, value in job_environment(launch, job.bound)]
    gpus = len(job.host.gpus)
    return (
        *(("env", *assignments) if assignments else ()),
        *("srun", "--overlap", f"--nodes={len(job.hosts)}", f"--ntasks={len(job.hosts) * job.ranks_per_host}"),
        f"--ntasks-per-node={job.ranks_per_host}",
        f"--nodelist={','.join(job.hosts)}",
        *((f"--gpus-per-node={gpus}",) if gpus else ()),
        *(f"--mpi={plugin(job.host)}", "--export=ALL"),
        f"--cpu-bind={cpu_binding(job.host) if job.bound else 'none'}",
        *job.program,
    )
