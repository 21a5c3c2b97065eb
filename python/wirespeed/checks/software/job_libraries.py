"""Libraries of jobs

UCX and Open MPI, as jobs find them, have the planned versions.

Impact:
    Another UCX or Open MPI than the one built for the host may not support its GPUs or NICs, and a job may not start on
    hosts with different releases.

Fix:
    Run job-programs.sh as the user of the jobs, and put the lines that it prints at the top of ~/.bashrc.

Example:
    $ ucx_info -v
    # Library version: 1.13.1

Source:
    Broadcom 957608-AN210, 8.2, 8.3, 8.7.1 and table 3
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.software.ucx", "host.software.openmpi")
failures = ("MPI-04",)
check = compare(
    "host.software.ucx",
    "host.software.openmpi",
    wrong="libraries of jobs have another version",
    fix="run job-programs.sh, and put the lines that it prints at the top of ~/.bashrc",
    by_hand=True,
)
