"""Locked memory of jobs that a scheduler starts

The scheduler's daemon hands an unlimited locked-memory limit on to jobs.

Why it hurts:
    RDMA buffers are locked memory. The limits of a login do not reach a service: what works by hand fails in a job,
    with memory that cannot be registered.

How to fix:
    Lift the limit of the daemon, restart it, and start jobs anew.

Example:
    LimitMEMLOCK=8388608 of slurmd

Source:
    https://slurm.schedmd.com/faq.html#memlock; Broadcom 957608-AN210, 8.7.1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.launch.memlock",)
failures = ("MPI-02",)
check = compare(
    *needs,
    wrong="jobs of the scheduler have little locked memory",
    fix="lift the limit of the scheduler's daemon",
)
