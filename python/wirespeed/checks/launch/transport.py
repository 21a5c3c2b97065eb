"""RDMA transport of a job

Jobs use the planned transport: RC, UD, or both.

Why it hurts:
    RC needs a queue pair for every pair of ranks: at thousands of ranks a NIC's cache of them overflows. UD needs one,
    and the library makes reliable what it sends over it: slower between few ranks, and it stops at the path MTU.

How to fix:
    Set the transport in the library's file, and take it out of job scripts.

Example:
    MV2_USE_ONLY_UD=1 left from an experiment, on one host

Source:
    MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), UD/RC Hybrid Transport Protocol Analysis
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.launch.transport",)
failures = ("MPI-05",)
check = compare(
    *needs,
    wrong="jobs use another RDMA transport",
    fix="set the transport of the library",
)
