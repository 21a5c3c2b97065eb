"""CPU cores of ranks

Each rank of a host is bound to the planned cores.

Why it hurts:
    Two ranks on one core take turns, and so do a library's threads with the rank they serve: every message waits for
    the slower. A rank across the sockets from its NIC sends every byte through the link between them.

How to fix:
    Set the mapping, or install the rendered files again; with Slurm look at what srun binds too.

Example:
    MV2_CPU_MAPPING=0:0:1:1

Source:
    MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), optimized default CPU mapping policy;
    Broadcom 957608-AN210, 8.7.3.1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.launch.cores",)
failures = ("MPI-06",)
check = compare(
    *needs,
    wrong="ranks are bound to other cores",
    fix="set the cores of the ranks",
)
