"""Locked-memory limit of scheduled jobs

Jobs inherit an unlimited locked-memory limit from the daemon of the scheduler.

Impact:
    RDMA buffers are locked memory. The limits of a login do not apply to a service: a program that runs from a shell
    fails in a job, because its memory cannot be registered.

Fix:
    Remove the limit of the daemon, restart it, and restart the jobs.

Example:
    LimitMEMLOCK=8388608 of slurmd

Source:
    https://slurm.schedmd.com/faq.html#memlock; Broadcom 957608-AN210, 8.7.1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.launch.memlock",)
failures = ("MPI-02",)
check = compare(
    *needs,
    wrong="jobs of the scheduler have a locked-memory limit",
    fix="remove the limit of the scheduler's daemon",
)
