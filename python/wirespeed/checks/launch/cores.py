"""CPU cores of ranks

Each rank of a host is bound to the planned cores.

Impact:
    Two ranks on one core take turns, and so do a rank and the threads of its library: every message waits for the
    slower one. A rank on another socket than its NIC sends every byte over the link between the sockets.

Fix:
    Set the mapping, or install the rendered files again. With Slurm check the binding of srun too.

Example:
    MV2_CPU_MAPPING=0:0:1:1

Source:
    MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), optimized default CPU mapping policy;
    Broadcom 957608-AN210, 8.7.3.1
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.launch import ENVIRONMENT_FIX
from wirespeed.settings import Host

subject = Host
needs = ("host.launch.cores",)
failures = ("MPI-06",)
check = compare(
    *needs,
    wrong="ranks are bound to other cores than planned (rank -> cores)",
    fix="set the cores of the ranks",
    override=ENVIRONMENT_FIX,
)
