"""Libraries and benchmarks of jobs

UCX and Open MPI, as jobs find them, have the planned versions: those that job-programs.sh installed in the home folder
of the user who collects, under sudo of the user who called it, and programs in PATH for those that it lacks. It built
rccl-tests and the OSU micro-benchmarks there from the planned revisions.

Impact:
    Another UCX or Open MPI than the one built for the host may not support its GPUs or NICs, and a job may not start on
    hosts with different releases. A UCX that was built without verbs has no RDMA transport: jobs use TCP. Results of
    another revision of a benchmark are not comparable with earlier ones.

Fix:
    Run job-programs.sh as the user of the jobs, and put the lines that it prints at the top of ~/.bashrc.

Example:
    $ ucx_info -v
    # Library version: 1.13.1

Source:
    Broadcom 957608-AN210, 8.2 to 8.4, 8.7.1 and table 3
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.program_files import FIX, name_program_files
from wirespeed.settings import Host

subject = Host
needs = (
    "host.software.ucx",
    "host.software.openmpi",
    "host.software.rccl_tests",
    "host.software.osu",
    "host.software.program_files",
)
failures = ("MPI-04",)
_compare = compare(
    "host.software.ucx",
    "host.software.openmpi",
    "host.software.rccl_tests",
    "host.software.osu",
    wrong="libraries or benchmarks of jobs have another version",
    fix=FIX,
    by_hand=True,
)
check = name_program_files(_compare)
