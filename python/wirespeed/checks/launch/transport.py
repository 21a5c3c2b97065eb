"""RDMA transport of a job

Jobs use the planned transport: RC, UD, or both.

Impact:
    RC needs one queue pair for every pair of ranks: with thousands of ranks the queue-pair cache of the NIC overflows.
    UD needs one queue pair per rank, but the library must provide reliability and messages end at the path MTU: it is
    slower between few ranks.

Fix:
    Set the transport in the configuration file of the library, and remove it from job scripts.

Example:
    MV2_USE_ONLY_UD=1 left from an experiment, on one host

Source:
    MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), UD/RC Hybrid Transport Protocol Analysis
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.launch.transport",)
failures = ("MPI-05",)
check = compare(
    *needs,
    wrong="jobs use another RDMA transport",
    fix="set the transport of the library",
)
