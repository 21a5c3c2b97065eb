"""GPU memory in perftest

The perftest programs, as jobs find them, can use the memory of the host's GPUs: those that job-programs.sh installed in
the home folder of the user who collects, under sudo of the user who called it, else those in PATH.

Impact:
    The programs of the distribution do not know --use_rocm or --use_cuda and end before they connect: the path between
    GPU and NIC is not measured.

Fix:
    Run job-programs.sh as the user of the jobs, and put the lines that it prints at the top of ~/.bashrc; or name the
    folder of the programs with `wirespeed bench run --path`.

Example:
    $ ib_write_bw --help | grep -i rocm
    (nothing)

Source:
    Broadcom 957608-AN210, 2.7
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.program_files import FIX, name_program_files
from wirespeed.settings import Host

subject = Host
needs = ("host.software.perftest_memory", "host.software.program_files")
failures = ("APP-07",)
_compare = compare(
    "host.software.perftest_memory",
    wrong="perftest cannot use the memory of the GPUs",
    fix=FIX,
    by_hand=True,
)
check = name_program_files(_compare)
